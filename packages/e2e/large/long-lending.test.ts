/**
 * Large values that commands need from another shard: they arrive completely, last, and without other commands in
 * between.
 */
// test-tier: long
import { keysOnShard, type Reply, type RespClient, textOf, until, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptServers, type KeptServer } from '../durability/kept-server.ts';
import { digestOf, ELEMENTS, longValues } from './long-values.ts';

const lending = suite('lending of large values');

const SHARDS = 2;
const [here = '', near = ''] = keysOnShard(0, SHARDS, 2, 'here');
const [there = '', far = ''] = keysOnShard(1, SHARDS, 2, 'there');

const newServer = keptServers(lending);
let server: KeptServer;
let client: RespClient;

async function start(): Promise<void> {
  const sync = ['--set', 'persistence.durability-mode=sync'];
  client = await server.start({ shards: SHARDS, args: sync });
}

async function startAgain(): Promise<void> {
  await server.kill();
  await start();
}

async function bothDigests(): Promise<string[]> {
  return Promise.all([here, there].map((key) => digestOf(client, key)));
}

/** Asserts that the data on disk is the data in memory: read while the server runs, and after a kill. */
async function demandKept(): Promise<void> {
  const before = await bothDigests();
  await client.call('DEBUG', 'LOADAOF');
  assert.equal(await bothDigests(), before);
  await startAgain();
  assert.equal(await bothDigests(), before);
}

lending.before(async () => {
  server = newServer();
  await start();
});
lending.after(() => server.kill());
lending.before.each(async () => {
  await client.call('FLUSHALL');
});

lending(
  'a value of every type is copied and renamed as it was, and is there after a kill',
  async () => {
    const expected = new Map<string, string>();
    for (const [type, make] of Object.entries(longValues)) {
      await make(client, here);
      await client.call('PEXPIREAT', here, '4000000000000');
      const before = await digestOf(client, here);
      const [copied = '', renamed = ''] = keysOnShard(1, SHARDS, 2, type);
      assert.is(await client.call('COPY', here, copied), 1);
      await client.call('RENAME', here, far);
      await client.call('RENAME', far, near);
      await client.call('RENAME', near, renamed);
      expected.set(copied, before).set(renamed, before);
    }
    const digests = async (): Promise<string[]> =>
      Promise.all([...expected.keys()].map((key) => digestOf(client, key)));
    assert.equal(await digests(), [...expected.values()]);
    await startAgain();
    assert.equal(await digests(), [...expected.values()]);
    assert.is(await client.call('DBSIZE'), expected.size);
  },
);

lending('what wants the key meanwhile comes after it', async () => {
  await longValues.hash(client, here);
  const lines = [
    `COPY ${here} ${there} REPLACE`,
    `HSET ${here} field:2 changed`,
    `HGET ${there} field:2`,
    `HSET ${there} field:3 changed`,
    `HGET ${here} field:3`,
  ];
  const replies = await client.pipeline(lines.map((line) => line.split(' ')));
  assert.equal(
    [replies[0], ...[2, 4].map((nth) => textOf(replies[nth]))],
    [1, 'value:2', 'value:3'],
  );
});

lending('a transaction changes both lists, or after a kill neither', async () => {
  await longValues.list(client, here);
  await longValues.list(client, there);
  const lines = ['MULTI', `LMOVE ${here} ${there} LEFT RIGHT`, `RPOPLPUSH ${there} ${here}`];
  lines.push(`LPOP ${there}`, `LLEN ${here}`, 'EXEC');
  const replies = await client.pipeline(lines.map((line) => line.split(' ')));
  assert.is((replies.at(-1) as Reply[])[3], ELEMENTS);
  const before = await bothDigests();
  await startAgain();
  assert.equal(await bothDigests(), before);
  assert.is(await client.call('LLEN', there), ELEMENTS - 1);
});

lending(
  'elements go to long lists of another shard, at either end, and are there after a kill',
  withRandom(async (random) => {
    await longValues.list(client, here);
    await longValues.list(client, there);
    const elements = ['', '0', '1', '00', 'x'.repeat(9_000), '-1'];
    await client.call('RPUSH', here, ...elements, ...elements);
    await client.call('LPUSH', there, ...elements, ...elements);
    const read = async (key: string): Promise<string[]> =>
      ((await client.call('LRANGE', key, '0', '-1')) as Reply[]).map(textOf);
    const lists = new Map([
      [here, await read(here)],
      [there, await read(there)],
    ]);
    const moves = Array.from({ length: 60 }, () => {
      const [from, to] = random.chance(0.5) ? [here, there] : [there, here];
      const [popped, pushed] = [random.pick(['LEFT', 'RIGHT']), random.pick(['LEFT', 'RIGHT'])];
      const [source, target] = [lists.get(from)!, lists.get(to)!];
      const element = popped === 'LEFT' ? source.shift()! : source.pop()!;
      if (pushed === 'LEFT') target.unshift(element);
      else target.push(element);
      return { words: ['LMOVE', from, to, popped, pushed], element };
    });
    const replies = await client.pipeline(moves.map(({ words }) => words));
    assert.equal(
      replies.map(textOf),
      moves.map(({ element }) => element),
    );
    for (const [key, list] of lists) assert.equal(await read(key), list);
    await demandKept();
  }),
);

