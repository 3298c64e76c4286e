/** Slots that are handed over as a whole, under writes and with either side killed: no key is lost, or there twice. */
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

const moves = suite('moves of slots');

const KEYS = 12_000;
/** Keys where a side is killed, and the like. */
const FEW_KEYS = 5_000;
/** Commands that are on their way at once. */
const AT_ONCE = 1_000;
const HALF = '0-8191';

let etcd: Etcd;
let source: PlayedNode;
let target: PlayedNode;
let folders: string[] = [];

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'svc-move-'));
  folders.push(made);
  return made;
}

moves.before.each(async () => {
  etcd = await Etcd.start();
  source = await startNode(etcd, { group: 'one', folder: folder() });
  target = await startNode(etcd, { group: 'two', folder: folder() });
  // Each of the two has all slots or none at times, and stays what it is.
  for (const { client } of [source, target]) {
    await client.call('CONFIG', 'SET', 'cluster-allow-replica-migration', 'no');
  }
  await source.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await isWhole(source);
  await isWhole(target);
});
moves.after.each(async () => {
  etcd.signal('SIGCONT');
  await Promise.all([source.server.stop(), target.server.stop()]);
  await etcd.stop();
  for (const made of folders) rmSync(made, { recursive: true, force: true });
  folders = [];
});

async function says({ client }: PlayedNode, ...words: readonly string[]): Promise<string> {
  return textOf(await client.reply(...words));
}

/** Commands that create a key of one of six types, the command that reads it, and the expected value. */
function keyOf(nth: number): { make: string[][]; look: string[]; value: unknown } {
  const key = `key ${nth}`;
  const text = String(nth);
  switch (nth % 6) {
    case 0:
      return { make: [['SET', key, text]], look: ['GET', key], value: text };
    case 1:
      return {
        make: [['RPUSH', key, text, 'b', 'c']],
        look: ['LRANGE', key, '0', '-1'],
        value: [text, 'b', 'c'],
      };
    case 2:
      return {
        make: [['HSET', key, 'field', text]],
        look: ['HGETALL', key],
        value: ['field', text],
      };
    case 3:
      return { make: [['SADD', key, text]], look: ['SMEMBERS', key], value: [text] };
    case 4:
      return {
        make: [['ZADD', key, text, 'member']],
        look: ['ZSCORE', key, 'member'],
        value: text,
      };
    default:
      return {
        make: [['XADD', key, '1-1', 'field', text]],
        look: ['XRANGE', key, '-', '+'],
        value: [['1-1', ['field', text]]],
      };
  }
}

const END_MS = 4_000_000_000_000;
const hasEnd = (nth: number): boolean => nth % 5 === 0;

async function inSteps(count: number, step: (nth: number) => Promise<unknown>): Promise<void> {
  for (let nth = 0; nth < count; nth += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - nth);
    await Promise.all(Array.from({ length }, (_, more) => step(nth + more)));
  }
}

async function fill(client: RespClient, count = FEW_KEYS): Promise<void> {
  await inSteps(count, async (nth) => {
    for (const command of keyOf(nth).make) await client.call(...command);
    if (hasEnd(nth)) await client.call('PEXPIREAT', `key ${nth}`, String(END_MS));
  });
}

async function ioredis(): Promise<Cluster> {
  const places = [source, target].map(({ server }) => ({ host: '127.0.0.1', port: server.port }));
  const client = new Cluster(places, { slotsRefreshTimeout: 20_000 });
  client.on('error', () => undefined);
  await until(() => client.status === 'ready', 'the client is ready');
  return client;
}

/** Every key is there with its value, its type and its end. */
async function hasAll(client: Cluster, count = FEW_KEYS): Promise<void> {
  await inSteps(count, async (nth) => {
    const { look, value } = keyOf(nth);
    const [name = '', ...rest] = look;
    assert.equal(await client.call(name, ...rest), value, look.join(' '));
    const endMs = await client.call('PEXPIRETIME', `key ${nth}`);
    assert.is(endMs, hasEnd(nth) ? END_MS : -1, `the end of key ${nth}`);
  });
}

/** Counts of keys on both nodes come to a sum. */
async function countsAre(sum: number): Promise<void> {
  await until(async () => {
    const counts = [await says(source, 'DBSIZE'), await says(target, 'DBSIZE')].map(Number);
    return counts[0]! + counts[1]! === sum;
  }, 'each key is counted once');
}

type Fields = Readonly<Record<string, string>>;

