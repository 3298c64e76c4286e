/** A damaged snapshot: all readers of the data use the previous one. */
// test-tier: long
import fs from 'node:fs';
import path from 'node:path';
import { keysOnShard, type Reply } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checksumsOf, IN_FIRST_BLOCK, segmentsOf, snapshotsOf, turnBit } from './data-files.ts';
import { keptServers, type KeptServer } from '../durability/kept-server.ts';

const snapshots = suite('damaged snapshots');

const SYNC = ['--set', 'persistence.durability-mode=sync', '--set', 'snapshot.interval-secs=0'];
const KEYS = 40;

const newServer = keptServers(snapshots);

/** Data with two snapshots and keys behind them, whose newest snapshot is damaged. */
async function withDamagedSnapshot(
  server: KeptServer,
  harm: (folder: string) => void,
): Promise<void> {
  const client = await server.start({ args: SYNC });
  for (const prefix of ['a', 'b', 'c']) {
    for (let nth = 0; nth < KEYS; nth += 1) await client.call('SET', `${prefix}:${nth}`, nth);
    if (prefix !== 'c') await client.call('SAVE');
  }
  await server.kill();
  harm(snapshotsOf(server.data).at(-1)!);
}

snapshots('a start uses the one before it, with a word in the log', async () => {
  const server = newServer();
  await withDamagedSnapshot(server, (folder) => {
    turnBit(path.join(folder, 'shard-0.snapshot'), IN_FIRST_BLOCK);
  });
  const newest = snapshotsOf(server.data).at(-1)!;
  assert.is(await server.startedKeys({ args: SYNC }), 3 * KEYS);
  await server.reported(/snapshot is damaged at offset 64.*; the one before is tried/);
  await server.kill();
  fs.writeFileSync(path.join(newest, 'manifest.json'), '{');
  assert.is(await server.startedKeys({ args: SYNC }), 3 * KEYS);
  await server.reported(/manifest.json cannot be read/);
  await server.kill();
  fs.rmSync(newest, { recursive: true });
  assert.is(await server.startedKeys({ args: SYNC }), 3 * KEYS);
  await server.kill();
  // The log before the oldest of two snapshots is deleted: without both there is a gap.
  fs.rmSync(path.join(server.data, 'snapshots'), { recursive: true });
  fs.rmSync(segmentsOf(server.data, 0)[0]!);
  const { exitCode, stderr } = await server.main();
  assert.is(exitCode, 1);
  assert.match(stderr, 'the log has a gap');
});

snapshots('check, export and a start with other shards use the one before as well', async () => {
  const server = newServer();
  await withDamagedSnapshot(server, (folder) => {
    turnBit(path.join(folder, 'shard-1.snapshot'), IN_FIRST_BLOCK);
  });
  const remark = /shard-1.snapshot is damaged at offset 64.*; the one before is used/;
  const checked = await server.main('--check-data');
  assert.is(checked.exitCode, 0, checked.stderr);
  assert.match(checked.stdout, remark);
  assert.match(
    checked.stdout,
    `The data is readable: ${3 * KEYS} keys on 2 shards, from snapshot 2`,
  );
  const exported = await server.main('--export-rdb', 'out.rdb');
  assert.is(exported.exitCode, 0, exported.stderr);
  assert.match(exported.stdout, remark);
  assert.match(exported.stdout, `Exported ${3 * KEYS} keys to out.rdb`);
  const client = await server.start({ shards: 3, args: SYNC });
  assert.is(await client.call('DBSIZE'), 3 * KEYS);
  await server.reported(remark);
  await server.stop();
});

snapshots('no snapshot that is whole: everything that reads refuses, with the reason', async () => {
  const server = newServer();
  await withDamagedSnapshot(server, (folder) => {
    for (const each of [folder, snapshotsOf(server.data)[0]!]) {
      turnBit(path.join(each, 'shard-1.snapshot'), IN_FIRST_BLOCK);
    }
  });
  fs.rmSync(path.join(server.data, 'lock'));
  fs.rmSync(segmentsOf(server.data, 0)[0]!);
  const before = checksumsOf(server.data);
  const tries = [['--check-data'], ['--export-rdb', 'out.rdb'], [], ['--shards', '3']];
  for (const args of tries) {
    const { exitCode, stderr } = await server.main(...args);
    assert.is(exitCode, 1);
    assert.match(
      stderr,
      /shard-1.snapshot is damaged at offset 64.*neither another snapshot.*Nothing was.*--recover-anyway/,
    );
    assert.equal(checksumsOf(server.data), before);
  }
});

