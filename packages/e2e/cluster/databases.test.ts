/** Several databases on the nodes of a cluster: commands, moves of slots with the keys of all, and replicas. */
// test-tier: long

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Cluster } from 'ioredis';
import { needs, type RespClient, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  Etcd,
  hasRole,
  isWhole,
  startNode,
  type PlayedNode,
} from './played-cluster.test-helper.ts';

const databases = suite('databases in a cluster');

const COUNT = 4;
const WITH_DATABASES = ['--set', `cluster.databases=${COUNT}`];
/** Keys of each database. */
const KEYS = 2_000;
const AT_ONCE = 500;

let etcd: Etcd;
let source: PlayedNode;
let target: PlayedNode;
let folders: string[] = [];

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'svc-databases-'));
  folders.push(made);
  return made;
}

async function start(group: string, at = folder()): Promise<PlayedNode> {
  const node = await startNode(etcd, { group, folder: at, args: WITH_DATABASES });
  await node.client.call('CONFIG', 'SET', 'cluster-allow-replica-migration', 'no');
  return node;
}

databases.before.each(async () => {
  etcd = await Etcd.start();
  source = await start('one');
  target = await start('two');
  await source.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await isWhole(source);
  await isWhole(target);
});
databases.after.each(async () => {
  await Promise.all([source.server.stop(), target.server.stop()]);
  await etcd.stop();
  for (const made of folders) rmSync(made, { recursive: true, force: true });
  folders = [];
});

async function says({ client }: PlayedNode, ...words: readonly string[]): Promise<string> {
  return textOf(await client.reply(...words));
}

async function sizes(node: PlayedNode): Promise<readonly number[]> {
  const all: number[] = [];
  for (let database = 0; database < COUNT; database += 1) {
    await node.client.call('SELECT', String(database));
    all.push(Number(await says(node, 'DBSIZE')));
  }
  await node.client.call('SELECT', '0');
  return all;
}

/** Sets the same keys in all databases, each with the number of its database. */
async function fill(client: RespClient): Promise<void> {
  for (let database = 0; database < COUNT; database += 1) {
    await client.call('SELECT', String(database));
    for (let nth = 0; nth < KEYS; nth += AT_ONCE) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, more) =>
          client.call('SET', `key ${nth + more}`, `${database} ${nth + more}`),
        ),
      );
    }
  }
  await client.call('SELECT', '0');
}

/** Every key is in every database, on the node that serves its slot. */
async function hasAll(): Promise<void> {
  for (let database = 0; database < COUNT; database += 1) {
    const client = await ioredis(database);
    for (let nth = 0; nth < KEYS; nth += AT_ONCE) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, more) => {
          const key = `key ${nth + more}`;
          assert.is(await client.get(key), `${database} ${nth + more}`, `${key} in ${database}`);
        }),
      );
    }
    client.disconnect();
  }
}

/** A client whose connections have selected a database. */
async function ioredis(database: number): Promise<Cluster> {
  const places = [source, target].map(({ server }) => ({ host: '127.0.0.1', port: server.port }));
  const client = new Cluster(places, {
    slotsRefreshTimeout: 20_000,
    redisOptions: { db: database },
  });
  client.on('error', () => undefined);
  await until(() => client.status === 'ready', 'the client is ready');
  return client;
}

async function countsAre(sum: number): Promise<void> {
  await until(async () => {
    const [ours, theirs] = [await sizes(source), await sizes(target)];
    return ours.every((count, database) => count + theirs[database]! === sum);
  }, 'each key is counted once in each database');
}

async function isClean(): Promise<void> {
  await until(
    async () => (await says(source, 'CLUSTER', 'INFO')).includes('cluster_slot_migrations:0'),
    'nothing is left to do',
  );
}

async function stateOf({ client }: PlayedNode, id: string): Promise<string> {
  const [task] = (await client.call('CLUSTER', 'MIGRATION', 'STATUS', 'ID', id)) as unknown[][];
  return textOf((task ?? [])[11] as never);
}

async function isUnderWay(id: string): Promise<void> {
  await until(
    async () => /accumulate|streaming|completed/.test(await stateOf(target, id)),
    'keys come',
  );
}

