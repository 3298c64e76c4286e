/** Writes that a primary had acknowledged without its replica, and discards when it comes back as a replica itself. */
// test-tier: long

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ClusterDocument, StatusDocument } from '#api-types';
import {
  type ChildServer,
  encodeCommand,
  LinkProxy,
  needs,
  request,
  textOf,
  until,
} from '#testkit';
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

const discards = suite('discarded writes');

/** As short as leases of etcd are. */
const LEASE_MS = 3_000;

/** Writes that the replica does not get, as they stand in the stream. */
const LOST: readonly (readonly string[])[] = [
  ['SET', 'lost', 'value'],
  ['RPUSH', 'list', 'a', 'b'],
  ['HSET', 'hash', 'field', 'x'.repeat(300)],
  ['MULTI'],
  ['SET', '{t}one', '1'],
  ['DEL', '{t}two'],
  ['EXEC'],
  ['SET', 'lost', 'last'],
];
const LOST_WRITES = LOST.length - 2;
const LOST_KEYS = ['lost', 'list', 'hash', '{t}one', '{t}two'];

let etcd: Coordinator;
let folder: string;
let proxy: LinkProxy;
let primary: PlayedNode;
let replica: PlayedNode;

/** Starts or restarts the first primary: others reach it only through the proxy. */
async function startPrimary(): Promise<PlayedNode> {
  const node = await startNode(etcd, {
    group: 'one',
    leaseMs: LEASE_MS,
    folder,
    http: true,
    args: [
      ...['--set', `cluster.announce-port=${proxy.port}`],
      ...['--set', 'server.shutdown-timeout-secs=0'],
    ],
  });
  proxy.target = node.server.port;
  return node;
}

