/** Replication in Redis' own protocol: a server as a primary, and as a replica. */

export { LinkHistory, type LinkChange } from './history.ts';
export { Primary } from './primary/primary.ts';
export type { KeptStream } from './primary/replication-stream.ts';
export { lagSecs } from './primary/replica-rules.ts';
export type {
  AckWaiter,
  FollowedStream,
  PrimarySettings,
  StreamPlace,
} from './primary/surroundings.ts';
export type { SyncReason } from './primary/sync-reasons.ts';
export type { SyncFile } from './primary/sync-file.ts';
export type { Replica, ReplicaState } from './primary/replica.ts';
export type { Announced } from './replica/handshake.ts';
export { commonEnd, type PrimaryPast, type StreamPosition } from './replica/primary-past.ts';
export { PrimaryLink, type Follower, type LinkState } from './replica/primary-link.ts';
export {
  splitSnapshot,
  type SnapshotSplitOptions,
  type SnapshotPiece,
  type SplitMessage,
} from './replica/snapshot-split.ts';
