/** A replica that can be spared, and a primary whose own is killed. */
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

const migration = suite('migration of replicas');

const LEASE_MS = 6_000;

let etcd: Coordinator;
const nodes: PlayedNode[] = [];

migration.before(async () => {
  etcd = await sharedEtcd();
});
migration.after(async () => {
  await Promise.all(nodes.map(({ server }) => server.stop()));
  await etcd.stop();
});

async function start(group: string): Promise<PlayedNode> {
  const node = await startNode(etcd, { group, leaseMs: LEASE_MS, shards: 1 });
  nodes.push(node);
  return node;
}

migration('it follows the other primary, and has its keys', async () => {
  const one = await start('one');
  const two = await start('two');
  await one.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '8000');
  await two.client.call('CLUSTER', 'ADDSLOTSRANGE', '8001', '16383');
  await Promise.all([isWhole(one), isWhole(two)]);
  assert.is(textOf(await two.client.reply('SET', 'a', 'of two')), 'OK');
  const spare = [await start('one'), await start('one')];
  const only = await start('two');
  for (const node of [...spare, only]) await hasRole(node, 'slave');
  only.server.signal('SIGKILL');
  const [goes] = spare.toSorted((first, second) => (first.id < second.id ? -1 : 1));
  assert.ok(goes);
  await goes.client.call('READONLY');
  await until(
    async () => textOf(await goes.client.reply('GET', 'a')) === 'of two',
    'the replica has the keys of the other primary',
    120_000,
  );
  const [stays] = spare.filter((node) => node !== goes);
  assert.match(
    textOf(await stays!.client.reply('CLUSTER', 'NODES')),
    new RegExp(`${stays!.id} .*myself,slave ${one.id}`),
  );
});

if (needs('etcd')) migration.run();