/** Data whose only snapshot has many blocks on shard 0, and what is done to its keys behind it. */
async function withOneSnapshot(server: KeptServer): Promise<{ readonly keys: number }> {
  const client = await server.start({ args: [...SYNC, '--set', 'snapshot.compression=no'] });
  const keys = keysOnShard(0, 2, 400, 'wide');
  for (const key of keys) await client.call('RPUSH', key, 'x'.repeat(4_000));
  const [other = ''] = keysOnShard(1, 2, 1, 'other');
  await client.call('SET', other, 'kept');
  await client.call('SAVE');
  for (const key of keys) await client.call('LSET', key, '0', 'changed');
  await client.call('SET', other, 'changed');
  await server.kill();
  return { keys: keys.length + 1 };
}

/** Turns a bit far behind the first block. */
function harmInside(server: KeptServer): string {
  const file = path.join(snapshotsOf(server.data).at(-1)!, 'shard-0.snapshot');
  turnBit(file, Math.floor(fs.statSync(file).size / 2));
  return file;
}

snapshots(
  'what is left of the only one is used when that is asked for, and saved anew',
  async () => {
    const server = newServer();
    const { keys } = await withOneSnapshot(server);
    harmInside(server);
    const refused = await server.main();
    assert.is(refused.exitCode, 1);
    assert.match(
      refused.stderr,
      /is damaged at offset \d+.*neither another snapshot.*--recover-anyway/,
    );
    const checked = await server.main('--check-data', '--recover-anyway');
    const lost = /(\d+) of its 400 keys are lost; \d+ bytes are left out/;
    assert.is(checked.exitCode, 0, checked.stderr);
    assert.match(checked.stdout, lost);
    const lostKeys = Number(lost.exec(checked.stdout)?.[1]);
    assert.ok(lostKeys > 0 && lostKeys < 200, `${lostKeys} keys are lost`);
    assert.match(checked.stdout, `${lostKeys} log records could not be replayed`);
    assert.match(checked.stdout, `The data is readable: ${keys - lostKeys} keys`);

    const anyway = ['--set', 'persistence.recover-anyway=yes'];
    const client = await server.start({ args: [...SYNC, ...anyway] });
    assert.is(await client.call('DBSIZE'), keys - lostKeys);
    await server.reported(lost);
    await server.reported('the readable part of the newest is used');
    await server.reported(`${lostKeys} log records could not be replayed`);
    const [some] = (await client.call('SCAN', '0', 'COUNT', '1', 'TYPE', 'list')) as Reply[];
    assert.ok(some !== undefined);
    await server.reported(/Snapshot \d+ finished/);
    await server.kill();
    assert.is(await server.startedKeys({ args: SYNC }), keys - lostKeys, 'all is well again');
    await server.kill();
  },
);

snapshots('one whose head is damaged loses the keys of its shard alone', async () => {
  const server = newServer();
  await withOneSnapshot(server);
  const file = path.join(snapshotsOf(server.data).at(-1)!, 'shard-0.snapshot');
  turnBit(file, 4);
  const checked = await server.main('--check-data', '--recover-anyway');
  assert.is(checked.exitCode, 0, checked.stderr);
  assert.match(checked.stdout, /400 of its 400 keys are lost/);
  assert.match(checked.stdout, 'The data is readable: 1 keys');
});

snapshots('a snapshot that lacks a file is passed by', async () => {
  const server = newServer();
  await withDamagedSnapshot(server, (folder) => {
    fs.rmSync(path.join(folder, 'shard-1.snapshot'));
  });
  assert.is(await server.startedKeys({ args: SYNC }), 3 * KEYS);
  await server.reported(/shard-1.snapshot is missing/);
  await server.stop();
});

snapshots.run();
