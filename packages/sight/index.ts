export { executingIn, type Executing } from './executing.ts';
export { commandNames, Sight, type SightData } from './sight.ts';
export {
  executingConnections,
  statusDocument,
  type StatusParts,
  type StatusSettings,
} from './status.ts';
