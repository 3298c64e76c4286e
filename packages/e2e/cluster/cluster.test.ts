/** A cluster of real servers and a real etcd: made, used and changed by Redis' own tool and by libraries. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
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

const run = promisify(execFile);
const cluster = suite('cluster');

const KEYS = 300;

let etcd: Coordinator;
let nodes: PlayedNode[] = [];

async function tool(...args: readonly string[]): Promise<string> {
  try {
    return (await run('redis-cli', ['--cluster', ...args], { timeout: 120_000 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`redis-cli --cluster ${args.join(' ')}: ${stdout.slice(-2_000)}${stderr}`, {
      cause: error,
    });
  }
}

const placeOf = ({ server }: PlayedNode): string => `127.0.0.1:${server.port}`;

function nodeAt(index: number): PlayedNode {
  const node = nodes[index];
  assert.ok(node);
  return node;
}

async function ofNode(index: number, ...words: readonly string[]): Promise<string> {
  return textOf(await nodeAt(index).client.reply(...words));
}

async function ioredis(): Promise<Cluster> {
  const places = nodes.map(({ server }) => ({ host: '127.0.0.1', port: server.port }));
  const client = new Cluster(places, { slotsRefreshTimeout: 20_000 });
  await until(() => client.status === 'ready', 'the client is ready');
  return client;
}

async function hasAll(client: Cluster): Promise<void> {
  for (let nth = 0; nth < KEYS; nth += 1) {
    assert.is(await client.get(`key ${nth}`), `value ${nth}`);
  }
}

cluster.before(async () => {
  etcd = await sharedEtcd();
  nodes = await Promise.all([startNode(etcd), startNode(etcd), startNode(etcd), startNode(etcd)]);
});
cluster.after(async () => {
  await Promise.all(nodes.map(({ server }) => server.stop()));
  await etcd.stop();
});

cluster('nodes alone serve nothing, and know nobody', async () => {
  assert.match(await ofNode(0, 'SET', 'a', '1'), /^CLUSTERDOWN Hash slot not served/);
  assert.match(await ofNode(0, 'CLUSTER', 'INFO'), /cluster_known_nodes:1\r\n/);
});

cluster('redis-cli makes a cluster of them', async () => {
  const [a, b, c, d] = nodes.map(placeOf) as [string, string, string, string];
  await tool('create', a, b, c, '--cluster-yes');
  for (const node of nodes.slice(0, 3)) await isWhole(node);
  const id = await ofNode(2, 'CLUSTER', 'MYID');
  await tool('add-node', d, a, '--cluster-slave', '--cluster-master-id', id);
  await hasRole(nodeAt(3), 'slave');
  assert.match(await tool('check', a), /All 16384 slots covered/);
  assert.match(await tool('call', a, 'PING'), /PONG/);
});

cluster('libraries find every key', async () => {
  const client = await ioredis();
  for (let nth = 0; nth < KEYS; nth += 1) await client.set(`key ${nth}`, `value ${nth}`);
  await hasAll(client);
  client.disconnect();
  const rootNodes = [{ url: `redis://${placeOf(nodeAt(0))}` }];
  const other = createCluster({ rootNodes });
  await other.connect();
  assert.is(await other.get('key 7'), 'value 7');
  await other.close();
});

cluster('a wrong node sends clients on, and keys of several slots are refused', async () => {
  // Slot 15495 is the third node's.
  assert.is(await ofNode(0, 'GET', 'a'), `MOVED 15495 ${placeOf(nodeAt(2))}`);
  assert.match(await ofNode(0, 'MGET', 'a', 'b'), /^CROSSSLOT/);
  assert.is(await ofNode(3, 'GET', 'a'), `MOVED 15495 ${placeOf(nodeAt(2))}`);
  await ofNode(3, 'READONLY');
  assert.is(await ofNode(3, 'GET', 'a'), 'null');
  await ofNode(3, 'READWRITE');
});

cluster('a transaction with keys elsewhere is not run', async () => {
  assert.is(await ofNode(0, 'MULTI'), 'OK');
  assert.match(await ofNode(0, 'SET', 'a', '1'), /^MOVED/);
  assert.match(await ofNode(0, 'EXEC'), /^EXECABORT/);
});

cluster('redis-cli moves slots, and every key is in one place', async () => {
  const client = await ioredis();
  const [from, to] = [nodeAt(0).id, nodeAt(1).id];
  const options = ['--cluster-from', from, '--cluster-to', to, '--cluster-slots', '60'];
  await tool('reshard', placeOf(nodeAt(0)), ...options, '--cluster-yes');
  await hasAll(client);
  client.disconnect();
  let total = 0;
  for (const { client: direct } of nodes.slice(0, 3)) total += Number(await direct.call('DBSIZE'));
  assert.is(total, KEYS);
  assert.match(await tool('check', placeOf(nodeAt(2))), /All 16384 slots covered/);
});

cluster('a slot on its way: keys that are gone are asked for at the target', async () => {
  const [source, target] = [nodeAt(2), nodeAt(0)];
  const slot = '15495';
  await source.client.call('SET', 'a', 'here');
  assert.is(await ofNode(0, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id), 'OK');
  assert.is(await ofNode(2, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id), 'OK');
  assert.is(await ofNode(2, 'GET', 'a'), 'here');
  assert.is(await ofNode(2, 'GET', '{a}2'), `ASK 15495 ${placeOf(target)}`);
  assert.match(await ofNode(2, 'MGET', 'a', '{a}2'), /^TRYAGAIN/);
  assert.match(await ofNode(0, 'SET', '{a}2', 'x'), /^MOVED/);
  assert.is(await ofNode(0, 'ASKING'), 'OK');
  assert.is(await ofNode(0, 'SET', '{a}2', 'there'), 'OK');
  assert.match(await ofNode(2, 'CLUSTER', 'SETSLOT', slot, 'NODE', target.id), /still hold keys/);
  const port = String(target.server.port);
  assert.is(await ofNode(2, 'MIGRATE', '127.0.0.1', port, 'a', '0', '10000'), 'OK');
  assert.is(await ofNode(0, 'CLUSTER', 'SETSLOT', slot, 'NODE', target.id), 'OK');
  assert.is(await ofNode(2, 'CLUSTER', 'SETSLOT', slot, 'NODE', target.id), 'OK');
  assert.is(await ofNode(0, 'GET', 'a'), 'here');
  assert.is(await ofNode(0, 'GET', '{a}2'), 'there');
  assert.is(await ofNode(2, 'GET', 'a'), `MOVED 15495 ${placeOf(target)}`);
  await target.client.call('DEL', 'a', '{a}2');
});

cluster('a replica takes over when it is asked to, and nothing is lost', async () => {
  const client = await ioredis();
  assert.is(
    await ofNode(2, 'CLUSTER', 'FAILOVER'),
    'You should send CLUSTER FAILOVER to a replica'.replace(/^/, 'ERR '),
  );
  assert.is(await ofNode(3, 'CLUSTER', 'FAILOVER'), 'OK');
  await hasRole(nodeAt(3), 'master');
  await hasRole(nodeAt(2), 'slave');
  await hasAll(client);
  client.disconnect();
});

cluster('a node without slots leaves', async () => {
  const id = nodeAt(2).id;
  await tool('del-node', placeOf(nodeAt(0)), id);
  await until(
    async () => !(await ofNode(0, 'CLUSTER', 'NODES')).includes(id),
    'the node is forgotten',
  );
  assert.match(await ofNode(2, 'CLUSTER', 'INFO'), /cluster_known_nodes:1\r\n/);
  await until(async () => (await ofNode(2, 'DBSIZE')) === '0', 'a replica that leaves has nothing');
});

if (needs('etcd') && needs('redis-cli')) cluster.run();