lending(
  'members go to large sets of another shard, and are there after a kill',
  withRandom(async (random) => {
    await longValues.set(client, here);
    await longValues.set(client, there);
    const extra = ['', 'new', '12', '-7', 'x'.repeat(300), 'newx'];
    await client.call('SADD', here, ...extra);
    const all = (): Set<string> =>
      new Set(Array.from({ length: ELEMENTS }, (_, nth) => `member:${nth}`));
    const sets = new Map([
      [here, new Set([...all(), ...extra])],
      [there, all()],
    ]);
    const moves = Array.from({ length: 80 }, () => {
      const [from, to] = random.chance(0.6) ? [here, there] : [there, here];
      const member = random.chance(0.7) ? random.pick(extra) : `member:${random.integer(0, 20)}`;
      const isMoved = sets.get(from)!.delete(member);
      if (isMoved) sets.get(to)!.add(member);
      return { words: ['SMOVE', from, to, member], reply: isMoved ? 1 : 0 };
    });
    const replies = await client.pipeline(moves.map(({ words }) => words));
    assert.equal(
      replies,
      moves.map(({ reply }) => reply),
    );
    for (const [key, members] of sets) {
      assert.is(await client.call('SCARD', key), members.size);
      const found = (await client.call('SMISMEMBER', key, ...extra)) as Reply[];
      assert.equal(
        found,
        extra.map((member) => (members.has(member) ? 1 : 0)),
      );
    }
    await demandKept();
  }),
);

lending('a member that the set has is no change of it', async () => {
  await longValues.set(client, here);
  await longValues.set(client, there);
  await client.call('SADD', here, 'new');
  const watcher = await server.server.client();
  const afterMoving = async (member: string): Promise<Reply | undefined> => {
    await watcher.call('WATCH', there);
    assert.is(await client.call('SMOVE', here, there, member), 1);
    const replies = await watcher.pipeline([['MULTI'], ['PING'], ['EXEC']]);
    return replies.at(-1);
  };
  assert.is.not(await afterMoving('member:5'), null);
  assert.is(await afterMoving('new'), null);
});

lending('who watches or waits is told of an element that comes from another shard', async () => {
  await longValues.list(client, there);
  const watcher = await server.server.client();
  const waiter = await server.server.client();
  await watcher.call('WATCH', there);
  const waited = waiter.call('BLMOVE', here, there, 'LEFT', 'LEFT', '0');
  await until(async () => {
    return textOf(await client.call('INFO', 'clients')).includes('blocked_clients:1');
  }, 'the client waits');
  await client.call('RPUSH', here, 'element');
  assert.is(textOf(await waited), 'element');
  assert.is(textOf(await client.call('LINDEX', there, '0')), 'element');
  assert.is(await client.call('EXISTS', here), 0);
  const replies = await watcher.pipeline([['MULTI'], ['PING'], ['EXEC']]);
  assert.is(replies.at(-1), null);
  // Of another type nothing is lent but what it is, and the source keeps its element.
  await client.call('SET', far, 'x');
  await client.call('RPUSH', here, 'stays');
  const refused = await client.reply('LMOVE', here, far, 'LEFT', 'LEFT');
  assert.match(textOf(refused), 'WRONGTYPE');
  assert.is(await client.call('LLEN', here), 1);
});

lending('what a group has been given of a lent stream is known to its own shard', async () => {
  await longValues.stream(client, here);
  const read = ['XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', '3', 'STREAMS', here, '>'];
  await client.pipeline([['MULTI'], ['SET', there, 'x'], read, ['EXEC']]);
  const pending = async (): Promise<unknown> =>
    ((await client.call('XPENDING', here, 'g')) as Reply[])[0];
  assert.is(await pending(), 5003);
  await startAgain();
  assert.is(await pending(), 5003);
});

lending('the union of large sets is made where it belongs', async () => {
  await longValues.set(client, here);
  await client.call('SADD', near, 'only');
  assert.is(await client.call('SUNIONSTORE', there, here, near), ELEMENTS + 1);
  const before = await digestOf(client, there);
  await startAgain();
  assert.is(await digestOf(client, there), before);
  assert.is(await client.call('SCARD', here), ELEMENTS);
});

lending.run();