/** The migrations that a node reports. */
async function movesOf({ client }: PlayedNode): Promise<readonly Fields[]> {
  const reply = (await client.call('CLUSTER', 'GETSLOTMIGRATIONS')) as unknown[][];
  return reply.map((fields) => {
    const pairs: [string, string][] = [];
    for (let at = 0; at < fields.length; at += 2) {
      pairs.push([textOf(fields[at] as never), textOf(fields[at + 1] as never)]);
    }
    return Object.fromEntries(pairs);
  });
}

async function moveOf(node: PlayedNode, id: string): Promise<Fields> {
  return (await movesOf(node)).find(({ name }) => name === id) ?? {};
}

async function ends(node: PlayedNode, id: string): Promise<Fields> {
  let move: Fields = {};
  await until(async () => {
    move = await moveOf(node, id);
    return /^(success|failed|cancelled)$/.test(move['state'] ?? '');
  }, 'the move ends');
  return move;
}

async function succeeds(node: PlayedNode, id: string): Promise<void> {
  const { state, message } = await ends(node, id);
  assert.equal([state, message], ['success', '']);
}

/** Waits until keys have come to the target. */
async function isUnderWay(id: string): Promise<void> {
  await until(async () => {
    const { state, message } = await moveOf(source, id);
    assert.is.not(state, 'failed', message);
    return Number((await moveOf(target, id))['keys'] ?? 0) > 0;
  }, 'keys come');
}

/** Nothing is left of any move with the coordinator: what had to be dropped was. */
async function isClean(): Promise<void> {
  await until(async () => {
    // Begins where nothing is in the way, and is cancelled then.
    const answer = await says(source, 'CLUSTER', 'INFO');
    return answer.includes('cluster_slot_migrations:0');
  }, 'nothing is left to do');
}

moves('slots move with their keys under writes', async () => {
  await fill(source.client, KEYS);
  const client = await ioredis();
  const counters = Array.from({ length: 50 }, () => 0);
  let isOver = false;
  const writers = counters.map(async (_, nth) => {
    while (!isOver) counters[nth] = await client.incr(`counter ${nth}`);
  });
  await until(() => counters.every((count) => count > 0), 'all counters are written');
  await source.client.call('SET', 'ends soon', '1', 'PX', '100');
  const id = await says(
    source,
    'CLUSTER',
    'MIGRATE-SLOTS',
    '0',
    '4095',
    '4096-8191',
    'TO',
    target.id,
  );
  assert.match(id, /^[0-9a-f]{40}$/);
  // Nothing of it is to be seen before the slots are the target's.
  for (let isSeen = false; !isSeen;) {
    const size = await says(target, 'DBSIZE');
    const keys = await says(target, 'RANDOMKEY');
    const owned = (await moveOf(target, id))['state'] === 'success';
    if (owned) isSeen = true;
    else assert.equal([size, keys], ['0', 'null'], 'the target counts nothing');
    if ((await moveOf(source, id))['state'] === 'failed') break;
  }
  const move = await ends(source, id);
  assert.equal([move['state'], move['message'], move['slot_ranges']], ['success', '', HALF]);
  assert.ok(Number(move['keys']) > KEYS / 3, move['keys']);
  assert.ok(Number(move['bytes']) > 0);
  const before = [...counters];
  await until(() => counters.every((count, nth) => count > before[nth]!), 'writes go on');
  isOver = true;
  await Promise.all(writers);
  await hasAll(client, KEYS);
  for (const [nth, count] of counters.entries()) {
    assert.is(await client.get(`counter ${nth}`), String(count), `counter ${nth}`);
  }
  await until(async () => (await client.get('ends soon')) === null, 'the key has ended');
  await isClean();
  await countsAre(KEYS + counters.length);
  assert.ok(Number(await says(target, 'DBSIZE')) > KEYS / 3);
  // And back, with what was written there.
  const back = await says(target, 'CLUSTER', 'MIGRATE-SLOTS', HALF, 'TO', source.id);
  await succeeds(target, back);
  await hasAll(client, KEYS);
  await countsAre(KEYS + counters.length);
  await until(
    async () => (await says(target, 'DBSIZE')) === '0',
    'the target has dropped its keys',
  );
  client.disconnect();
});

/** A node again, with its data. */
async function again({ server }: PlayedNode, group: string): Promise<PlayedNode> {
  server.signal('SIGKILL');
  await server.ended;
  const node = await startNode(etcd, { group, folder: server.folder });
  await node.client.call('CONFIG', 'SET', 'cluster-allow-replica-migration', 'no');
  return node;
}

moves('no key is lost where the source is killed', async () => {
  await fill(source.client);
  const id = await says(source, 'CLUSTER', 'MIGRATE-SLOTS', HALF, 'TO', target.id);
  await isUnderWay(id);
  source = await again(source, 'one');
  await isWhole(source);
  await isClean();
  await countsAre(FEW_KEYS);
  const client = await ioredis();
  await hasAll(client);
  client.disconnect();
});

