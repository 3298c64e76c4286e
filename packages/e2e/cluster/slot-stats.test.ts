/** Statistics of slots, keys of slots, and hot keys of some slots, on nodes of a cluster. */
// test-tier: long

import { needs, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  sharedEtcd,
  type Coordinator,
  hasRole,
  isWhole,
  startNode,
  type PlayedNode,
} from './played-cluster.test-helper.ts';

const stats = suite('statistics of slots');

// Slots of the keys: a 15495, b 3300.
const A = '15495';

let etcd: Coordinator;
let node: PlayedNode;
let replica: PlayedNode;

async function says(...words: readonly string[]): Promise<string> {
  return textOf(await node.client.reply(...words));
}

/** Statistics of the slot of `a`. */
async function statsOf(of: PlayedNode, slot = A): Promise<Record<string, number>> {
  const [[, fields]] = (await of.client.call(
    'CLUSTER',
    'SLOT-STATS',
    'SLOTSRANGE',
    slot,
    slot,
  )) as [[number, unknown[]]];
  const found: Record<string, number> = {};
  for (let nth = 0; nth < fields.length; nth += 2) {
    found[textOf(fields[nth] as never)] = Number(fields[nth + 1]);
  }
  return found;
}

stats.before(async () => {
  etcd = await sharedEtcd();
  node = await startNode(etcd, { group: 'one' });
  await node.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await isWhole(node);
});
stats.after(async () => {
  await Promise.all([node.server.stop(), replica.server.stop()]);
  await etcd.stop();
});

stats('keys alone are counted, until the rest is asked for', async () => {
  await node.client.call('SET', 'a', '1');
  assert.equal(await statsOf(node), { 'key-count': 1 });
  assert.match(await says('CLUSTER', 'SLOT-STATS', 'ORDERBY', 'cpu-usec'), /^ERR Unrecognized/);
  await node.client.call('CONFIG', 'SET', 'cluster-slot-stats-enabled', 'yes');
  await node.client.call('SET', 'a', '22');
  const found = await statsOf(node);
  // *3 $3 SET $1 a $2 22, each with its line ends; +OK.
  assert.is(found['network-bytes-in'], 28);
  assert.is(found['network-bytes-out'], 5);
  assert.is(found['memory-bytes'], Number(await node.client.call('MEMORY', 'USAGE', 'a')));
  assert.ok(found['cpu-usec']! >= 0);
});

stats('what a script calls is counted as the script', async () => {
  await node.client.call('CONFIG', 'RESETSTAT');
  const code = "return redis.call('GET', KEYS[1])";
  await node.client.call('EVAL', code, '1', 'a');
  const found = await statsOf(node);
  // The script's own request: 4 arguments, the longest of them the code.
  const request = `*4\r\n$4\r\nEVAL\r\n$${code.length}\r\n${code}\r\n$1\r\n1\r\n$1\r\na\r\n`;
  assert.is(found['network-bytes-in'], request.length);
  assert.is(found['key-count'], 1);
});

stats('CONFIG RESETSTAT forgets what has happened, and not what is there', async () => {
  await node.client.call('CONFIG', 'RESETSTAT');
  const { 'key-count': keys, 'network-bytes-in': bytes } = await statsOf(node);
  assert.equal([keys, bytes], [1, 0]);
});

stats('every way in which keys come and go is counted', async () => {
  await node.client.call('RENAME', 'a', '{a}2');
  await node.client.call('COPY', '{a}2', '{a}3');
  await node.client.call('SET', '{a}4', 'x', 'PX', '1');
  await node.client.call('RPUSH', '{a}5', '1', '2');
  await until(async () => (await says('EXISTS', '{a}4')) === '0', 'the key has expired');
  assert.is(await says('CLUSTER', 'COUNTKEYSINSLOT', A), '3');
  await node.client.call('LPOP', '{a}5', '2');
  assert.is(await says('CLUSTER', 'COUNTKEYSINSLOT', A), '2');
  const found = (await node.client.call('CLUSTER', 'GETKEYSINSLOT', A, '10')) as unknown[];
  assert.equal(found.map((key) => textOf(key as never)).sort(), ['{a}2', '{a}3']);
});

stats('slots are ordered, the others behind by their numbers', async () => {
  await node.client.call('SET', 'b', '1');
  const rows = (await node.client.call(
    ...['CLUSTER', 'SLOT-STATS', 'ORDERBY', 'key-count', 'LIMIT', '3', 'DESC'],
  )) as [number, unknown][];
  assert.equal(
    rows.map(([slot]) => slot),
    [15_495, 3_300, 0],
  );
});

stats('hot keys of some slots', async () => {
  assert.is(await says('HOTKEYS', 'START', 'SLOTS', '1', A), 'OK');
  for (const key of ['{a}2', 'b', '{a}2']) await node.client.call('GET', key);
  const report = (await node.client.call('HOTKEYS', 'GET')) as unknown[];
  await node.client.call('HOTKEYS', 'STOP');
  const names = report.map((each) => (Array.isArray(each) ? each : textOf(each as never)));
  const ranked = names[names.indexOf('by-net-bytes') + 1] as unknown[];
  assert.equal([ranked.length, textOf(ranked[0] as never)], [2, '{a}2']);
  assert.equal(names[names.indexOf('selected-slots') + 1], [[15_495, 15_495]]);
});

stats('a replica and a server that was started anew have the same keys', async () => {
  replica = await startNode(etcd, { group: 'one' });
  await hasRole(replica, 'slave');
  await until(async () => (await statsOf(replica))['key-count'] === 2, 'the replica has the keys');
  await node.client.call('DEBUG', 'RELOAD');
  assert.is(await says('CLUSTER', 'COUNTKEYSINSLOT', A), '2');
  await node.client.call('FLUSHALL');
  assert.is(await says('CLUSTER', 'COUNTKEYSINSLOT', A), '0');
  await until(async () => (await statsOf(replica))['key-count'] === 0, 'the replica has none');
});

if (needs('etcd')) stats.run();
