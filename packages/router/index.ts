export type { MainNotes } from './command-stats.ts';
export { CLIENT_BYTES } from './clients/client-memory.ts';
export { Client, type ClientSocket } from './clients/client.ts';
export type { ParkingBlocks } from './replies/reorder-buffer.ts';
export type { ShardCalls } from './shard-calls.ts';
export { Router, type WatchedCall } from './router.ts';
export { NOT_QUEUED } from './transactions/transactions.ts';
export type { TracingSettings } from './tracing.ts';
export { emptyHead, ShardLink, type BodyPort } from './shard-link.ts';
