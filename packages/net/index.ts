export { BlockPool } from './blocks.ts';
export { Connection } from './connection.ts';
export { addressText } from './ends.ts';
export { Listener, type ListenerOptions } from './listener.ts';
export type {
  ConnectionOwner,
  ConnectionSupplies,
  NetCounters,
  Taking,
  TurnConnection,
} from './ports.ts';
