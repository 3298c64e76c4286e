export { agree, type Agreement } from './multi-shard/agreement.ts';
export { offlineMachine, offlinePage } from './recovery/offline-machine.ts';
export { Recovery, refusalsOf, type RecoveryReport } from './recovery/recovery.ts';
export type { RecoveryAnswer, RecoveryOrder } from './recovery/recovery-thread.ts';
export { ShardMachine } from './machine.ts';
export { Settings } from './settings/settings.ts';
export { runShardThread, type ShardThreadData, type ShardTier } from './thread.ts';