moves('no key is lost where the target is killed', async () => {
  await fill(source.client);
  const id = await says(source, 'CLUSTER', 'MIGRATE-SLOTS', HALF, 'TO', target.id);
  await isUnderWay(id);
  target = await again(target, 'two');
  await isWhole(target);
  await isClean();
  await countsAre(FEW_KEYS);
  const client = await ioredis();
  await hasAll(client);
  client.disconnect();
  // What was dropped is not in the way.
  const move = await says(source, 'CLUSTER', 'MIGRATE-SLOTS', '8192', '8193', 'TO', target.id);
  await succeeds(source, move);
});

moves('no key is lost where etcd is away meanwhile', async () => {
  await fill(source.client);
  const id = await says(source, 'CLUSTER', 'MIGRATE-SLOTS', HALF, 'TO', target.id);
  await isUnderWay(id);
  etcd.signal('SIGSTOP');
  await until(async () => {
    const { state } = await moveOf(source, id);
    return state !== 'connecting' && state !== 'snapshotting';
  }, 'the target has its snapshot');
  etcd.signal('SIGCONT');
  await ends(source, id);
  await isClean();
  const client = await ioredis();
  await hasAll(client);
  await countsAre(FEW_KEYS);
  client.disconnect();
});

moves('a move that is cancelled leaves the slots where they are', async () => {
  await fill(source.client);
  const id = await says(source, 'CLUSTER', 'MIGRATE-SLOTS', HALF, 'TO', target.id);
  assert.is(await says(source, 'CLUSTER', 'CANCELSLOTMIGRATIONS'), 'OK');
  assert.equal((await ends(source, id))['state'], 'cancelled');
  await isClean();
  assert.is(await says(source, 'DBSIZE'), String(FEW_KEYS));
  assert.is(await says(target, 'DBSIZE'), '0');
  const client = await ioredis();
  await hasAll(client);
  client.disconnect();
});

