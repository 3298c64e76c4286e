/** Logs that did not reach the disk completely: missing records are reported. */
// test-tier: long
import fs from 'node:fs';
import path from 'node:path';
import { type RespClient, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checksumsOf,
  clearSegments,
  obstructSegments,
  segmentOf,
  segmentsOf,
} from './data-files.ts';
import { keptServers, type KeptServer } from '../durability/kept-server.ts';

const holes = suite('holes in the log');

const NEVER = ['--set', 'snapshot.interval-secs=0'];
const SYNC = [...NEVER, '--set', 'persistence.durability-mode=sync'];
const CONTINUE = [...NEVER, '--set', 'persistence.wal-failure-policy=continue'];
const ONE_SHARD = ['--shards', '1'];

const newServer = keptServers(holes);

const snapshotsOf = (server: KeptServer): string => path.join(server.data, 'snapshots');

/** Prevents snapshots and the creation of these segments. */
async function obstruct(server: KeptServer, numbers: readonly number[]): Promise<void> {
  await obstructSegments(server.data, numbers);
  fs.writeFileSync(snapshotsOf(server), '');
}

function clear(server: KeptServer): void {
  const snapshots = snapshotsOf(server);
  if (fs.existsSync(snapshots) && fs.statSync(snapshots).isFile()) fs.rmSync(snapshots);
  clearSegments(server.data);
}

/** The log of a server that writes on while it fails; its keys are `before` and, not on disk, `meanwhile`. */
async function failingServer(
  obstructed: readonly number[],
): Promise<readonly [KeptServer, RespClient]> {
  const server = newServer();
  const client = await server.start({ shards: 1, args: CONTINUE });
  await client.call('SET', 'before', '1');
  await obstruct(server, obstructed);
  await client.reply('SAVE');
  await server.reported(/the log of shard 0 cannot be written.*ARE NOT KEPT/);
  await client.call('SET', 'meanwhile', '1');
  return [server, client];
}

const SEGMENTS = Array.from({ length: 100 }, (_, nth) => nth + 2);
const UNWRITTEN =
  /0000000001.log: the log could not be written after offset \d+, since .* are lost/;

holes(
  'a log that failed, and a death before the snapshot that heals: the next start says it',
  async () => {
    const [server] = await failingServer(SEGMENTS);
    await server.kill();
    clear(server);
    const checked = await server.main(...ONE_SHARD, '--check-data');
    assert.is(checked.exitCode, 0, checked.stderr);
    assert.match(checked.stdout, UNWRITTEN);
    const client = await server.start({ shards: 1, args: SYNC });
    assert.equal(await client.call('MGET', 'before', 'meanwhile'), ['1', null]);
    await server.reported(UNWRITTEN);
    assert.match(textOf(await client.call('INFO', 'persistence')), 'recovery_log_holes:1');
    const status = async (): Promise<string> => textOf(await client.call('STATUS', 'JSON'));
    assert.match(await status(), /"recovery":\{"lost_bytes":0,"log_holes":1\}/);
    assert.match(await status(), 'the recovery skipped 0 damaged bytes, and found 1 logs');
    await client.call('SET', 'after', '1');
    await server.kill();
    const again = await server.start({ shards: 1, args: NEVER });
    assert.equal(await again.call('MGET', 'before', 'after'), ['1', '1'], 'what follows is kept');
    assert.match(textOf(await again.call('INFO', 'persistence')), 'recovery_log_holes:0');
    assert.not.match(server.server.stdout, UNWRITTEN);
    await server.stop();
  },
);

holes('the same is said by a start with another number of shards, until a snapshot', async () => {
  const [server] = await failingServer(SEGMENTS);
  await server.kill();
  clear(server);
  const client = await server.start({ shards: 2, args: NEVER });
  await server.reported(UNWRITTEN);
  assert.match(textOf(await client.call('INFO', 'persistence')), 'recovery_log_holes:1');
  assert.match(textOf(await client.call('STATUS', 'JSON')), 'found 1 logs without their end');
  await client.call('SAVE');
  assert.not.match(textOf(await client.call('STATUS', 'JSON')), 'without their end');
  await server.stop();
});

