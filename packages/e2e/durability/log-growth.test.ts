/** Snapshots that are due because the log has grown, and what INFO says of the sizes on disk. */
// test-tier: long
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { encodeCommand, letTimePass, type RespClient, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { snapshotsOf } from '../damage/data-files.ts';
import { keptServers, type KeptServer } from './kept-server.ts';

const growth = suite('growth of the log');

const NEVER = ['--set', 'snapshot.interval-secs=0'];
const KIB = 1_024;
/** Two looks at whether a snapshot is due. */
const TWO_LOOKS_MS = 2_500;

const newServer = keptServers(growth);

/** Writes `bytes` bytes to the log; they cannot be compressed. */
async function write(client: RespClient, key: string, bytes: number): Promise<void> {
  await client.call('SET', key, randomBytes(bytes));
}

async function sizesIn(client: RespClient): Promise<{ base: number; current: number }> {
  const info = textOf(await client.call('INFO', 'persistence'));
  const of = (name: string): number => Number(new RegExp(`${name}:(-?\\d+)`).exec(info)?.[1]);
  return { base: of('aof_base_size'), current: of('aof_current_size') };
}

/** Bytes of the newest snapshot's keys and of the segments behind it, as the disk has them. */
function sizeOnDisk(server: KeptServer): number {
  const newest = snapshotsOf(server.data).at(-1);
  const first = newest === undefined ? 0 : Number(path.basename(newest));
  const names = fs.readdirSync(server.data, { recursive: true, encoding: 'utf8' });
  const counted = names.filter((name) => {
    if (name.endsWith('.log')) return Number(path.basename(name, '.log')) >= first;
    return (
      newest !== undefined && name.includes(path.basename(newest)) && name.endsWith('.snapshot')
    );
  });
  return counted.reduce((sum, name) => sum + fs.statSync(path.join(server.data, name)).size, 0);
}

async function trueSize(server: KeptServer, client: RespClient): Promise<void> {
  let said = '';
  const isTrue = async (): Promise<boolean> => {
    const { current } = await sizesIn(client);
    said = `INFO says ${current}, the disk has ${sizeOnDisk(server)}`;
    return current === sizeOnDisk(server);
  };
  await until(isTrue, 'the size is that of the files').catch(() => {
    assert.unreachable(said);
  });
}

const countIs = (server: KeptServer, count: number): Promise<void> =>
  until(() => snapshotsOf(server.data).length === count, `${count} snapshots are there`);

growth(
  'a snapshot is due when the log has grown by the percentage, and past the least size',
  async () => {
    const server = newServer();
    const limits = ['--set', 'snapshot.log-growth-min-size=200kb'];
    const client = await server.start({ args: [...NEVER, ...limits] });
    assert.equal(await client.call('CONFIG', 'GET', 'auto-aof-rewrite-*'), [
      'auto-aof-rewrite-percentage',
      '100',
      'auto-aof-rewrite-min-size',
      '204800',
    ]);
    await write(client, 'a', 150 * KIB);
    await letTimePass(client, TWO_LOOKS_MS);
    assert.equal(snapshotsOf(server.data), [], 'the least size is not reached');
    await write(client, 'b', 100 * KIB);
    await countIs(server, 1);
    await server.reported(/Snapshot \d+ finished/);
    await write(client, 'c', 150 * KIB);
    await letTimePass(client, TWO_LOOKS_MS);
    assert.is(snapshotsOf(server.data).length, 1, 'it has grown by less than all of it');
    await client.call('CONFIG', 'SET', 'auto-aof-rewrite-percentage', '50');
    await countIs(server, 2);
    await client.call('CONFIG', 'SET', 'auto-aof-rewrite-percentage', '0');
    await write(client, 'd', 800 * KIB);
    await letTimePass(client, TWO_LOOKS_MS);
    assert.is(snapshotsOf(server.data).length, 2, 'zero: never');
    await client.call('CONFIG', 'SET', 'auto-aof-rewrite-min-size', '1gb');
    await client.call('CONFIG', 'SET', 'auto-aof-rewrite-percentage', '1');
    await letTimePass(client, TWO_LOOKS_MS);
    assert.is(snapshotsOf(server.data).length, 2);
    await client.call('CONFIG', 'SET', 'auto-aof-rewrite-min-size', '1mb');
    await countIs(server, 3);
    await server.stop();
  },
);

growth(
  'INFO says what snapshot and log have on disk, before a snapshot, behind it, and after a start',
  async () => {
    const server = newServer();
    const client = await server.start({ args: NEVER });
    await write(client, 'a', 20 * KIB);
    await trueSize(server, client);
    assert.is((await sizesIn(client)).base, 0);
    await client.call('SAVE');
    await trueSize(server, client);
    const { base, current } = await sizesIn(client);
    assert.is(base, current);
    await write(client, 'b', 10 * KIB);
    // The disk thread looks some milliseconds after the reply.
    await until(
      async () => (await sizesIn(client)).current >= base + 10 * KIB,
      'what was written is counted',
    );
    await trueSize(server, client);
    const grown = await sizesIn(client);
    assert.is(grown.base, base);
    await server.kill();
    const again = await server.start({ args: NEVER });
    await trueSize(server, again);
    assert.ok(
      (await sizesIn(again)).base < grown.current,
      'what is to be read is more than the snapshot',
    );
    await server.kill();
    await trueSize(server, await server.start({ shards: 3, args: NEVER }));
    await server.stop();
  },
);

/** Most bytes of the log relative to a log of the commands as they are sent, which is Redis' way. */
const LOG_RATIO_MAX = 1.2;
const WRITES = 400;

for (const [how, depth] of [
  ['one at a time', 1],
  ['in pipelines', 40],
] as const) {
  growth(`commands that are sent ${how} take little more than they are`, async () => {
    const server = newServer();
    const client = await server.start({ shards: 2, args: NEVER });
    const before = sizeOnDisk(server);
    let sent = 0;
    for (let nth = 0; nth < WRITES; nth += depth) {
      const commands = Array.from({ length: depth }, (_, at) => {
        return ['SET', `key:${String(nth + at).padStart(12, '0')}`, 'xxx'];
      });
      sent += commands.reduce((sum, command) => sum + encodeCommand(command).length, 0);
      await client.pipeline(commands);
    }
    const ratio = (sizeOnDisk(server) - before) / sent;
    assert.ok(ratio < LOG_RATIO_MAX, `${ratio.toFixed(2)} of what was sent`);
    await server.stop();
  });
}

growth.run();