moves('MIGRATESLOTS of Valkey begins several moves, all or none', async () => {
  const third = await startNode(etcd, { group: 'three', folder: folder() });
  try {
    await third.client.call('CONFIG', 'SET', 'cluster-allow-replica-migration', 'no');
    await isWhole(third);
    await fill(source.client);
    const migrate = ['CLUSTER', 'MIGRATESLOTS', 'SLOTSRANGE', '0', '4095', '16383', '16383'];
    const first = [...migrate, 'NODE', target.id, 'SLOTSRANGE', '4096', '8191', 'NODE'];
    assert.match(await says(source, ...first, 'nobody'), /don't know about node nobody/);
    assert.equal(await movesOf(source), []);
    assert.is(await says(source, 'CLUSTER', 'CANCELSLOTMIGRATIONS'), 'ERR No migrations ongoing');
    assert.is(await says(source, ...first, third.id), 'OK');
    await until(async () => {
      const states = (await movesOf(source)).map(({ state }) => state);
      return states.join() === 'success,success';
    }, 'both moves have ended');
    const targets = (await movesOf(source)).map(({ target_node, slot_ranges }) => [
      target_node,
      slot_ranges,
    ]);
    assert.equal(targets, [
      [target.id, '0-4095 16383-16383'],
      [third.id, '4096-8191'],
    ]);
    const client = await ioredis();
    await hasAll(client);
    client.disconnect();
  } finally {
    await third.server.stop();
  }
});

moves('replicas of the target have the keys as well', async () => {
  const replica = await startNode(etcd, { group: 'two' });
  try {
    await hasRole(replica, 'slave');
    await fill(source.client);
    const id = await says(source, 'CLUSTER', 'MIGRATE-SLOTS', HALF, 'TO', target.id);
    await succeeds(source, id);
    const { client } = replica;
    await client.call('READONLY');
    const size = await says(target, 'DBSIZE');
    await until(async () => (await says(replica, 'DBSIZE')) === size, 'the replica has all keys');
    // The slots came with the transaction, and the replica knows of them.
    const found = textOf(await client.reply('RANDOMKEY'));
    const nth = Number(found.slice('key '.length));
    assert.equal(textsOf(await client.call(...keyOf(nth).look)), keyOf(nth).value);
  } finally {
    await replica.server.stop();
  }
});

/** The fields of a migration as CLUSTER MIGRATION STATUS has them. */
async function taskOf({ client }: PlayedNode, id: string): Promise<Fields> {
  const [fields = []] = (await client.call(
    ...['CLUSTER', 'MIGRATION', 'STATUS', 'ID', id],
  )) as unknown[][];
  return Object.fromEntries(
    fields.flatMap((name, at) =>
      at % 2 === 0 ? [[textOf(name as never), textOf(fields[at + 1] as never)]] : [],
    ),
  );
}

moves('the target takes slots, and both spellings know the move', async () => {
  await fill(source.client);
  const id = await says(target, 'CLUSTER', 'MIGRATION', 'IMPORT', '0', '4095', '4096', '8191');
  assert.match(id, /^[0-9a-f]{40}$/);
  const begun = await taskOf(target, id);
  assert.equal([begun['id'], begun['operation'], begun['slots']], [id, 'import', HALF]);
  assert.equal([begun['source'], begun['dest']], [source.id, target.id]);
  assert.equal(begun['end_time'], '-1');
  await succeeds(source, id);
  await succeeds(target, id);
  const [given, taken] = [await taskOf(source, id), await taskOf(target, id)];
  assert.equal([given['operation'], given['state']], ['migrate', 'completed']);
  assert.equal([taken['operation'], taken['state']], ['import', 'completed']);
  assert.ok(Number(given['write_pause_ms']) > 0);
  assert.is(taken['write_pause_ms'], '0');
  for (const { create_time, start_time, end_time } of [given, taken] as never[]) {
    assert.ok(Number(create_time) <= Number(start_time));
    assert.ok(Number(start_time) <= Number(end_time));
  }
  const client = await ioredis();
  await hasAll(client);
  client.disconnect();
  await isClean();
  await countsAre(FEW_KEYS);
  assert.is(await says(target, 'CLUSTER', 'MIGRATION', 'CANCEL', 'ID', id), '0');
  assert.match(
    await says(source, 'CLUSTER', 'MIGRATION', 'IMPORT', '8000', '8200'),
    /slots belong to different source nodes/,
  );
});

moves('the target cancels what it takes, by id', async () => {
  await fill(source.client);
  const id = await says(target, 'CLUSTER', 'MIGRATION', 'IMPORT', '0', '8191');
  assert.is(await says(target, 'CLUSTER', 'MIGRATION', 'CANCEL', 'ID', 'unknown'), '0');
  assert.is(await says(target, 'CLUSTER', 'MIGRATION', 'CANCEL', 'ID', id), '1');
  await isClean();
  assert.is((await taskOf(target, id))['state'], 'canceled');
  // The source may have never seen it.
  assert.is((await moveOf(source, id))['state'] ?? 'cancelled', 'cancelled');
  assert.is(await says(source, 'DBSIZE'), String(FEW_KEYS));
  assert.is(await says(target, 'DBSIZE'), '0');
});

moves('no key is lost where the source of an import is killed', async () => {
  await fill(source.client);
  const id = await says(target, 'CLUSTER', 'MIGRATION', 'IMPORT', '0', '8191');
  await isUnderWay(id);
  source = await again(source, 'one');
  await isWhole(source);
  await isClean();
  await countsAre(FEW_KEYS);
  const client = await ioredis();
  await hasAll(client);
  client.disconnect();
  assert.match((await taskOf(target, id))['state'] ?? '', /^(failed|completed)$/);
});

function textsOf(reply: unknown): unknown {
  return Array.isArray(reply) ? reply.map(textsOf) : textOf(reply as never);
}

moves('what cannot be moved is refused with the reason', async () => {
  const replica = await startNode(etcd, { group: 'two' });
  await hasRole(replica, 'slave');
  const refused: readonly (readonly [node: PlayedNode, words: readonly string[], error: RegExp])[] =
    [
      [target, ['1', '2', 'TO', source.id], /not the owner of hash slot 1/],
      [source, ['1', '2', 'TO', 'nobody'], /don't know about node nobody/],
      [source, ['1', '2', 'TO', replica.id], /Target node is not a master/],
      [replica, ['1', '2', 'TO', source.id], /only on masters/],
      [source, ['1', '2', 'TO', source.id], /has the slots already/],
      [source, ['1', '5', '3-9', 'TO', target.id], /Slot 3 specified multiple times/],
      [source, ['5', '1', 'TO', target.id], /greater than end slot/],
      [source, ['1', '16384', 'TO', target.id], /out of range slot/],
      [source, ['1', '2', '3', 'TO', target.id], /Syntax error/],
    ];
  try {
    for (const [node, words, error] of refused) {
      assert.match(await says(node, 'CLUSTER', 'MIGRATE-SLOTS', ...words), error, words.join(' '));
    }
    assert.is(await says(source, 'CLUSTER', 'SETSLOT', '7', 'MIGRATING', target.id), 'OK');
    assert.match(
      await says(source, 'CLUSTER', 'MIGRATE-SLOTS', '7-7', 'TO', target.id),
      /Slot 7 is being moved key by key/,
    );
  } finally {
    await replica.server.stop();
  }
});

if (needs('etcd')) moves.run();
