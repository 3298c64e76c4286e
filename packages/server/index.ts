export { Server } from './server.ts';
export { shardSettings } from './threads/shard-settings.ts';
