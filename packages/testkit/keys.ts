import { fromLatin1, keySlot, shardOfSlot } from '#base';

/** The shard that has a key. */
function shardOf(key: string, shards: number): number {
  return shardOfSlot(keySlot(fromLatin1(key), 0, key.length), shards);
}

/** Returns `count` keys of one shard, all starting with `prefix`. */
export function keysOnShard(shard: number, shards: number, count: number, prefix = 'k'): string[] {
  const keys: string[] = [];
  for (let nth = 0; keys.length < count; nth += 1) {
    const key = `${prefix}:${nth}`;
    if (shardOf(key, shards) === shard) keys.push(key);
  }
  return keys;
}

/** One key of every shard. */
export function keyPerShard(shards: number, prefix = 'k'): string[] {
  return Array.from({ length: shards }, (_, shard) => keysOnShard(shard, shards, 1, prefix)[0]!);
}
