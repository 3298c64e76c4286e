/** A server that finds its data harmed, in use, or written by another: it says so, and harms nothing. */
// test-tier: long
import fs from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checksumsOf,
  FIRST_BLOCK,
  FORMAT_AT,
  IN_FIRST_BLOCK,
  segmentsOf,
  shorten,
  turnBit,
} from './data-files.ts';
import { keptServers, type KeptServer } from '../durability/kept-server.ts';

const damage = suite('damaged data');

const SYNC = ['--set', 'persistence.durability-mode=sync', '--set', 'snapshot.interval-secs=0'];
const KEYS = 40;

const newServer = keptServers(damage);

/** Writes keys in blocks of their own, and kills the server. */
async function write(server: KeptServer, prefix: string, ...more: string[]): Promise<void> {
  const client = await server.start({ args: [...SYNC, ...more] });
  for (let nth = 0; nth < KEYS; nth += 1) await client.call('SET', `${prefix}:${nth}`, nth);
  await server.kill();
}

damage('a folder that a running server has is refused, and stays its own', async () => {
  const server = newServer();
  const client = await server.start({ args: SYNC });
  await client.call('SET', 'key', 'value');
  // The history of the running server grows meanwhile.
  const checksums = (): readonly (readonly [string, string])[] =>
    Object.entries(checksumsOf(server.data)).filter(([name]) => !name.startsWith('history'));
  const before = checksums();
  for (const args of [[], ['--check-data'], ['--export-rdb', 'out.rdb']]) {
    const { exitCode, stderr } = await server.main(...args);
    assert.is(exitCode, 1);
    assert.match(stderr, `svc-data is in use by process ${server.server.pid}`);
  }
  assert.equal(checksums(), before);
  assert.is(await client.call('GET', 'key'), 'value');
  await server.kill();
  assert.is(
    await server.startedKeys({ args: SYNC }),
    1,
    'the lock of a killed server is taken over',
  );
  await server.stop();
});

damage('a folder that cannot be made is refused with its name and the reason', async () => {
  const server = newServer();
  fs.writeFileSync(path.join(server.folder, 'file'), '');
  const { exitCode, stderr } = await server.main('--data-dir', 'file/data');
  assert.is(exitCode, 1);
  assert.match(
    stderr,
    `the data folder ${server.folder}/file/data cannot be used: its parent is a file`,
  );
});

const badFolders: readonly (readonly [what: string, folder: string, said: string])[] = [
  ['a file', 'file', 'cannot be used: it is a file; choose another with --data-dir'],
  ['where no folder can be made', '/proc/none', 'no folders can be created in its parent; choose'],
  ['with a file named log in it', 'data', 'data/log is a file, not a folder'],
];
for (const [what, folder, said] of badFolders) {
  damage(`a data folder that is ${what} is refused in words`, async () => {
    const server = newServer();
    fs.writeFileSync(path.join(server.folder, 'file'), '');
    fs.mkdirSync(path.join(server.folder, 'data'));
    fs.writeFileSync(path.join(server.folder, 'data', 'log'), '');
    const { exitCode, stderr } = await server.main('--data-dir', folder);
    assert.is(exitCode, 1);
    assert.match(stderr, said);
    assert.is(stderr.trimEnd().split('\n').length, 1);
  });
}

damage('data of a newer format is refused', async () => {
  const server = newServer();
  await write(server, 'key');
  const [file] = segmentsOf(server.data, 1);
  const bytes = fs.readFileSync(file!);
  bytes.writeUInt32LE(5, FORMAT_AT);
  fs.writeFileSync(file!, bytes);
  const before = checksumsOf(server.data);
  const { exitCode, stderr } = await server.main();
  assert.is(exitCode, 1);
  assert.match(stderr, 'has format 5; this version reads up to 4');
  assert.match(stderr, path.basename(file!));
  delete (before as Record<string, string>)['lock'];
  assert.equal(checksumsOf(server.data), before);
});

damage('in the middle of the log: the start is refused, and nothing is touched', async () => {
  const server = newServer();
  await write(server, 'key');
  const [file] = segmentsOf(server.data, 1);
  turnBit(file!, IN_FIRST_BLOCK);
  // A torn end of another shard's log is not cut either.
  shorten(segmentsOf(server.data, 0).at(-1)!, 5);
  fs.rmSync(path.join(server.data, 'lock'));
  const before = checksumsOf(server.data);
  const checked = await server.main('--check-data');
  assert.is(checked.exitCode, 1);
  assert.match(checked.stderr, `${path.basename(file!)} is damaged at offset ${FIRST_BLOCK}`);
  assert.equal(checksumsOf(server.data), before, 'after the check');
  const { exitCode, stderr } = await server.main();
  assert.is(exitCode, 1);
  assert.match(stderr, `${path.basename(file!)} is damaged at offset ${FIRST_BLOCK}`);
  assert.match(stderr, '--recover-anyway');
  assert.equal(checksumsOf(server.data), before, 'after the start');
});