databases('commands reach the selected database', async () => {
  const { client } = source;
  await client.call('SELECT', '3');
  await client.call('MSET', '{x}1', 'a', '{x}2', 'b');
  const slot = await says(source, 'CLUSTER', 'KEYSLOT', 'x');
  assert.is(await says(source, 'CLUSTER', 'COUNTKEYSINSLOT', slot), '2');
  assert.is(((await client.call('CLUSTER', 'GETKEYSINSLOT', slot, '9')) as unknown[]).length, 2);
  assert.is(await says(source, 'MOVE', '{x}1', '1'), '1');
  assert.is(await says(source, 'COPY', '{x}2', '{x}3', 'DB', '1'), '1');
  assert.is(await says(source, 'CLUSTER', 'COUNTKEYSINSLOT', slot), '1');
  assert.equal(await sizes(source), [0, 2, 0, 1]);
  // Of all databases.
  const [[, statistics]] = (await client.call(
    ...['CLUSTER', 'SLOT-STATS', 'SLOTSRANGE', slot, slot],
  )) as [[unknown, unknown[]]];
  assert.equal([textOf(statistics[0] as never), statistics[1]], ['key-count', 3]);
  assert.match(await says(source, 'INFO', 'keyspace'), /db1:keys=2,[^]*db3:keys=1,/);
  assert.is(await says(source, 'SELECT', String(COUNT)), 'ERR DB index is out of range');
  assert.is(await says(source, 'SWAPDB', '0', '1'), 'ERR SWAPDB is not allowed in cluster mode');
  const script = "redis.call('SELECT', 1) return redis.call('GET', KEYS[1])";
  assert.is(await says(source, 'EVAL', script, '1', '{x}1'), 'a');
  assert.match(
    await says(source, 'EVAL', "return redis.call('SWAPDB', 0, 1)", '0'),
    /SWAPDB is not allowed in cluster mode/,
  );
  for (const words of [['MULTI'], ['SELECT', '1'], ['DEL', '{x}1'], ['SELECT', '0']]) {
    await client.call(...words);
  }
  assert.equal(((await client.call('EXEC')) as unknown[])[1], 1);
  assert.match(await says(source, 'CLUSTER', 'FLUSHSLOTS'), /^ERR DB must be empty/);
  await client.call('SELECT', '1');
  await client.call('FLUSHDB');
  assert.equal(await sizes(source), [0, 0, 0, 1]);
});

databases('a node has one database unless it is told otherwise', async () => {
  const other = await startNode(etcd, { group: 'three' });
  try {
    assert.is(await says(other, 'SELECT', '1'), 'ERR SELECT is not allowed in cluster mode');
    assert.is(await says(other, 'MOVE', 'a', '1'), 'ERR MOVE is not allowed in cluster mode');
    const [, number] = (await other.client.call('CONFIG', 'GET', 'cluster-databases')) as unknown[];
    assert.is(textOf(number as never), '1');
    assert.match(
      await says(other, 'EVAL', "return redis.call('SELECT', 1)", '0'),
      /DB index is out of range/,
    );
  } finally {
    await other.server.stop();
  }
});

