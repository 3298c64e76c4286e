/** CLUSTERSCAN over two nodes: every key is found, also while slots move, and cursors lead to the nodes. */

import { Cluster } from 'ioredis';
import { needs, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Coordinator,
  isWhole,
  type PlayedNode,
  sharedEtcd,
  startNode,
} from './played-cluster.test-helper.ts';

const scans = suite('CLUSTERSCAN');

const KEYS = 3_000;
const WITH_DATABASES = ['--set', 'cluster.databases=2'];

let etcd: Coordinator;
let one: PlayedNode;
let two: PlayedNode;

scans.before(async () => {
  etcd = await sharedEtcd();
  one = await startNode(etcd, { group: 'one', args: WITH_DATABASES });
  two = await startNode(etcd, { group: 'two', args: WITH_DATABASES });
  for (const { client } of [one, two]) {
    await client.call('CONFIG', 'SET', 'cluster-allow-replica-migration', 'no');
  }
  await one.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '5000', '9000', '9999');
  await two.client.call('CLUSTER', 'ADDSLOTSRANGE', '5001', '8999', '10000', '16383');
  await isWhole(one);
  await isWhole(two);
});
scans.after(async () => {
  await Promise.all([one.server.stop(), two.server.stop()]);
  await etcd.stop();
});
scans.before.each(async () => {
  for (const { client } of [one, two]) await client.call('FLUSHALL');
});

async function clusterClient(): Promise<Cluster> {
  const places = [one, two].map(({ server }) => ({ host: '127.0.0.1', port: server.port }));
  const client = new Cluster(places, { slotsRefreshTimeout: 20_000 });
  client.on('error', () => undefined);
  await until(() => client.status === 'ready', 'the client is ready');
  return client;
}

/** Sends a call to one node, and where that redirects, to the other. */
async function step(cursor: string, options: readonly string[]): Promise<[string, string[]]> {
  for (const { client } of [one, two]) {
    const reply = await client.reply('CLUSTERSCAN', cursor, ...options);
    if (Array.isArray(reply)) {
      const [next, keys] = reply as unknown as [unknown, unknown[]];
      return [textOf(next as never), keys.map((key) => textOf(key as never))];
    }
    assert.match(textOf(reply), /^MOVED /);
  }
  throw new Error(`no node takes ${cursor}`);
}

/** Walks to the end; returns all keys as they were found. */
async function walk(
  options: readonly string[] = [],
  between: (calls: number) => Promise<void> = () => Promise.resolve(),
): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor = '0';
  let calls = 0;
  do {
    const [next, keys] = await step(cursor, options);
    cursor = next;
    found.push(...keys);
    calls += 1;
    await between(calls);
  } while (cursor !== '0');
  return found;
}

async function fill(client: Cluster): Promise<readonly string[]> {
  const keys = Array.from({ length: KEYS }, (_, nth) => `key:${nth}`);
  await Promise.all(keys.map((key) => client.set(key, key)));
  return keys.sort();
}

scans('every key of the cluster is found once while nothing changes', async () => {
  const client = await clusterClient();
  const keys = await fill(client);
  assert.equal([...(await walk())].sort(), keys);
  assert.equal([...(await walk(['COUNT', '100000']))].sort(), keys);
  client.disconnect();
});

scans('filters and SLOT are those of the call', async () => {
  const client = await clusterClient();
  await fill(client);
  for (let nth = 0; nth < 100; nth += 1) await client.rpush(`{06S}list:${nth}`, 'a');
  await client.set('{06S}text', 'a');
  assert.equal([...(await walk(['MATCH', 'key:12?']))].sort().length, 10);
  assert.equal((await walk(['TYPE', 'list'])).length, 100);
  const ofSlot = (await walk(['SLOT', '0'])).filter((key) => key.startsWith('{06S}'));
  assert.is(ofSlot.length, 101);
  assert.equal(await walk(['SLOT', '0', 'TYPE', 'string', 'MATCH', '{06S}t*']), ['{06S}text']);
  let calls = 0;
  const matched = await walk(['MATCH', '{06S}list*', 'COUNT', '100000'], (count) => {
    calls = count;
    return Promise.resolve();
  });
  assert.equal([matched.length, calls], [100, 2]);
  client.disconnect();
});

scans('keys of the selected database are walked', async () => {
  for (const { client } of [one, two]) await client.call('SELECT', '1');
  await one.client.call('SET', '{06S}', 'a');
  assert.equal(await walk(), ['{06S}']);
  for (const { client } of [one, two]) await client.call('SELECT', '0');
  assert.equal(await walk(), []);
});

scans('no key is missed while slots move to and fro', async () => {
  const client = await clusterClient();
  const keys = await fill(client);
  const moves: string[] = [];
  const found = await walk(['COUNT', '50'], async (calls) => {
    if (calls !== 3 && calls !== 30) return;
    const [taker, first, last] = calls === 3 ? [two, '0', '2000'] : [one, '5001', '7000'];
    const id = textOf(await taker.client.reply('CLUSTER', 'MIGRATION', 'IMPORT', first, last));
    assert.match(id, /^[0-9a-f]{40}$/);
    moves.push(id);
    await until(async () => {
      const reply = await taker.client.call('CLUSTER', 'MIGRATION', 'STATUS', 'ID', id);
      return textOf((reply as unknown[][])[0]?.[11] as never) === 'completed';
    }, 'the move ends');
  });
  assert.is(moves.length, 2);
  assert.equal([...new Set(found)].sort(), keys);
  client.disconnect();
});

scans('a transaction and a script walk as well', async () => {
  const { client } = one;
  const [cursor] = await step('0', ['SLOT', '3000']);
  const key = cursor.slice(2, -2);
  await client.call('SET', key, 'a');
  await client.call('MULTI');
  await client.call('CLUSTERSCAN', cursor, 'SLOT', '3000');
  const [inTransaction] = (await client.call('EXEC')) as unknown[];
  const script = "return redis.call('CLUSTERSCAN', ARGV[1], 'SLOT', '3000')";
  for (const reply of [inTransaction, await client.call('EVAL', script, '0', cursor)]) {
    const [next, keys] = reply as [unknown, unknown[]];
    assert.equal([textOf(next as never), keys.map((key) => textOf(key as never))], ['0', [key]]);
  }
});

scans('the cursor of a slot that no node serves is refused', async () => {
  await one.client.call('CLUSTER', 'DELSLOTS', '9500');
  for (const { client } of [one, two]) {
    await client.call('CONFIG', 'SET', 'cluster-require-full-coverage', 'no');
  }
  const tag = textOf((await step('0', ['SLOT', '9500']))[0]);
  await until(async () => {
    const replies = [
      await one.client.reply('CLUSTERSCAN', tag),
      await two.client.reply('CLUSTERSCAN', tag),
    ];
    return replies.every((reply) => textOf(reply) === 'CLUSTERDOWN Hash slot not served');
  }, 'both know that the slot has no owner');
});

if (needs('etcd')) scans.run();
