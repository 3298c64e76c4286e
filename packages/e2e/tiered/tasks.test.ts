/** Tasks on data of ten times the memory: they spill as the server does, and leave nothing. */
// test-tier: long
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type ChildServer, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from '../process/main-process.ts';
import { fill, KEYS, tieredArguments, wrong } from './tiered.test-helper.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'));
const file = path.join(folder, 'out.rdb');
const tier = path.join(folder, 'tier');

function argumentsFor(data: string, more: readonly string[] = []): string[] {
  const own = {
    'persistence.data-dir': path.join(folder, data),
    'tiered.directory': tier,
  };
  return [...tieredArguments(own), ...more];
}

/** Runs a server on the data, and checks that all of it is there. */
async function serve(data: string, more: readonly string[] = []): Promise<void> {
  let server: ChildServer | undefined;
  try {
    server = await startServer({ args: argumentsFor(data, more) });
    const client = await server.client();
    assert.is(await client.call('DBSIZE'), KEYS);
    assert.equal(await wrong(client, 3), []);
  } finally {
    await server?.shutDown();
  }
}

const tasks = suite('tasks with a warm tier');

tasks.before(async () => {
  const server = await startServer({ args: argumentsFor('data') });
  await fill(await server.client());
  await server.shutDown();
});
tasks.after(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

tasks('the data is exported, and what was exported is served', async () => {
  const { exitCode, stdout, stderr } = await runMain(
    [...argumentsFor('data'), '--export-rdb', file],
    {},
    folder,
  );
  assert.is(exitCode, 0, stderr);
  assert.match(stdout, `Exported ${KEYS} keys to ${file}`);
  assert.equal(fs.readdirSync(path.join(tier, 'offline')), []);
  await serve('other', ['--import-rdb', file]);
  assert.not(fs.existsSync(path.join(tier, 'offline')), 'a server that ends leaves nothing');
});

tasks('the data is checked, and brought to another number of shards', async () => {
  const { exitCode, stdout, stderr } = await runMain(
    [...argumentsFor('data'), '--check-data'],
    {},
    folder,
  );
  assert.is(exitCode, 0, stderr);
  assert.match(stdout, `The data is readable: ${KEYS} keys`);
  await serve('data', ['--shards', '3']);
});

tasks('without a folder for the tier nothing is begun, and that is said', async () => {
  const taken = path.join(folder, 'taken');
  fs.writeFileSync(taken, '');
  const args = [...argumentsFor('data'), '--set', `tiered.directory=${taken}`];
  const { exitCode, stderr } = await runMain([...args, '--check-data'], {}, folder);
  assert.is(exitCode, 1);
  assert.match(stderr, 'tiered.directory');
});

tasks.run();
