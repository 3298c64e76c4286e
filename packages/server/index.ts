export { shardSettings } from './settings/shard-settings.ts';
