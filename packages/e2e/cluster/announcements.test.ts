/** Announcements of nodes: addresses, names, and the places that clients are sent to, changed while nodes run. */
// test-tier: long

import { needs, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  sharedEtcd,
  type Coordinator,
  hasRole,
  startTrio,
  type PlayedNode,
} from './played-cluster.test-helper.ts';

const announcements = suite('announcements of nodes');

let etcd: Coordinator;
let first: PlayedNode;
let second: PlayedNode;
let replica: PlayedNode;

announcements.before(async () => {
  etcd = await sharedEtcd();
  [first, second, replica] = await startTrio(etcd);
});
announcements.after(async () => {
  await Promise.all([first, second, replica].map(({ server }) => server.stop()));
  await etcd.stop();
});

async function say({ client }: PlayedNode, ...words: readonly string[]): Promise<string> {
  return textOf(await client.reply(...words));
}

/** Sets a setting of a node; the reply is OK, or why not. */
function configure(node: PlayedNode, name: string, value: string): Promise<string> {
  return say(node, 'CONFIG', 'SET', name, value);
}

/** Line of CLUSTER NODES for a node, as another sees it. */
async function lineOf(node: PlayedNode, seenBy: PlayedNode): Promise<string> {
  const lines = (await say(seenBy, 'CLUSTER', 'NODES')).split('\n');
  return lines.find((line) => line.startsWith(node.id)) ?? '';
}

announcements('a port and a host name that are announced anew are seen by all', async () => {
  assert.is(await configure(first, 'cluster-announce-port', '7999'), 'OK');
  assert.match(await lineOf(first, first), / 127\.0\.0\.1:7999@0 /);
  await until(async () => / 127\.0\.0\.1:7999@0 /.test(await lineOf(first, second)), 'it is seen');
  assert.match(await say(second, 'GET', 'a'), /^MOVED 15495 127\.0\.0\.1:7999$/);
  assert.is(await configure(first, 'cluster-announce-port', '0'), 'OK');
  assert.is(await configure(first, 'cluster-announce-hostname', 'one.example'), 'OK');
  const place = `127.0.0.1:${first.server.port}@0,one.example`;
  await until(async () => (await lineOf(first, second)).includes(place), 'the name is seen');
  assert.is(await say(second, 'GET', 'a'), `MOVED 15495 127.0.0.1:${first.server.port}`);
});

announcements('names that no node may have are refused', async () => {
  const long = await configure(first, 'cluster-announce-hostname', 'x'.repeat(256));
  assert.match(long, /Hostnames must be less than 256 characters/);
  const odd = await configure(first, 'cluster-announce-hostname', '?.com');
  assert.match(odd, /Hostnames may only contain alphanumeric characters, hyphens or dots/);
  const name = await configure(first, 'cluster-announce-human-nodename', 'a#b');
  assert.match(name, /Announced human node name contained invalid character/);
  assert.is(await configure(first, 'cluster-announce-human-nodename', 'the first'), 'OK');
});

announcements('clients are sent to the kind of place that is preferred', async () => {
  const { port } = first.server;
  assert.is(await configure(second, 'cluster-preferred-endpoint-type', 'hostname'), 'OK');
  assert.is(await say(second, 'GET', 'a'), `MOVED 15495 one.example:${port}`);
  assert.is(await configure(second, 'cluster-preferred-endpoint-type', 'unknown-endpoint'), 'OK');
  assert.is(await say(second, 'GET', 'a'), `MOVED 15495 :${port}`);
  assert.match(await configure(second, 'cluster-preferred-endpoint-type', 'x'), /must be one of/);
  assert.is(await configure(second, 'cluster-preferred-endpoint-type', 'ip'), 'OK');
  assert.is(await configure(first, 'cluster-preferred-endpoint-type', 'hostname'), 'OK');
  assert.is(await configure(second, 'cluster-announce-hostname', 'two.example'), 'OK');
  await until(async () => (await lineOf(second, first)).includes('two.example'), 'it is seen');
  assert.is(await say(second, 'CLUSTER', 'SETSLOT', '15495', 'IMPORTING', first.id), 'OK');
  assert.is(await say(first, 'CLUSTER', 'SETSLOT', '15495', 'MIGRATING', second.id), 'OK');
  assert.is(await say(first, 'GET', 'a'), `ASK 15495 two.example:${second.server.port}`);
  assert.is(await say(first, 'CLUSTER', 'SETSLOT', '15495', 'STABLE'), 'OK');
  assert.is(await say(second, 'CLUSTER', 'SETSLOT', '15495', 'STABLE'), 'OK');
  assert.is(await configure(first, 'cluster-preferred-endpoint-type', 'ip'), 'OK');
});

/** All texts of a nested reply, in their order. */
function textsOf(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.flatMap(textsOf) : [textOf(reply as never)];
}

