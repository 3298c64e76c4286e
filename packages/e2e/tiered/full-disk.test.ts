/** A warm tier on a full disk: the server keeps serving, reads spilled values, and spills again when there is room. */
// test-tier: long
// test-limit: 120s
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type ChildServer, type RespClient, SmallDisk, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTiered, tiered } from './tiered.test-helper.ts';

const DISK_MB = 12;
const VALUE_BYTES = 30_000;
/** More than memory and disk have room for together. */
const KEYS = 1_500;
const FAULT_NONE = 0;
const FAULT_FULL = 1;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'));
const disk = SmallDisk.mount(folder, DISK_MB);

function valueOf(nth: number): string {
  return `${String(nth)}:`.repeat(VALUE_BYTES).slice(0, VALUE_BYTES);
}

const fullDisk = suite('full disk of the warm tier');

let server: ChildServer;
let client: RespClient;

fullDisk.after(async () => {
  await server.stop();
  disk?.unmount();
  fs.rmSync(folder, { recursive: true });
});

/** Writes keys one at a time, as commits that failed are tried again by the clock. */
async function write(from: number, to: number): Promise<void> {
  for (let nth = from; nth < to; nth += 1) {
    const reply = textOf(await client.reply('SET', `key:${String(nth)}`, valueOf(nth)));
    assert.is(reply, 'OK');
  }
}

/** Counts the keys that are there; each has its value. */
async function countSound(): Promise<number> {
  let count = 0;
  for (let nth = 0; nth < KEYS; nth += 1) {
    const reply = await client.reply('GET', `key:${String(nth)}`);
    if (reply === null) continue;
    assert.is(textOf(reply), valueOf(nth));
    count += 1;
  }
  return count;
}

if (disk !== undefined) {
  fullDisk('no more is spilled, and all else goes on', async () => {
    const settings = {
      'tiered.directory': path.join(folder, 'tier'),
      'memory.maxmemory': '20mb',
      'persistence.enabled': 'no',
    };
    server = await startTiered(settings, { shards: 1 });
    client = await server.client();
    await write(0, KEYS);
    assert.is(await tiered(client, 'tiered_fault'), FAULT_FULL);
    assert.ok((await tiered(client, 'tiered_warm_keys')) > 0);
    assert.ok((await countSound()) > KEYS / 4, 'what is there is read, the rest was evicted');
    assert.match(textOf(await client.call('INFO', 'stats')), /evicted_keys:[1-9]/);
  });

  fullDisk('it spills again when there is room', async () => {
    const failed = await tiered(client, 'tiered_errors');
    assert.ok(failed > 0);
    disk.resize(64);
    await until(async () => (await tiered(client, 'tiered_fault')) === FAULT_NONE, 'it has room');
    await client.call('FLUSHALL');
    await write(0, KEYS);
    assert.is(await client.call('DBSIZE'), KEYS);
    assert.is(await countSound(), KEYS);
    assert.is(await tiered(client, 'tiered_fault'), FAULT_NONE);
    assert.is(server.stderr, '');
  });
}

fullDisk.run();
