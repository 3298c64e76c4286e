export { connectToPrimary } from './connect-to-primary.ts';
export type { Discard } from './discards/discarded-writes.ts';
export { ReplicationRates } from './observation/replication-rates.ts';
export { PrimaryStream } from './primary-stream.ts';
export { PrimaryTransport } from './primary-transport.ts';
export type { Primary } from './protocol/primary/primary.ts';
export { lagSecs } from './protocol/primary/replica-rules.ts';
export type { Replica } from './protocol/primary/replica.ts';
export type { StreamPlace } from './protocol/primary/primary-options.ts';
export { type Follower, PrimaryLink } from './protocol/replica/primary-link.ts';
export type { StreamPosition } from './protocol/replica/primary-past.ts';
export {
  type SnapshotSplitOptions,
  type SplitMessage,
  splitSnapshot,
} from './protocol/replica/snapshot-split.ts';
export { untilDrained } from './drain.ts';
export type { ReplicaSide } from './replica-side.ts';
export { replicasModule } from './replicas/replicas-module.ts';
export type { Replicas } from './replicas/replicas.ts';
export { ShutdownWait } from './replicas/shutdown-wait.ts';
export { replicationModule } from './replication-module.ts';
export type { Replication } from './replication.ts';
