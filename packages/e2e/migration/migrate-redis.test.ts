/** MIGRATE to Redis and back: values of all types, and what an older Redis cannot have. */

import {
  type ChildServer,
  keyPerShard,
  needs,
  redisProgram,
  ReplyError,
  type RespClient,
  startRedis,
  startServer,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { digests, FIELDS_THAT_END, fill, migrate, said, VALUES } from './migrated-values.ts';

const SHARDS = 3;
const [one = ''] = keyPerShard(SHARDS, 'mv');

let source: ChildServer;
let client: RespClient;
const withRedis = suite('MIGRATE to and from Redis');

let redis: ChildServer;
let redisClient: RespClient;

withRedis.before(async () => {
  source = await startServer({ shards: SHARDS });
  redis = await startRedis();
  redisClient = await redis.client();
  client = await source.client();
});
withRedis.after(async () => {
  await source.stop();
  await redis.stop();
});
withRedis.before.each(async () => {
  await client.call('FLUSHALL');
  await redisClient.call('FLUSHALL');
});

withRedis('values of all types go there and come back', async () => {
  const keys = await fill(client, VALUES);
  const before = await digests(client, keys);
  assert.is(await said(client, migrate(redis.port, 'KEYS', ...keys)), 'OK');
  assert.is(await client.call('DBSIZE'), 0);
  assert.is(await redisClient.call('DBSIZE'), keys.length);
  assert.is(await said(redisClient, migrate(source.port, 'KEYS', ...keys)), 'OK');
  assert.is(await redisClient.call('DBSIZE'), 0);
  assert.equal(await digests(client, keys), before);
});

withRedis('fields that end stay where the target cannot have them', async () => {
  await fill(client, [...FIELDS_THAT_END, ['SET', one, 'v']]);
  const isOld = await redisClient.reply('HPEXPIRETIME', 'none', 'FIELDS', '1', 'f');
  const reply = await said(client, migrate(redis.port, 'KEYS', 'ending', one));
  if (!(isOld instanceof ReplyError)) {
    assert.is(reply, 'OK');
    return;
  }
  assert.is(
    reply,
    '-ERR Target instance replied with error: ERR DUMP payload version or checksum are wrong',
  );
  assert.is(await client.call('EXISTS', 'ending'), 1);
  assert.is(await redisClient.call('GET', one), 'v');
});

if (needs(redisProgram())) withRedis.run();
