/** Idempotent ids and released entries of streams: over crashes and snapshots, to replicas, and to Redis. */
import path from 'node:path';
import { needs, redisProgram, type RespClient, startRedis, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { untilLinked, untilSame } from '../replication/info.test-helper.ts';
import { keptServers } from './kept-server.ts';

const streams = suite('state of streams');

const newServer = keptServers(streams);
const SYNC = ['--set', 'persistence.durability-mode=sync'];

const KEYS = ['s', 't', '{x}u'];

/** Every way in which the state changes, on keys of several shards. */
async function fillStreams(client: RespClient, from: number): Promise<void> {
  for (const key of KEYS) {
    const run = (line: string): Promise<unknown> => client.call(...line.split(' '));
    await run(`XADD ${key} IDMP p ${from} * f v`);
    await run(`XADD ${key} IDMPAUTO p * f ${from} g w`);
    await run(`XADD ${key} MAXLEN ~ 1000 ACKED IDMP q ${from} * f v`);
    await client.reply('XGROUP', 'CREATE', key, 'g', '0');
    await run(`XREADGROUP GROUP g c COUNT 20 STREAMS ${key} >`);
    for (let nth = 0; nth < 10; nth += 1) await run(`XADD ${key} * f ${nth}`);
    await run(`XREADGROUP GROUP g c COUNT 8 STREAMS ${key} >`);
    const ids = ((await run(`XPENDING ${key} g - + 100 c`)) as [string][]).map(([id]) => id);
    await client.call('XNACK', key, 'g', 'SILENT', 'IDS', '2', ids[2]!, ids[1]!);
    await client.call('XNACK', key, 'g', 'FATAL', 'IDS', '1', ids[4]!);
    await run(`XREADGROUP GROUP g d COUNT 1 CLAIM 0 STREAMS ${key} >`);
    await client.call('XACKDEL', key, 'g', 'DELREF', 'IDS', '1', ids[5]!);
    await client.call('XDELEX', key, 'ACKED', 'IDS', '2', ids[5]!, ids[6]!);
    await run(`XTRIM ${key} MAXLEN ~ 30 DELREF`);
  }
  await client.call('XCFGSET', 't', 'IDMP-DURATION', '5000', 'IDMP-MAXSIZE', '7');
  await client.call('MULTI');
  await client.call('XADD', 's', 'IDMP', 'm', String(from), '*', 'f', 'v');
  await client.call('XADD', 't', 'IDMP', 'm', String(from), '*', 'f', 'v');
  await client.call('EXEC');
}

/** All of the streams but how long nodes are and when consumers asked, and which ids would be duplicates. */
async function stateOf(client: RespClient): Promise<string[]> {
  const found: string[] = [];
  for (const key of KEYS) {
    const info = await client.call('XINFO', 'STREAM', key, 'FULL', 'COUNT', '0');
    // The most deliveries are no number of JavaScript.
    const full = JSON.stringify(info, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    found.push(full.replace(/"(radix-tree-\w+|seen-time|active-time)",-?\d+,/g, ''));
  }
  return found;
}

/** Ids that producers get again. */
const known = (client: RespClient): Promise<unknown[]> =>
  Promise.all([
    client.call('XADD', 's', 'IDMP', 'p', '2', '*', 'f', 'v'),
    client.call('XADD', 's', 'IDMPAUTO', 'p', '*', 'g', 'w', 'f', '2'),
    client.call('XADD', 's', 'IDMP', 'm', '2', '*', 'f', 'v'),
    client.call('XADD', '{x}u', 'IDMP', 'q', '1', '*', 'f', 'v'),
  ]);

for (const shards of [1, 3]) {
  streams(`survives crashes and snapshots on ${shards} shards`, async () => {
    const server = newServer();
    let client = await server.start({ shards, args: SYNC });
    await fillStreams(client, 1);
    let before = await stateOf(client);
    await server.kill();
    client = await server.start({ shards, args: SYNC });
    assert.equal(await stateOf(client), before, 'by the log');
    await fillStreams(client, 2);
    before = await stateOf(client);
    await server.stop();
    client = await server.start({ shards, args: SYNC });
    assert.equal(await stateOf(client), before, 'by a snapshot');
    await server.kill();
    client = await server.start({ shards: 2, args: SYNC });
    assert.equal(await stateOf(client), before, 'on 2 shards');
    const ids = await known(client);
    const length = await client.call('XLEN', 's');
    await server.kill();
    client = await server.start({ shards: 2, args: SYNC });
    assert.equal(await known(client), ids);
    assert.is(await client.call('XLEN', 's'), length);
    await server.stop();
  });
}

streams('goes to a replica, by the stream and by a full synchronisation', async () => {
  const args = ['--set', 'replication.diskless-sync-delay-secs=0'];
  const [first, second] = await Promise.all([
    startServer({ shards: 2, args }),
    startServer({ shards: 3, args }),
  ]);
  try {
    const [primary, replica] = [await first.client(), await second.client()];
    await replica.call('REPLICAOF', '127.0.0.1', first.port);
    await untilLinked(replica);
    await fillStreams(primary, 1);
    await untilSame(primary, replica);
    assert.equal(await stateOf(replica), await stateOf(primary), 'by the stream');
    await replica.call('REPLICAOF', 'NO', 'ONE');
    await replica.call('FLUSHALL');
    await replica.call('REPLICAOF', '127.0.0.1', first.port);
    await untilLinked(replica);
    await fillStreams(primary, 2);
    await untilSame(primary, replica);
    assert.equal(await stateOf(replica), await stateOf(primary), 'by a full synchronisation');
    await replica.call('REPLICAOF', 'NO', 'ONE');
    assert.equal(await known(replica), await known(primary));
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
});

streams('moves to another server with MIGRATE', async () => {
  const [from, to] = await Promise.all([startServer({ shards: 2 }), startServer({ shards: 2 })]);
  try {
    const [source, target] = [await from.client(), await to.client()];
    await fillStreams(source, 2);
    const before = await stateOf(source);
    await source.call('MIGRATE', '127.0.0.1', to.port, '', '0', '5000', 'KEYS', ...KEYS);
    assert.equal(await stateOf(target), before);
  } finally {
    await Promise.all([from.stop(), to.stop()]);
  }
});

if (needs(redisProgram())) {
  streams('is exported to Redis 7.4 without what that does not know, which is told', async () => {
    const server = newServer();
    const client = await server.start({ shards: 2, args: SYNC });
    await fillStreams(client, 1);
    await client.call('XADD', 'plain', '1-1', 'f', 'v');
    const pending = (await client.call('XPENDING', 's', 'g', '-', '+', '100')) as unknown[][];
    await server.stop();
    const file = path.join(server.folder, 'export.rdb');
    const { stdout } = await server.main('--export-rdb', file);
    assert.match(stdout, /^3 streams are exported without idempotent ids/m);
    assert.match(stdout, /^Exported 4 keys/m);
    const reader = await startRedis(['--dbfilename', 'export.rdb'], server.folder);
    const there = await reader.client();
    const theirs = (await there.call('XPENDING', 's', 'g', '-', '+', '100')) as unknown[][];
    const ownersOf = (all: unknown[][]): unknown[] => all.map(([id, owner]) => [id, owner]);
    assert.equal(ownersOf(theirs), ownersOf(pending));
    assert.ok(theirs.some(([, owner]) => owner === ''));
    await reader.stop();
  });
}

streams.run();
