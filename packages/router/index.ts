export { Client, type ClientSocket, type ReplyMode } from './client.ts';
export { Router, type RouterParts } from './router.ts';
export { ShardLink, type BodyPort } from './shard-link.ts';
