/** Clients that wait for keys whose slot leaves their node, whose node becomes a replica, or whose cluster is down. */
// test-tier: long

import { needs, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  sharedEtcd,
  type Coordinator,
  hasRole,
  isWhole,
  startPair,
  type PlayedNode,
} from './played-cluster.test-helper.ts';

const blocked = suite('blocked clients in a cluster');

// Slots of the keys: a 15495, b 3300.
const SLOT_OF_A = '15495';
const SLOT_OF_B = '3300';

let etcd: Coordinator;
let first: PlayedNode;
let second: PlayedNode;

blocked.before(async () => {
  etcd = await sharedEtcd();
  [first, second] = await startPair(etcd);
});
blocked.after(async () => {
  await Promise.all([first.server.stop(), second.server.stop()]);
  await etcd.stop();
});

/** Sends a command that waits, and settles when it does; the answer comes later. */
async function waiting(
  { server, client }: PlayedNode,
  ...words: readonly string[]
): Promise<{ readonly answer: Promise<string> }> {
  const waiter = await server.client();
  const before = await blockedCount(client);
  const answer = waiter.reply(...words).then(textOf);
  await until(async () => (await blockedCount(client)) > before, 'the client waits');
  return { answer };
}

async function blockedCount(client: PlayedNode['client']): Promise<number> {
  const info = textOf(await client.call('INFO', 'clients'));
  return Number(/blocked_clients:(\d+)/.exec(info)?.[1]);
}

blocked('a slot that is given away takes its clients along, and no others', async () => {
  const { answer } = await waiting(first, 'BLPOP', 'a', '0');
  const { answer: other } = await waiting(first, 'XREAD', 'BLOCK', '0', 'STREAMS', 'b', '$');
  const given = await first.client.reply('CLUSTER', 'SETSLOT', SLOT_OF_A, 'NODE', second.id);
  assert.is(textOf(given), 'OK');
  assert.is(await answer, `MOVED ${SLOT_OF_A} 127.0.0.1:${second.server.port}`);
  assert.is(await blockedCount(first.client), 1);
  await first.client.call('XADD', 'b', '1-1', 'f', 'v');
  assert.match(await other, /1-1/);
  const back = await second.client.reply('CLUSTER', 'SETSLOT', SLOT_OF_A, 'NODE', first.id);
  assert.is(textOf(back), 'OK');
  await isWhole(first);
});

blocked('a slot of nobody is waited for by nobody', async () => {
  await first.client.call('CONFIG', 'SET', 'cluster-require-full-coverage', 'no');
  const { answer } = await waiting(first, 'BZPOPMIN', 'b2{b}', '0');
  assert.is(textOf(await first.client.reply('CLUSTER', 'DELSLOTS', SLOT_OF_B)), 'OK');
  assert.is(await answer, 'CLUSTERDOWN Hash slot not served');
  await first.client.call('CONFIG', 'SET', 'cluster-require-full-coverage', 'yes');
});

blocked('a cluster that is down lets nobody wait', async () => {
  await first.client.call('CLUSTER', 'ADDSLOTS', SLOT_OF_B);
  await isWhole(first);
  const { answer } = await waiting(first, 'BLMOVE', 'a', 'a2{a}', 'LEFT', 'LEFT', '0');
  assert.is(textOf(await first.client.reply('CLUSTER', 'DELSLOTS', SLOT_OF_B)), 'OK');
  assert.is(await answer, 'CLUSTERDOWN The cluster is down');
  await first.client.call('CLUSTER', 'ADDSLOTS', SLOT_OF_B);
  await isWhole(first);
});

blocked('a primary that hands over sends its clients on', async () => {
  await second.client.call('CLUSTER', 'REPLICATE', first.id);
  await hasRole(second, 'slave');
  const { answer } = await waiting(first, 'BLPOP', 'a', '0');
  assert.is(textOf(await second.client.reply('CLUSTER', 'FAILOVER')), 'OK');
  assert.is(await answer, `MOVED ${SLOT_OF_A} 127.0.0.1:${second.server.port}`);
  await hasRole(second, 'master');
});

if (needs('etcd')) blocked.run();
