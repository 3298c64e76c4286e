export type { MainNotes } from './accounts.ts';
export { Client, type ClientSocket } from './client.ts';
export type { ParkingBlocks } from './parking.ts';
export type { Report, Reports } from './reports.ts';
export { Router, type RouterParts } from './router.ts';
export type { TracingSettings } from './tracing.ts';
export { emptyHead, ShardLink, type BodyPort } from './shard-link.ts';