discards.before.each(async () => {
  etcd = await sharedEtcd();
  folder = mkdtempSync(path.join(tmpdir(), 'svc-discards-'));
  proxy = await LinkProxy.to(0);
  primary = await startPrimary();
  await primary.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await isWhole(primary);
  replica = await startNode(etcd, { group: 'one', leaseMs: LEASE_MS });
  await hasRole(replica, 'slave');
  await primary.client.call('SET', '{t}two', '2');
  await primary.client.call('SET', 'kept', 'v');
  assert.is(textOf(await primary.client.call('WAIT', '1', '20000')), '1');
});
discards.after.each(async () => {
  primary.server.signal('SIGCONT');
  await Promise.all([primary.server.stop(), replica.server.stop()]);
  await Promise.all([proxy.close(), etcd.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Writes data that the replica does not receive; all of it is acknowledged. */
async function loseWrites(): Promise<void> {
  proxy.isClosed = true;
  proxy.cut();
  for (const words of LOST) assert.not.match(textOf(await primary.client.reply(...words)), /^ERR/);
}

/** Waits until the replica has the primary's place, and writes something else there. */
async function untilTakenOver(): Promise<void> {
  await hasRole(replica, 'master');
  await until(
    async () => textOf(await replica.client.reply('SET', 'new', 'v')) === 'OK',
    'the new primary takes writes',
  );
}

async function get<Document>(server: ChildServer, place: string): Promise<Document> {
  const { text } = await request(server.httpPort, place);
  return JSON.parse(text) as Document;
}

/** Counts of writes and bytes as each surface has them. */
async function counts(): Promise<Readonly<Record<string, readonly [number, number]>>> {
  const { server } = primary;
  const client = await server.client();
  const info = textOf(await client.call('INFO', 'cluster'));
  const { text: metrics } = await request(server.httpPort, '/metrics');
  const overview = await get<ClusterDocument>(server, '/debug/api/cluster/overview');
  const { cluster } = await get<StatusDocument>(server, '/status/json');
  const found = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? NaN);
  return {
    info: [
      found(info, /^cluster_discarded_writes_total:(\d+)\r$/m),
      found(info, /^cluster_discarded_bytes_total:(\d+)\r$/m),
    ],
    metrics: [
      found(metrics, /^svc_cluster_discarded_writes_total (\d+)$/m),
      found(metrics, /^svc_cluster_discarded_bytes_total (\d+)$/m),
    ],
    overview: [overview.discarded_writes, overview.discarded_bytes],
    discards: [
      overview.discards.reduce((sum, { writes }) => sum + writes, 0),
      overview.discards.reduce((sum, { bytes }) => sum + bytes, 0),
    ],
    status: [cluster.discarded_writes_total ?? NaN, cluster.discarded_bytes_total ?? NaN],
  };
}

/** Waits until the former primary follows the new one, on a connection of its own: others may have been cut off. */
async function untilFollows(): Promise<void> {
  primary = { ...primary, client: await primary.server.client() };
  await hasRole(primary, 'slave');
  assert.is(textOf(await primary.client.reply('READONLY')), 'OK');
  assert.is(textOf(await primary.client.reply('GET', 'new')), 'v');
}

/** Checks the single file of discarded writes, and the reports about it. */
async function assertKept(): Promise<void> {
  const { discards: reported, history } = await get<ClusterDocument>(
    primary.server,
    '/debug/api/cluster/overview',
  );
  assert.is(reported.length, 1);
  const { file, unkept_bytes: unkept, lacks, from, to, bytes } = reported[0]!;
  assert.equal([unkept, lacks, bytes], [0, null, to - from]);
  const expected = [['SELECT', '0'], ...LOST].map((words) => encodeCommand(words).toString());
  assert.is(readFileSync(path.resolve(folder, file!), 'latin1'), expected.join(''));
  const listed = JSON.parse(
    readFileSync(path.resolve(folder, file!.replace(/resp$/, 'json')), 'utf8'),
  ) as { keys: readonly string[]; commands: Readonly<Record<string, number>>; writes: number };
  assert.equal(listed.keys, LOST_KEYS);
  assert.equal(listed.commands, { SET: 3, RPUSH: 1, HSET: 1, DEL: 1 });
  assert.is(listed.writes, LOST_WRITES);
  const event = history.find(({ event: kind }) => kind === 'discarded-writes');
  assert.equal(
    [event?.node, event?.reason.startsWith(`${LOST_WRITES} writes`)],
    [primary.id, true],
  );
  assert.match(primary.server.stdout + primary.server.stderr, 'discarded-writes');
}

function assertAlike(all: Awaited<ReturnType<typeof counts>>, writes: number): number {
  const [, bytes] = all['metrics']!;
  for (const [surface, found] of Object.entries(all)) {
    assert.equal(found, [writes, bytes], `${surface}: ${JSON.stringify(all)}`);
  }
  return bytes;
}

discards('of a process that goes on are counted, listed and kept', async () => {
  await loseWrites();
  primary.server.signal('SIGSTOP');
  await untilTakenOver();
  primary.server.signal('SIGCONT');
  await untilFollows();
  assert.is(await primary.client.reply('GET', 'lost'), null);
  assert.ok(assertAlike(await counts(), LOST_WRITES) > 0);
  await assertKept();
});

discards(
  'of a server that stopped in good order are those that it discards when it is back',
  async () => {
    await loseWrites();
    primary.server.signal('SIGTERM');
    await primary.server.ended;
    await untilTakenOver();
    primary = await startPrimary();
    await untilFollows();
    assert.ok(assertAlike(await counts(), LOST_WRITES) > 0);
    await assertKept();
  },
);

discards(
  'of a process that was killed are counted by bytes, and it is said that nothing is kept',
  async () => {
    await loseWrites();
    // The last mark of how far the stream is has to be behind the first of them.
    const mark = (): number =>
      Number(readFileSync(path.join(folder, 'svc-data', 'stream-mark'), 'latin1').split(' ')[1]);
    const info = textOf(await primary.client.call('INFO', 'replication'));
    const offset = Number(/^master_repl_offset:(\d+)\r$/m.exec(info)?.[1]);
    await until(() => mark() >= offset, 'the stream is marked');
    primary.server.signal('SIGKILL');
    await primary.server.ended;
    await untilTakenOver();
    primary = await startPrimary();
    await untilFollows();
    const bytes = assertAlike(await counts(), 0);
    assert.ok(bytes >= LOST.reduce((sum, words) => sum + encodeCommand(words).length, 0));
    const { discards: reported } = await get<ClusterDocument>(
      primary.server,
      '/debug/api/cluster/overview',
    );
    assert.equal([reported[0]?.file, reported[0]?.unkept_bytes], [null, bytes]);
    assert.match(reported[0]?.lacks ?? '', 'The process was killed');
  },
);

discards('are none where the replica had everything', async () => {
  primary.server.signal('SIGSTOP');
  await untilTakenOver();
  primary.server.signal('SIGCONT');
  await untilFollows();
  assert.is(assertAlike(await counts(), 0), 0);
  assert.not.ok(readdirSync(path.join(folder, 'svc-data')).includes('discarded-writes'));
});

if (needs('etcd')) discards.run();
