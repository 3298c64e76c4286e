/** Segments whose heads are damaged: refused, and left out when that is asked for. */
// test-tier: long
import fs from 'node:fs';
import path from 'node:path';
import { textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FORMAT_AT, segmentsOf, turnBit } from './data-files.ts';
import { keptServers, type KeptServer } from '../durability/kept-server.ts';

const heads = suite('damaged heads');

const SYNC = ['--set', 'persistence.durability-mode=sync', '--set', 'snapshot.interval-secs=0'];
/** Offset of the number in a segment's head. */
const NUMBER_AT = 20;

const newServer = keptServers(heads);

/** Two lives of a server, each with segments of both shards. */
async function twoLives(): Promise<KeptServer> {
  const server = newServer();
  for (const prefix of ['first', 'second']) {
    const client = await server.start({ args: SYNC });
    for (let nth = 0; nth < 20; nth += 1) await client.call('SET', `${prefix}:${nth}`, nth);
    await server.kill();
  }
  return server;
}

heads('a segment whose head is damaged: refused, and left out with --recover-anyway', async () => {
  const server = await twoLives();
  const [file, later] = segmentsOf(server.data, 1);
  turnBit(file!, NUMBER_AT);
  const was = fs.readFileSync(file!);
  const wasLater = fs.readFileSync(later!);
  const { exitCode, stderr } = await server.main();
  assert.is(exitCode, 1);
  assert.match(
    stderr,
    `${path.basename(file!)} is damaged at offset 0: has a damaged head. Nothing`,
  );
  assert.equal(fs.readFileSync(file!), was);
  const client = await server.start({ args: [...SYNC, '--recover-anyway'] });
  const left = (await client.call('DBSIZE')) as number;
  assert.ok(left > 0 && left < 40, `${left} keys`);
  await server.reported(
    new RegExp(
      `${path.basename(file!)} is damaged at offset 0.*; ${was.length} bytes are left out`,
    ),
  );
  await server.reported(
    new RegExp(`${path.basename(later!)} is after the damage; ${wasLater.length} bytes`),
  );
  const lost = was.length + wasLater.length;
  assert.match(textOf(await client.call('INFO', 'persistence')), `recovery_lost_bytes:${lost}`);
  assert.equal(fs.readFileSync(`${file!}.damaged`), was);
  assert.equal(fs.readFileSync(`${later!}.damaged`), wasLater);
  await client.call('SET', 'third', 'kept');
  await server.kill();
  const again = await server.start({ args: SYNC });
  assert.is(await again.call('DBSIZE'), left + 1, 'no word is needed for the next start');
  await server.stop();
});

heads('where no head of any segment is whole, --recover-anyway begins with nothing', async () => {
  const server = await twoLives();
  const files = [...segmentsOf(server.data, 0), ...segmentsOf(server.data, 1)];
  for (const file of files) turnBit(file, FORMAT_AT);
  const refused = await server.main();
  assert.is(refused.exitCode, 1, 'it is not taken for a folder without data');
  assert.match(refused.stderr, 'is damaged at offset 0');
  const client = await server.start({ args: [...SYNC, '--recover-anyway'] });
  assert.is(await client.call('DBSIZE'), 0);
  for (const file of files) assert.ok(fs.existsSync(`${file}.damaged`), file);
  await server.stop();
});

heads.run();
