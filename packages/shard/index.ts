export type { MachineParts } from './machine-parts.ts';
export { ShardMachine } from './machine.ts';
export { runShardThread, type ShardThreadData } from './thread.ts';
export { type Outlet } from './reply-sender.ts';