holes('records behind a hole are damage: refused, and left out with --recover-anyway', async () => {
  const [server, client] = await failingServer([2]);
  await until(
    () => fs.existsSync(segmentOf(server.data, 3)),
    'the log goes on in the next segment',
  );
  await client.call('SET', 'after', '1');
  const later = (): string[] =>
    segmentsOf(server.data, 0).filter(
      (file) => fs.statSync(file).isFile() && file > segmentOf(server.data, 1),
    );
  await until(() => later().length > 0, 'what follows the hole is written');
  await server.kill();
  clear(server);
  const hole = /000000000\d.log is damaged at offset 0: the log has a hole before it: 1 records/;
  fs.rmSync(path.join(server.data, 'lock'));
  const before = checksumsOf(server.data);
  for (const args of [[], ['--check-data'], ['--export-rdb', 'out.rdb'], ['--shards', '2']]) {
    const { exitCode, stderr } = await server.main(...ONE_SHARD, ...args);
    assert.is(exitCode, 1);
    assert.match(stderr, hole);
    assert.match(stderr, 'Nothing was changed. --recover-anyway');
    assert.equal(checksumsOf(server.data), before);
  }
  const wasLater = later().map((file) => fs.readFileSync(file));
  const names = later();
  const started = await server.start({ shards: 1, args: [...SYNC, '--recover-anyway'] });
  assert.equal(await started.call('MGET', 'before', 'meanwhile', 'after'), ['1', null, null]);
  await server.reported(hole);
  assert.equal(
    names.map((file) => fs.readFileSync(`${file}.damaged`)),
    wasLater,
  );
  await started.call('SET', 'then', '1');
  await server.kill();
  const again = await server.start({ shards: 1, args: NEVER });
  assert.equal(await again.call('MGET', 'before', 'then'), ['1', '1']);
  await server.stop();
});

holes('a snapshot that heals has what was lost: nothing is said', async () => {
  const [server] = await failingServer([2]);
  fs.rmSync(snapshotsOf(server));
  await server.reported(/Log writes resumed/);
  clear(server);
  await server.kill();
  const again = await server.start({ shards: 1, args: NEVER });
  assert.equal(await again.call('MGET', 'before', 'meanwhile'), ['1', '1']);
  assert.match(textOf(await again.call('INFO', 'persistence')), 'recovery_log_holes:0');
  await server.stop();
});

holes('a stop in good order saves what the log lacks, and then it lacks nothing', async () => {
  const [server] = await failingServer(SEGMENTS);
  fs.rmSync(snapshotsOf(server));
  await server.stop();
  clear(server);
  const checked = await server.main(...ONE_SHARD, '--check-data');
  assert.not.match(checked.stdout, UNWRITTEN);
  const again = await server.start({ shards: 1, args: SYNC });
  assert.equal(await again.call('MGET', 'before', 'meanwhile'), ['1', '1']);
  assert.match(textOf(await again.call('INFO', 'persistence')), 'recovery_log_holes:0');
  await again.call('SET', 'after', '1');
  await server.kill();
  const last = await server.start({ shards: 1, args: NEVER });
  assert.equal(await last.call('MGET', 'meanwhile', 'after'), ['1', '1']);
  await server.stop();
});

holes('SHUTDOWN NOSAVE leaves what the log lacks: the next start says it', async () => {
  const [server, client] = await failingServer(SEGMENTS);
  client.raw('SHUTDOWN NOSAVE\r\n');
  await server.server.ended;
  clear(server);
  const again = await server.start({ shards: 1, args: NEVER });
  await server.reported(UNWRITTEN);
  assert.equal(await again.call('MGET', 'before', 'meanwhile'), ['1', null]);
  await server.stop();
});

holes.run();