/** The zones in a reply, by the ids of their nodes; a zone is after the id of its node. */
function zonesIn(reply: unknown, ids: readonly string[]): ReadonlyMap<string, string> {
  const zones = new Map<string, string>();
  let id = '';
  const texts = textsOf(reply);
  for (const [at, text] of texts.entries()) {
    if (ids.includes(text)) id = text;
    if (text === 'availability-zone') zones.set(id, texts[at + 1]!);
  }
  return zones;
}

announcements(
  'availability zones are seen by all nodes and by clients, while nodes run',
  async () => {
    const nodes = [first, second, replica];
    const ids = nodes.map(({ id }) => id);
    const areSeen = async (wanted: readonly (readonly [string, string])[]): Promise<void> => {
      for (const { client } of nodes) {
        for (const what of ['SLOTS', 'SHARDS']) {
          await until(async () => {
            const zones = zonesIn(await client.call('CLUSTER', what), ids);
            return (
              wanted.length === zones.size && wanted.every(([id, zone]) => zones.get(id) === zone)
            );
          }, `the zones are in CLUSTER ${what}`);
        }
      }
    };
    await areSeen([]);
    assert.is(await configure(first, 'availability-zone', 'zone-a'), 'OK');
    assert.is(await configure(replica, 'availability-zone', 'zone b_1'), 'OK');
    await areSeen([
      [first.id, 'zone-a'],
      [replica.id, 'zone b_1'],
    ]);
    assert.is(await configure(first, 'availability-zone', 'zone-c'), 'OK');
    await areSeen([
      [first.id, 'zone-c'],
      [replica.id, 'zone b_1'],
    ]);
    const hello = textsOf(await first.client.call('HELLO'));
    assert.equal(hello.slice(-2), ['availability_zone', 'zone-c']);
    assert.match(await say(first, 'INFO', 'server'), /\r\navailability_zone:zone-c\r\n/);
    const refusal = await configure(first, 'availability-zone', 'a:b');
    assert.match(refusal, /Availability zone contained invalid character/);
    assert.is(await configure(first, 'availability-zone', ''), 'OK');
    assert.is(await configure(replica, 'availability-zone', ''), 'OK');
    await areSeen([]);
    assert.not.ok(textsOf(await first.client.call('HELLO')).includes('availability_zone'));
    assert.match(await say(first, 'INFO', 'server'), /\r\navailability_zone:\r\n/);
  },
);

announcements('every node has a link to each other, and one from it', async () => {
  const nodes = [first, second, replica];
  const linksOf = async ({ client }: PlayedNode): Promise<string[]> =>
    ((await client.call('CLUSTER', 'LINKS')) as unknown as unknown[][])
      .map((fields) => `${textOf(fields[1] as never)} ${textOf(fields[3] as never)}`)
      .sort();
  for (const node of nodes) {
    const others = nodes.filter((other) => other !== node);
    const wanted = others.flatMap(({ id }) => [`from ${id}`, `to ${id}`]).sort();
    await until(
      async () => JSON.stringify(await linksOf(node)) === JSON.stringify(wanted),
      'all links are there',
    );
  }
});

announcements('a transaction is refused with where its slot is', async () => {
  await say(first, 'MULTI');
  await say(first, 'SET', 'a', '1');
  await say(first, 'SET', 'b', '1');
  assert.match(await say(first, 'EXEC'), /^CROSSSLOT/);
  assert.is(await say(first, 'GET', 'a'), 'null');
});

announcements('a replica counts for readers, and serves shard channels to all', async () => {
  await say(first, 'PFADD', 'a', 'x');
  await until(async () => {
    await say(replica, 'READONLY');
    return (await say(replica, 'PFCOUNT', 'a')) === '1';
  }, 'the replica has the key');
  await say(replica, 'READWRITE');
  assert.match(await say(replica, 'PFCOUNT', 'a'), /^MOVED/);
  assert.is(await say(replica, 'SPUBLISH', 'a', 'x'), '0');
});

announcements("a replica behind another address takes its primary's place", async () => {
  assert.is(await configure(replica, 'cluster-announce-ip', '127.0.0.2'), 'OK');
  await until(async () => (await lineOf(replica, first)).includes('127.0.0.2:'), 'it is seen');
  assert.is(await say(replica, 'CLUSTER', 'FAILOVER'), 'OK');
  await hasRole(replica, 'master');
  assert.is(await configure(replica, 'cluster-announce-ip', ''), 'OK');
  await hasRole(first, 'slave');
});

announcements('a node that is gone can be forgotten by each of the others', async () => {
  assert.is(await say(first, 'CLUSTER', 'RESET', 'HARD'), 'OK');
  await until(async () => (await lineOf(first, second)) === '', 'it is gone');
  assert.is(await say(second, 'CLUSTER', 'FORGET', first.id), 'OK');
  assert.is(await say(replica, 'CLUSTER', 'FORGET', first.id), 'OK');
  assert.match(await say(second, 'CLUSTER', 'FORGET', 'f'.repeat(40)), /^ERR Unknown node/);
});

if (needs('etcd')) announcements.run();