damage('--recover-anyway starts, says what is left out, and keeps it aside', async () => {
  const server = newServer();
  await write(server, 'first');
  await write(server, 'second');
  const [file, later] = segmentsOf(server.data, 1);
  turnBit(file!, IN_FIRST_BLOCK);
  const was = fs.readFileSync(file!);
  const wasLater = fs.readFileSync(later!);
  // The settings that the other data is read with are those of this start.
  const client = await server.start({ args: [...SYNC, '--recover-anyway'] });
  const left = (await client.call('DBSIZE')) as number;
  assert.ok(left > 0 && left < 2 * KEYS, `${left} keys`);
  await server.reported(`${path.basename(file!)} is damaged at offset ${FIRST_BLOCK}`);
  await server.reported(`${was.length - FIRST_BLOCK} bytes are left out`);
  await server.reported(`${path.basename(later!)} is after the damage`);
  assert.equal(fs.readFileSync(`${file!}.damaged`), was);
  assert.equal(fs.readFileSync(`${later!}.damaged`), wasLater);
  await client.call('SET', 'third', 'kept');
  await server.kill();
  const again = await server.start({ args: SYNC });
  assert.is(await again.call('GET', 'third'), 'kept');
  assert.is(await again.call('DBSIZE'), left + 1, 'no word is needed for the next start');
  await server.stop();
});

damage('a torn end is cut and told, and what is before it is there', async () => {
  const server = newServer();
  await write(server, 'key');
  const file = segmentsOf(server.data, 0).at(-1)!;
  const left = shorten(file, 5);
  assert.is(await server.startedKeys({ args: SYNC }), KEYS - 1);
  const torn = /(\S+) ends in the middle of a write at offset (\d+); (\d+) bytes are left out/;
  await server.reported(torn);
  const [, name, offset, bytes] = torn.exec(server.server.stdout) ?? [];
  assert.is(name, path.relative(server.folder, file));
  assert.is(Number(offset) + Number(bytes), left);
  assert.is(fs.statSync(file).size, Number(offset));
  await server.kill();
  assert.is(
    await server.startedKeys({ args: SYNC }),
    KEYS - 1,
    'a second start finds a whole file',
  );
  assert.not.match(server.server.stdout, torn);
  await server.stop();
});

damage(
  'the check tells data that is whole from data that is not, and changes nothing',
  async () => {
    const server = newServer();
    fs.mkdirSync(server.data);
    const empty = await server.main('--check-data');
    assert.is(empty.exitCode, 0);
    assert.match(empty.stdout, 'there is no data');
    await write(server, 'key');
    shorten(segmentsOf(server.data, 0).at(-1)!, 5);
    fs.rmSync(path.join(server.data, 'lock'));
    const before = checksumsOf(server.data);
    const torn = await server.main('--check-data');
    assert.is(torn.exitCode, 0);
    assert.match(torn.stdout, 'ends in the middle of a write');
    assert.match(
      torn.stdout,
      `The data is readable: ${KEYS - 1} keys on 2 shards, from no snapshot`,
    );
    turnBit(segmentsOf(server.data, 1)[0]!, IN_FIRST_BLOCK);
    const harmed = checksumsOf(server.data);
    const anyway = await server.main('--check-data', '--recover-anyway');
    assert.is(anyway.exitCode, 0);
    assert.match(anyway.stdout, 'is damaged at offset');
    const damaged = await server.main('--check-data');
    assert.is(damaged.exitCode, 1);
    assert.equal(checksumsOf(server.data), harmed);
    assert.not.equal(harmed, before);
  },
);

damage('a folder that is not there is told by the check and the export, and not made', async () => {
  const server = newServer();
  for (const args of [['--check-data'], ['--export-rdb', 'out.rdb']]) {
    const { exitCode, stdout, stderr } = await server.main(...args);
    assert.is(exitCode, 1);
    assert.is(stdout, '');
    assert.match(stderr, `the data folder ${server.data} is not there`);
    assert.equal(fs.readdirSync(server.folder), []);
  }
});

damage.run();
