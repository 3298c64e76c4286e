/** A node whose settings lead it to an etcd of another cluster, or to its own that has lost everything. */
// test-tier: long

import { needs, ReplyError, type RespClient, settingArguments, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeptServer } from '../durability/kept-server.ts';
import { Etcd, hasPlace, startNode, type PlayedNode } from './played-cluster.test-helper.ts';

const other = suite('another coordinator');

const LEASE_MS = 6_000;
const KEYS = 50;

let kept: KeptServer;
const etcds: Etcd[] = [];
const nodes: PlayedNode[] = [];

other.before.each(() => {
  kept = new KeptServer();
});
other.after.each(async () => {
  await kept.remove();
  for (const { server } of nodes.splice(0)) await server.stop();
  for (const etcd of etcds.splice(0)) await etcd.stop();
});

async function newEtcd(): Promise<Etcd> {
  const etcd = await Etcd.start();
  etcds.push(etcd);
  return etcd;
}

function start({ endpoint }: Etcd): Promise<RespClient> {
  const settings = {
    'cluster.enabled': 'true',
    'cluster.group': 'first',
    'cluster.coordinator-endpoints': endpoint,
    'cluster.node-timeout-ms': LEASE_MS,
  };
  return kept.start({ shards: 2, args: settingArguments(settings) });
}

async function isRefused(client: RespClient, words: readonly string[], why: RegExp): Promise<void> {
  const reply = await client.reply(...words);
  assert.instance(reply, ReplyError);
  assert.match((reply as ReplyError).message, why);
}

/** A primary of all slots with keys of its own, which then ends. */
async function fillAndStop(etcd: Etcd): Promise<void> {
  const client = await start(etcd);
  await hasPlace(client);
  await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await until(
    async () => textOf(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok'),
    'the node serves slots',
  );
  for (let nth = 0; nth < KEYS; nth += 1) await client.call('SET', `key:${nth}`, `value:${nth}`);
  await kept.stop();
}

other('of another cluster: the node takes no part, tells why, and keeps its keys', async () => {
  await fillAndStop(await newEtcd());
  const etcd = await newEtcd();
  const stranger = await startNode(etcd, { group: 'first', leaseMs: LEASE_MS });
  nodes.push(stranger);
  const client = await start(etcd);
  await kept.reported(/the documents belong to another cluster \([0-9a-f]{40}\)/);
  assert.match(textOf(await client.call('CLUSTER', 'INFO')), /cluster_state:fail/);
  await isRefused(client, ['GET', 'key:1'], /^CLUSTERDOWN /);
  await isRefused(
    client,
    ['CLUSTER', 'RESET', 'HARD'],
    /can't be called with master nodes containing keys/,
  );
  assert.is(await client.call('DBSIZE'), KEYS);
  const known = textOf(await stranger.client.call('CLUSTER', 'NODES'))
    .trim()
    .split('\n');
  assert.is(known.length, 1);
});

other('of another cluster: who gives its keys up may join that', async () => {
  await fillAndStop(await newEtcd());
  const etcd = await newEtcd();
  const stranger = await startNode(etcd, { group: 'first', leaseMs: LEASE_MS });
  nodes.push(stranger);
  const client = await start(etcd);
  await kept.reported('the documents belong to another cluster');
  await client.call('FLUSHALL');
  assert.is(textOf(await client.call('CLUSTER', 'RESET', 'HARD')), 'OK');
  await hasPlace(client);
  await until(
    async () => textOf(await stranger.client.call('CLUSTER', 'NODES')).includes('slave'),
    'the node has joined',
  );
});

other('that has lost everything: nodes give it its identity back', async () => {
  const first = await newEtcd();
  await fillAndStop(first);
  const etcd = await newEtcd();
  const client = await start(etcd);
  await hasPlace(client);
  assert.is(await client.call('DBSIZE'), KEYS);
  assert.is(textOf(await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')), 'OK');
  await until(
    async () => textOf(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok'),
    'keys are served again',
  );
  assert.is(textOf(await client.call('GET', 'key:7')), 'value:7');
  // With the first etcd it works as before: it is the original cluster.
  await kept.stop();
  await hasPlace(await start(first));
});

if (needs('etcd')) other.run();
