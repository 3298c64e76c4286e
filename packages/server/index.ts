export { shardSettings } from './threads/shard-settings.ts';
