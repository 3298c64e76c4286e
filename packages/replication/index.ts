/** Replication in Redis' own protocol: the link of a replica to its primary, and the data that come over it. */

export type { Announced } from './replica/handshake.ts';
export {
  PrimaryLink,
  type Follower,
  type LinkState,
  type StreamPosition,
  type StreamSource,
} from './replica/primary-link.ts';
export {
  splitSnapshot,
  type SnapshotSplitOptions,
  type SplitMessage,
} from './replica/snapshot-split.ts';
