/** The fragmentation ratio has the meaning of Redis at any amount of data: an alert on 1.5 indicates real waste. */
// test-tier: long

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChildServer, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const fragmentation = suite('fragmentation');

const RATIO_MIN = 0.8;
const RATIO_MAX = 1.5;
const KEYS = 80_000;
const VALUE_BYTES = 500;
const MIB = 1024 * 1024;

const folder = mkdtempSync(path.join(tmpdir(), 'svc-fragmentation-'));
let server: ChildServer;

fragmentation.before(async () => {
  server = await startServer({ folder, http: true });
});
fragmentation.after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function figures(): Promise<(name: string) => number> {
  const client = await server.client();
  const text = textOf(await client.call('INFO', 'memory'));
  return (name) => Number(new RegExp(`^${name}:(.*)\r$`, 'm').exec(text)?.[1]);
}

async function isSensible(): Promise<void> {
  const of = await figures();
  const ratio = of('mem_fragmentation_ratio');
  const inUse = of('used_memory_startup') + of('used_memory');
  assert.ok(of('used_memory_startup') > 20 * MIB, 'the empty server is measured');
  assert.ok(ratio >= RATIO_MIN && ratio <= RATIO_MAX, `a ratio of ${ratio}`);
  assert.is(ratio, Number((of('used_memory_rss') / inUse).toFixed(2)));
  assert.is(of('mem_fragmentation_bytes'), of('used_memory_rss') - inUse);
}

async function fill(keys: number): Promise<void> {
  const client = await server.client();
  await client.call('DEBUG', 'POPULATE', String(keys), 'fill', String(VALUE_BYTES));
}

fragmentation('an empty server has none', isSensible);

fragmentation('a thousand keys make none', async () => {
  await fill(1_000);
  await isSensible();
});

fragmentation('nor do 40 MB', async () => {
  await fill(KEYS);
  assert.ok((await figures())('used_memory') > 40 * MIB);
  await isSensible();
});

fragmentation('what a restart brings back is not taken for the empty server', async () => {
  const before = await figures();
  server.signal('SIGTERM');
  await server.ended;
  server = await startServer({ folder, http: true });
  const client = await server.client();
  await until(async () => (await client.reply('DBSIZE')) === KEYS, 'the data is back');
  const after = await figures();
  assert.ok(after('used_memory') > 0.9 * before('used_memory'));
  // The same program without data, measured twice.
  const change = after('used_memory_startup') / before('used_memory_startup');
  assert.ok(change > 0.7 && change < 1.2, `${change} times the empty server`);
  await isSensible();
});

fragmentation('nothing on disk, and no HTTP', async () => {
  const plain = await startServer({ args: ['--set', 'persistence.enabled=no'] });
  const kept = server;
  server = plain;
  try {
    await isSensible();
  } finally {
    server = kept;
    await plain.stop();
  }
});

fragmentation.run();
