export { BlockPool } from './blocks.ts';
export {
  Connection,
  type ConnectionOwner,
  type ConnectionSupplies,
  type NetCounters,
  type Taking,
} from './connection.ts';
export { Listener, type ListenerOptions } from './listener.ts';
