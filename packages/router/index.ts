export type { MainNotes } from './command-stats.ts';
export { Client, type ClientSocket } from './clients/client.ts';
export type { ParkingBlocks } from './replies/reorder-buffer.ts';
export type { Report, Reports } from './reports.ts';
export { Router, type RouterOptions } from './router.ts';
export type { TracingSettings } from './tracing.ts';
export { emptyHead, ShardLink, type BodyPort } from './shard-link.ts';
