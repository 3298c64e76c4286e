export { agree, type Agreement } from './multi-shard/agreement.ts';
export {
  OfflineData,
  readFolder,
  redistribute,
  type OfflineOptions,
  type OfflineReport,
  type Redistribution,
} from './recovery/offline.ts';
export { refusalsOf } from './recovery/recovery.ts';
export type { RecoveryAnswer, RecoveryOrder } from './recovery/recovery-thread.ts';
export { ShardMachine } from './machine.ts';
export { runShardThread, type ShardThreadData } from './thread.ts';
