/** Changes since the last snapshot in INFO, counted as in Redis. */

import { type RespClient, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const changes = suite('changes since the last snapshot');

/** In this order, on an empty server. The numbers are those of Redis 7.0. */
const COMMANDS: readonly (readonly [command: string, changes: number])[] = [
  ['SET k v', 1],
  ['SET k v NX', 0],
  ['GET k', 0],
  ['GETDEL k', 1],
  ['APPEND ap x', 1],
  ['SETRANGE ap 0 ', 0],
  ['INCR i', 1],
  ['MSET a 1 b 2 c 3', 3],
  ['MSETNX a 1 z 2', 0],
  ['DEL a b nokey', 2],
  ['SETBIT bt 7 1', 1],
  ['SETBIT bt 7 1', 0],
  ['BITFIELD bf SET u8 0 5 INCRBY u8 8 3', 2],
  ['RPUSH l 1 2 3', 3],
  ['RPUSHX l 9 8', 2],
  ['LPUSHX nol 1', 0],
  ['LREM l 0 1', 1],
  ['LREM l 0 nope', 0],
  ['LTRIM l 0 1', 2],
  ['LTRIM l 0 -1', 0],
  ['LPOP l 5', 2],
  ['RPUSH l3 a', 1],
  ['LMOVE l3 l4 LEFT RIGHT', 1],
  ['RPUSH l5 a b', 2],
  ['BLPOP l5 1', 1],
  ['BLMOVE l5 l6 LEFT LEFT 1', 1],
  ['BLMPOP 1 1 l6 LEFT', 1],
  ['SADD s a b c a', 3],
  ['SREM s a zz', 1],
  ['SPOP s 2', 2],
  ['SADD s2 a', 1],
  ['SMOVE s2 s3 a', 2],
  ['SMOVE s2 s3 a', 0],
  ['SADD s4 a b c', 3],
  ['SUNIONSTORE sd s3 s4', 1],
  ['HSET h a 1 b 2', 2],
  ['HDEL h a b nope', 2],
  ['ZADD z 1 a 2 b 3 c', 3],
  ['ZADD z 1 a 9 b', 1],
  ['ZINCRBY z 1 a', 1],
  ['ZREM z a nope', 1],
  ['ZPOPMAX z 2', 2],
  ['ZADD z2 1 a 2 b', 2],
  ['ZREMRANGEBYLEX z2 - +', 2],
  ['ZADD z3 1 a 2 b', 2],
  ['ZRANGESTORE zd z3 0 -1', 1],
  ['GEOADD g 1 1 a 2 2 b', 2],
  ['GEOSEARCHSTORE gd g FROMLONLAT 1 1 BYRADIUS 1000 km', 2],
  ['PFADD pf', 1],
  ['PFADD pf a b', 2],
  ['PFADD pf a b', 0],
  ['XADD st 1-1 a b', 1],
  ['XADD st 2-1 a b', 1],
  ['XADD st 3-1 a b', 1],
  ['XDEL st 1-1 9-9', 1],
  ['XTRIM st MAXLEN 1', 1],
  ['XGROUP CREATE st gr 0', 1],
  ['XREADGROUP GROUP gr c STREAMS st >', 2],
  ['XACK st gr 3-1', 1],
  ['XACK st gr 3-1', 0],
  ['RENAME i j', 1],
  ['COPY j k', 1],
  ['MOVE j 1', 1],
  ['RPUSH sl 3 1 2', 3],
  ['SORT sl STORE sl2', 3],
  ['EXPIRE k 100', 1],
  ['PERSIST k', 1],
  ['PERSIST k', 0],
  ['FLUSHDB', 17],
];

async function changesOf(client: RespClient): Promise<number> {
  const info = textOf(await client.call('INFO', 'persistence'));
  return Number(/rdb_changes_since_last_save:(\d+)/.exec(info)?.[1]);
}

for (const shards of [1, 3]) {
  changes(`are as many as with Redis, on ${shards} shards`, async () => {
    const args = ['--set', 'persistence.enabled=no'];
    const server = await startServer({ shards, args });
    const client = await server.client();
    for (const [command, wanted] of COMMANDS) {
      const before = await changesOf(client);
      await client.reply(...command.split(' '));
      assert.is((await changesOf(client)) - before, wanted, command);
    }
    await server.stop();
  });
}

changes.run();