databases('slots move with the keys of all databases, under writes', async () => {
  await fill(source.client);
  const replica = await start('two');
  await hasRole(replica, 'slave');
  const writing = { isOver: false };
  const counts = Array.from({ length: COUNT }, () => 0);
  const writers = counts.map(async (_, database) => {
    const client = await ioredis(database);
    while (!writing.isOver) counts[database] = await client.incr('counter');
    assert.is(await client.get('counter'), String(counts[database]), `in ${database}`);
    client.disconnect();
  });
  // Writes that go from one database to another.
  const mover = (async () => {
    const [first, second] = [await ioredis(0), await ioredis(1)];
    await first.set('traveller', 'here');
    while (!writing.isOver) {
      assert.is(await first.call('MOVE', 'traveller', '1'), 1);
      assert.is(await second.call('MOVE', 'traveller', '0'), 1);
    }
    first.disconnect();
    second.disconnect();
  })();
  await until(() => counts.every((count) => count > 0), 'all counters are written');
  const id = await says(target, 'CLUSTER', 'MIGRATION', 'IMPORT', '0', '8191');
  await until(async () => {
    const state = await stateOf(source, id);
    assert.is.not(state, 'failed');
    return state === 'completed';
  }, 'the move ends');
  // What the source has dropped does not come in the way of a move back.
  await isClean();
  const back = await says(target, 'CLUSTER', 'MIGRATE-SLOTS', '0-99', 'TO', source.id);
  await until(async () => (await stateOf(target, back)) === 'completed', 'some come back');
  const before = [...counts];
  await until(() => counts.every((count, nth) => count > before[nth]!), 'writes go on');
  writing.isOver = true;
  await Promise.all([...writers, mover]);
  await isClean();
  await hasAll();
  await until(async () => {
    const [ours, theirs] = [await sizes(source), await sizes(target)];
    const sums = ours.map((count, database) => count + theirs[database]!);
    return sums.every((sum, database) => sum === KEYS + (database === 0 ? 2 : 1));
  }, 'each key is counted once in each database');
  await until(
    async () => (await sizes(replica)).join(' ') === (await sizes(target)).join(' '),
    'the replica has all keys',
  );
  await replica.server.stop();
});

for (const killed of ['source', 'target'] as const) {
  databases(`no key is lost where the ${killed} is killed`, async () => {
    await fill(source.client);
    const id = await says(target, 'CLUSTER', 'MIGRATION', 'IMPORT', '0', '8191');
    await isUnderWay(id);
    const { server } = killed === 'source' ? source : target;
    server.signal('SIGKILL');
    await server.ended;
    if (killed === 'source') source = await start('one', server.folder);
    else target = await start('two', server.folder);
    await isWhole(source);
    await isClean();
    await countsAre(KEYS);
    await hasAll();
    // Nothing is in the way of another try.
    const again = await says(target, 'CLUSTER', 'MIGRATION', 'IMPORT', '8192', '8200');
    await until(async () => (await stateOf(target, again)) === 'completed', 'the move ends');
    await isClean();
    await countsAre(KEYS);
  });
}

databases('a slot that moves key by key moves with each database', async () => {
  const { client } = source;
  const slot = await says(source, 'CLUSTER', 'KEYSLOT', 'x');
  await client.call('SET', '{x}1', 'a');
  await client.call('SELECT', '2');
  await client.call('SET', '{x}1', 'b');
  await client.call('SELECT', '0');
  assert.is(await says(target, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id), 'OK');
  assert.is(await says(source, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id), 'OK');
  assert.match(await says(source, 'MOVE', '{x}1', '1'), /^TRYAGAIN/);
  assert.match(await says(source, 'COPY', '{x}1', '{x}2', 'DB', '1'), /^TRYAGAIN/);
  const to = ['127.0.0.1', String(target.server.port), '{x}1'];
  assert.is(await says(source, 'MIGRATE', ...to, '0', '5000'), 'OK');
  const refusal = /while I still hold keys for this hash slot/;
  assert.match(await says(source, 'CLUSTER', 'SETSLOT', slot, 'NODE', target.id), refusal);
  await client.call('SELECT', '2');
  assert.is(await says(source, 'MIGRATE', ...to, '2', '5000'), 'OK');
  for (const node of [target, source]) {
    assert.is(await says(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', target.id), 'OK');
  }
  assert.is(await says(target, 'GET', '{x}1'), 'a');
  await target.client.call('SELECT', '2');
  assert.is(await says(target, 'GET', '{x}1'), 'b');
});

databases('keys of a database that is gone keep the node from starting', async () => {
  await source.client.call('SELECT', '3');
  await source.client.call('SET', 'a', '1');
  await source.server.stop();
  let problem = '';
  try {
    const node = await startNode(etcd, { group: 'one', folder: source.server.folder });
    await node.server.stop();
  } catch (error) {
    problem = (error as Error).message;
  }
  assert.match(problem, /cluster\.databases/);
  source = await start('one', source.server.folder);
  await isWhole(source);
  assert.equal(await sizes(source), [0, 0, 0, 1]);
});

if (needs('etcd')) databases.run();
