export { agree, type Agreement } from './agreement.ts';
export type { MachineParts } from './machine-parts.ts';
export {
  OfflineData,
  readFolder,
  redistribute,
  type OfflineOptions,
  type OfflineReport,
  type Redistribution,
} from './offline.ts';
export { refusalsOf } from './recovery.ts';
export type { RecoveryAnswer, RecoveryOrder } from './recovery-thread.ts';
export { ShardMachine } from './machine.ts';
export { runShardThread, type ShardThreadData } from './thread.ts';
export { type Outlet } from './reply-sender.ts';
