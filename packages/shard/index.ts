export { ShardMachine, type MachineParts } from './machine.ts';
export { runShardThread, type ShardThreadData } from './thread.ts';
export { type Outlet } from './reply-sender.ts';
