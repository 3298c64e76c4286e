export { executingIn, type Executing } from './executing.ts';
export {
  flightReport,
  type FlightEntry,
  type FlightQuestion,
  type FlightReport,
  type FlightThread,
} from './flight.ts';
export { commandNames, Sight, type SightData } from './sight.ts';
export {
  durabilityIn,
  executingConnections,
  statusDocument,
  type StatusParts,
  type StatusSettings,
} from './status.ts';
