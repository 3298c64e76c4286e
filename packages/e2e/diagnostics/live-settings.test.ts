/** CONFIG SET takes effect at once, on main and on every shard. */
import {
  type ChildServer,
  keyPerShard,
  keysOnShard,
  ReplyError,
  type RespClient,
  startServer,
  textOf,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const live = suite('CONFIG SET');

const SHARDS = 2;
let server: ChildServer;
let client: RespClient;

live.before(async () => {
  server = await startServer({ shards: SHARDS });
  client = await server.client();
});
live.after(async () => {
  await server.stop();
});

const set = async (...words: (string | number)[]): Promise<void> => {
  assert.is(await client.call('CONFIG', 'SET', ...words), 'OK');
};

live('sets several at once, or none', async () => {
  await set('timeout', 100, 'maxclients', 500);
  assert.equal(await client.call('CONFIG', 'GET', 'timeout'), ['timeout', '100']);
  const refused = await client.reply('CONFIG', 'SET', 'timeout', 7, 'maxclients', 'many');
  assert.ok(refused instanceof ReplyError);
  assert.match(
    refused.message,
    /^ERR CONFIG SET failed \(possibly related to argument 'maxclients'\)/,
  );
  assert.equal(await client.call('CONFIG', 'GET', 'timeout'), ['timeout', '100']);
  await set('timeout', 0, 'maxclients', 10_000);
});

live('refuses what cannot change while the server runs', async () => {
  for (const [name, value] of [
    ['tcp-backlog', 1],
    ['databases', 3],
    ['nosuch', 1],
  ] as const) {
    assert.ok((await client.reply('CONFIG', 'SET', name, value)) instanceof ReplyError, name);
  }
});

live('scripting-memory-limit bounds scripts, those whose engine is there too', async () => {
  const script = "return #string.rep('x', tonumber(ARGV[1]))";
  const long = ['EVAL', script, '0', 60 * 1024 ** 2] as const;
  assert.is(await client.call(...long), 60 * 1024 ** 2);
  // A short script creates the engine that receives the limit.
  assert.is(await client.call('EVAL', script, '0', 10), 10);
  await set('scripting-memory-limit', '32mb');
  const refused = await client.reply(...long);
  assert.ok(refused instanceof ReplyError);
  assert.match(refused.message, /^ERR .*not enough memory/);
  assert.is(await client.call('EVAL', script, '0', 10), 10, 'it has cost the script alone');
  await set('scripting-memory-limit', '256mb');
  assert.is(await client.call(...long), 60 * 1024 ** 2);
  for (const wrong of ['1mb', '3gb', 'x']) {
    const reply = await client.reply('CONFIG', 'SET', 'scripting-memory-limit', wrong);
    assert.ok(reply instanceof ReplyError, wrong);
  }
});

live('is answered when shards have applied it: a lowered maxmemory has evicted', async () => {
  const info = async (name: string): Promise<number> =>
    Number(new RegExp(`\\n${name}:(\\d+)`).exec(textOf(await client.call('INFO')))?.[1]);
  await set('maxmemory-policy', 'allkeys-random');
  for (let round = 0; round < 5; round += 1) {
    const keys = keysOnShard(round % SHARDS, SHARDS, 100, 'e');
    await client.pipeline(keys.map((key) => ['SET', key, 'x'.repeat(1_000)]));
    const before = await info('evicted_keys');
    await set('maxmemory', (await info('used_memory')) - 40_000);
    assert.ok((await info('evicted_keys')) > before, `round ${round}`);
    await set('maxmemory', 0);
  }
  await set('maxmemory-policy', 'noeviction');
});

live('maxmemory holds writes back on all shards, and lets them go on', async () => {
  const keys = [...keysOnShard(0, SHARDS, 300, 'm'), ...keysOnShard(1, SHARDS, 300, 'm')];
  await client.pipeline(keys.map((key) => ['SET', key, 'x'.repeat(10_000)]));
  await set('maxmemory', '1mb');
  for (const key of keyPerShard(SHARDS, 'oom')) {
    const refused = (await client.reply('SET', key, 'x')) as ReplyError;
    assert.is(refused.message, "OOM command not allowed when used memory > 'maxmemory'.");
  }
  assert.is(await client.call('GET', 'oom'), null, 'reading goes on');
  assert.is(await client.call('DEL', keys[0]!), 1, 'and so does deleting');
  await set('maxmemory', 0);
  assert.is(await client.call('SET', 'oom', 'x'), 'OK');
});

live('the policy of eviction reaches the shards', async () => {
  const before = Number(await client.call('DBSIZE'));
  await set('maxmemory-policy', 'allkeys-lru', 'maxmemory', '2mb');
  const [key = ''] = keyPerShard(SHARDS, 'evicting');
  assert.is(await client.call('SET', key, 'x'), 'OK');
  while (Number(await client.call('DBSIZE')) > before / 2);
  assert.match(textOf(await client.call('INFO', 'stats')), /evicted_keys:[1-9]/);
  await set('maxmemory', 0, 'maxmemory-policy', 'noeviction');
});

live('the longest string is what a shard is told', async () => {
  await set('proto-max-bulk-len', '1mb');
  for (const key of keyPerShard(SHARDS, 'long')) {
    const refused = (await client.reply('SETRANGE', key, 2_000_000, 'x')) as ReplyError;
    assert.match(refused.message, /^ERR string exceeds maximum allowed size/);
  }
  await set('proto-max-bulk-len', '512mb');
  assert.is(await client.call('SETRANGE', 'long', 2_000_000, 'x'), 2_000_001);
});

live('a change is in order with the commands around it', async () => {
  const key = keyPerShard(SHARDS, 'order')[1]!;
  const replies = await client.pipeline([
    ['SETRANGE', key, '1500000', 'x'],
    ['CONFIG', 'SET', 'proto-max-bulk-len', '1mb'],
    ['SETRANGE', key, '1600000', 'x'],
    ['CONFIG', 'SET', 'proto-max-bulk-len', '512mb'],
    ['SETRANGE', key, '1700000', 'x'],
  ]);
  assert.is(replies[0], 1_500_001);
  assert.ok(replies[2] instanceof ReplyError);
  assert.is(replies[4], 1_700_001);
});

live('RESETSTAT begins to count anew, on main and on the shards', async () => {
  for (const key of keyPerShard(SHARDS, 'hit')) {
    await client.pipeline([
      ['SET', key, '1'],
      ['GET', key],
      ['GET', `${key}:none`],
    ]);
  }
  const statistic = async (name: string): Promise<number> => {
    const info = textOf(await client.call('INFO', 'all'));
    return Number(new RegExp(`${name}[:=](\\d+)`).exec(info)?.[1]);
  };
  assert.ok((await statistic('keyspace_hits')) >= 2);
  assert.ok((await statistic('cmdstat_get:calls')) >= 4);
  assert.is(await client.call('CONFIG', 'RESETSTAT'), 'OK');
  assert.is(await client.call('DBSIZE').then(() => statistic('keyspace_hits')), 0);
  assert.is(await statistic('keyspace_misses'), 0);
  assert.ok(Number.isNaN(await statistic('cmdstat_get:calls')), 'no GET since');
});

live.run();
