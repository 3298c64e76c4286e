/** Data of ten times the memory is read, exported and imported with the values on a disk. */
// test-tier: long
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fromLatin1 } from '#base';
import { shardSettingNames, type ShardSettingValues } from '#commands';
import { type Keyspace, Span } from '#store';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openTiers } from './data-folder.ts';
import { OfflineData } from './offline-data.ts';

const KEYS = 20_000;
const VALUE_BYTES = 1_000;
/** A tenth of what the keys take with their values. */
const LIMIT_BYTES = 2 * 1024 ** 2;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'));

function settings(): ShardSettingValues {
  const limits = shardSettingNames.filter((name) => /-max-(?!len|arg)/.test(name));
  return {
    ...(Object.fromEntries(shardSettingNames.map((name) => [name, 0])) as object),
    ...(Object.fromEntries(limits.map((name) => [name, 128])) as object),
    'server.databases': 16,
    'cluster.enabled': false,
    'cluster.slot-stats-enabled': false,
    'hotkeys.window-enabled': false,
    'keyfate.overwritten': false,
    'latency-bands.enabled': false,
    'latency.tracking': false,
    'memory.active-defrag': false,
    'replication.ignore-maxmemory': true,
    'replication.read-only': true,
    'persistence.durability-mode': 'async',
    'persistence.wal-failure-policy': 'reject',
    'server.proto-max-bulk-len': 512 * 1024 ** 2,
    'slowlog.log-slower-than': -1,
    'server.hz': 10,
    'key-prefixes.prefixes': [],
    'latency-bands.bands': [],
    'server.notify-keyspace-events': '',
    'memory.maxmemory': LIMIT_BYTES,
    'memory.maxmemory-policy': 'tiered-lru',
    'memory.maxmemory-samples': 5,
    'tiered.when-full': 'evict',
    'tiered.max-bytes': 0,
    'tiered.min-value-bytes': 64,
  } as unknown as ShardSettingValues;
}

function valueOf(nth: number): Uint8Array {
  return fromLatin1(''.padEnd(VALUE_BYTES, `${nth}:`));
}

function fill(keyspace: Keyspace): void {
  for (let nth = 0; nth < KEYS; nth += 1) {
    keyspace.set(new Span(fromLatin1(`key:${nth}`)), new Span(valueOf(nth)));
  }
}

/** The data of a file in a tier of the folder `name`; to be closed. */
async function importOf(file: string, name: string): Promise<OfflineData> {
  const place = { directory: path.join(folder, name), compresses: false };
  const data = new OfflineData(1, settings(), await openTiers(place, 1));
  data.importRdb(file);
  return data;
}

const tiers = suite('tiers of tasks');

tiers.after(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

tiers(
  'what memory has no room for is on the disk, and comes from there when it is wanted',
  async () => {
    const first = path.join(folder, 'first.rdb');
    const second = path.join(folder, 'second.rdb');
    const whole = new OfflineData(1, settings());
    fill(whole.machines[0]!.store.databases[3]!);
    whole.exportRdb(first);
    const data = await importOf(first, 'one');
    const { store } = data.machines[0]!;
    assert.ok(store.memory.usedBytes < 1.5 * LIMIT_BYTES, `${store.memory.usedBytes} bytes`);
    assert.ok(store.tier.keyCount > KEYS / 2, `${store.tier.keyCount} warm values`);
    assert.is(data.exportRdb(second).keys, KEYS);
    assert.ok(store.memory.usedBytes < 1.5 * LIMIT_BYTES, 'nothing has come back');
    assert.is(store.tier.loans.size, 0);
    data.close();
    const again = await importOf(second, 'two');
    let read = 0;
    again.each((keyspace, ref, database) => {
      const key = keyspace.key(ref);
      const nth = Number(
        Buffer.from(key.bytes.slice(key.at + 4, key.at + key.length)).toString('latin1'),
      );
      const { bytes, at, length } = keyspace.value(ref);
      assert.is(Buffer.compare(bytes.subarray(at, at + length), valueOf(nth)), 0);
      assert.is(database, 3);
      read += 1;
    });
    assert.is(read, KEYS);
    again.close();
    for (const name of ['one', 'two']) {
      assert.equal(fs.readdirSync(path.join(folder, name, 'offline')), []);
    }
  },
);

tiers('dead extents make room, so that the disk holds little more than is in use', async () => {
  const [tier] = await openTiers({ directory: path.join(folder, 'dead'), compresses: true }, 1);
  const data = new OfflineData(1, settings(), [tier!]);
  const machine = data.machines[0]!;
  const { store } = machine;
  for (let turn = 0; turn < 4; turn += 1) {
    for (let nth = 0; nth < KEYS; nth += 1) {
      const key = new Span(fromLatin1(`key:${nth}`));
      store.databases[0]!.set(key, new Span(valueOf(nth)));
      if (nth % 256 > 0) continue;
      machine.loaded();
      tier!.compact(store);
    }
  }
  const { byteCount, liveBytes } = store.tier.extents;
  assert.ok(byteCount < 2 * liveBytes, `${byteCount} bytes for ${liveBytes}`);
  data.close();
});

tiers('a folder that cannot be had is said', async () => {
  const place = { directory: path.join(folder, 'file'), compresses: false };
  fs.writeFileSync(place.directory, '');
  try {
    await openTiers(place, 1);
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), /ENOTDIR|EEXIST/);
  }
});

tiers.run();
