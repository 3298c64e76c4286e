export { CommandUsage, USAGE_MS } from './command-usage.ts';
export { commandIn, executingIn, scriptIn, type Executing } from './executing.ts';
export { flightReport } from './flight.ts';
export { Observer, type ObserverData } from './observer.ts';
export { durabilityIn } from './durability.ts';
export {
  executingConnections,
  healthNow,
  type HealthOptions,
  statusDocument,
  type StatusSettings,
} from './status.ts';
export { SAMPLE_MS } from './execution-sampler.ts';
export { FactReader } from './fact-reader.ts';
