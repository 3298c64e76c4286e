export { agree, type Agreement } from './multi-shard/agreement.ts';
export { offlineShard, offlinePage } from './offline-machine.ts';
export { Recovery, refusalsOf, type RecoveryReport } from './recovery/recovery.ts';
export type { RecoveryAnswer, RecoveryOrder } from './recovery-thread.ts';
export { newShard, type Shard } from './composition/new-shard.ts';
export type { ShardMachine } from './machine/machine.ts';
export { Settings } from './settings/settings.ts';
export { runShardThread, type ShardThreadData, type ShardTier } from './thread.ts';
