export { TierFault, TierFigures } from './tier-figures.ts';
export { TierLink, type Arrival } from './tier-link.ts';
export { TierService, type ExtentChange, type ExtentDisk } from './tier-service.ts';
export { runTierThread, type TierThreadAnswer, type TierThreadData } from './tier-thread.ts';
