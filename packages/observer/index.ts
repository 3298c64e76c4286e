export { executingIn, type Executing } from './executing.ts';
export { flightReport } from './flight.ts';
export { Sight, type SightData } from './sight.ts';
export { durabilityIn } from './durability.ts';
export { executingConnections, statusDocument, type StatusSettings } from './status.ts';
