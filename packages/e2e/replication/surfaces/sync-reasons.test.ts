/** Reasons of full syncs: each is counted separately when no partial resync was possible. */

import { once } from 'node:events';
import net from 'node:net';
import type { ReplicationDocument } from '#api-types';
import { type ChildServer, request, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { infoOf } from '../info.test-helper.ts';
import { AT_ONCE } from '../replicas.test-helper.ts';

const reasons = suite('reasons of full synchronisations');

const QUIET = [
  '--set',
  'replication.ping-period-secs=3600',
  '--set',
  'replication.backlog-size=16384',
];
const OTHER_ID = 'f'.repeat(40);

let server: ChildServer;
let client: RespClient;

reasons.before(async () => {
  server = await startServer({ http: true, args: [...AT_ONCE, ...QUIET] });
  client = await server.client();
});
reasons.after(async () => {
  await server.stop();
});

async function document(): Promise<ReplicationDocument> {
  return (await request(server.httpPort, '/debug/api/replication')).json() as ReplicationDocument;
}

/** Connects as a replica, announces its capabilities, and requests the stream; the replies are ignored. */
async function asReplica(details: string, requests: string): Promise<net.Socket> {
  const socket = net.connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`${details}\r\n`);
  // Who has a reply to come may ask for no stream.
  await once(socket, 'data');
  socket.write(`${requests}\r\n`);
  socket.resume();
  return socket;
}

const CAPABLE = 'REPLCONF capa eof capa psync2';

/** Asks as a replica, and leaves when it is online. */
async function follow(line: string): Promise<void> {
  const before = (await document()).history.length;
  const replica = await asReplica(CAPABLE, line);
  await until(
    async () => (await document()).history.slice(before).some(({ state }) => state === 'online'),
    'the replica is online',
  );
  replica.destroy();
  await until(async () => (await document()).replicas.length === 0, 'the replica is gone');
}

async function id(): Promise<string> {
  return (await infoOf(client))['master_replid'] ?? '';
}

async function offset(): Promise<number> {
  return Number((await infoOf(client))['master_repl_offset']);
}

const cases: readonly (readonly [
  reason: string,
  refused: number,
  line: () => Promise<string> | string,
])[] = [
  ['no-backlog', 1, async () => `PSYNC ${await id()} 1`],
  ['first', 0, () => 'PSYNC ? -1'],
  ['other-stream', 1, () => `PSYNC ${OTHER_ID} 1`],
  ['ahead', 1, async () => `PSYNC ${await id()} ${(await offset()) + 100}`],
  [
    'backlog-short',
    1,
    async () => {
      await client.call('SET', 'long', 'x'.repeat(64 * 1024));
      return `PSYNC ${await id()} 1`;
    },
  ],
  ['old-protocol', 0, () => 'SYNC'],
];

for (const [reason, refused, line] of cases) {
  reasons(reason, async () => {
    const before = (await document()).counts;
    await follow(await line());
    const { counts, history } = await document();
    const stats = await infoOf(client, 'stats');
    const grown = Object.entries(counts.full_syncs_by_reason)
      .map(([name, count]) => [name, count - before.full_syncs_by_reason[name]!] as const)
      .filter(([, count]) => count > 0);
    assert.equal(grown, [[reason, 1]]);
    assert.is(counts.full_syncs, before.full_syncs + 1);
    assert.is(counts.partial_syncs_refused, before.partial_syncs_refused + refused);
    const field = `sync_full_${reason.replaceAll('-', '_')}`;
    assert.is(stats[field], String(counts.full_syncs_by_reason[reason]));
    const sum = Object.values(counts.full_syncs_by_reason).reduce((all, count) => all + count, 0);
    assert.is(sum, counts.full_syncs);
    assert.ok(history.some(({ state, reason: why }) => state === 'wait_bgsave' && why !== ''));
  });
}

reasons('data-only', async () => {
  const replica = await asReplica('REPLCONF capa eof rdb-only 1', 'PSYNC ? -1');
  await until(
    async () => (await document()).counts.full_syncs_by_reason['data-only'] === 1,
    'it is counted',
  );
  await until(
    async () => (await infoOf(client))['connected_slaves'] === '0',
    'it is gone with the data',
  );
  const last = (await document()).history.at(-1);
  assert.equal([last?.state, last?.reason], ['gone', 'it requested the data only']);
  replica.destroy();
});

reasons('who goes on is no full synchronisation, and its end has a reason', async () => {
  const before = (await document()).counts;
  await asReplica(CAPABLE, `PSYNC ${await id()} ${(await offset()) + 1}`);
  await until(async () => (await document()).replicas.length === 1, 'it follows');
  const { counts, replicas } = await document();
  assert.equal(
    [counts.full_syncs, counts.partial_syncs],
    [before.full_syncs, before.partial_syncs + 1],
  );
  assert.equal([replicas[0]?.state, replicas[0]?.sync_reason], ['online', null]);
  await client.call('CLIENT', 'KILL', 'TYPE', 'replica');
  await until(async () => (await document()).replicas.length === 0, 'it is gone');
  assert.is((await document()).history.at(-1)?.reason, 'killed by a client');
});

reasons('CONFIG RESETSTAT forgets the counts', async () => {
  await client.call('CONFIG', 'RESETSTAT');
  const { counts } = await document();
  assert.equal(
    [counts.full_syncs, ...Object.values(counts.full_syncs_by_reason)],
    [0, 0, 0, 0, 0, 0, 0, 0],
  );
});

reasons.run();
