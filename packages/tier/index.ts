export { LocalTier, localTierFolder, type LocalTierPlace } from './local-tier.ts';
export { TierFault, TierFigures } from './tier-figures.ts';
export { TierLink } from './tier-link.ts';
export { runTierThread, type TierThreadAnswer, type TierThreadData } from './tier-thread.ts';
