/** Files of Redis' snapshots, read in pieces: whatever the pieces are, all is there, or nothing is believed. */
import { crc64, type Bytes } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { setText, testStore, textOf } from '../store.test-helper.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Store } from '../store.ts';
import { accessOfUse } from '../records/access.ts';
import { RDB_VERSION } from './rdb-type.ts';
import { RdbFileError } from './malformed.ts';
import { readRdbFile, RdbFileWriter, type RdbSource } from './rdb-file.ts';
import type { ValueLimits } from './read-value.ts';

const files = suite('rdb file');

const packed = { entries: 128, valueBytes: 64 };
const limits: ValueLimits = {
  hash: packed,
  zset: packed,
  set: { ...packed, intsetEntries: 512 },
  list: { size: -2, compressDepth: 0, plainBytes: 0 },
};

/** A source that notes how much of it was in memory at once. */
function sourceOf(file: Bytes): RdbSource & { longest: number } {
  return {
    bytes: file.length,
    longest: 0,
    read(into, at) {
      assert.ok(at + into.length <= file.length, 'nothing behind the end is asked for');
      this.longest = Math.max(this.longest, into.buffer.byteLength);
      into.set(file.subarray(at, at + into.length));
    },
  };
}

function written(store: Store): Buffer {
  const pieces: Bytes[] = [];
  const writer = new RdbFileWriter((bytes) => pieces.push(bytes), false, [['redis-ver', '7.4.0']]);
  for (const [database, keyspace] of store.databases.entries()) {
    let cursor = 0;
    do {
      cursor = keyspace.scan(cursor, 100, (ref) => {
        writer.key(database, keyspace, ref);
      });
    } while (cursor !== 0);
  }
  writer.end();
  return Buffer.concat(pieces);
}

function read(file: Bytes, windowBytes?: number, store = testStore()) {
  const source = sourceOf(file);
  const target = {
    limits,
    nowMs: store.nowMs,
    keyspaceOf: (database: number) => store.databases[database],
    library: () => undefined,
    accessOf: (use: Parameters<typeof accessOfUse>[0]) => accessOfUse(use, store),
  };
  const contents = readRdbFile(source, target, windowBytes);
  return { store, contents, longest: source.longest };
}

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.instance(error, RdbFileError, String(error));
    return (error as Error).message;
  }
  return 'none';
}

const KEYS = 300;
const LONG = 'x'.repeat(20_000);

function filled(): Store {
  const store = testStore();
  const [first, , third] = store.databases as [Keyspace, Keyspace, Keyspace];
  for (let nth = 0; nth < KEYS; nth += 1) setText(first, `key ${nth}`, `value ${nth}`);
  setText(first, 'long', LONG);
  setText(third, 'elsewhere', '12345');
  return store;
}

for (const windowBytes of [9, 16, 100, 4_096, 1_000_000]) {
  files(`pieces of ${windowBytes} bytes make the same data, in bounded memory`, () => {
    const file = written(filled());
    const { store, contents, longest } = read(file, windowBytes);
    assert.is(contents.keys, KEYS + 2);
    const [first, , third] = store.databases as [Keyspace, Keyspace, Keyspace];
    for (let nth = 0; nth < KEYS; nth += 1) {
      assert.is(textOf(first, `key ${nth}`), `value ${nth}`);
    }
    assert.is(textOf(first, 'long'), LONG);
    assert.is(textOf(third, 'elsewhere'), '12345');
    const most = Math.max(windowBytes, 2 * LONG.length);
    assert.ok(longest <= most, `${longest} bytes of ${file.length} in memory at once`);
  });
}

files('a file that is cut anywhere, or has bytes behind it, is refused', () => {
  const store = testStore();
  const [first] = store.databases as [Keyspace];
  for (let nth = 0; nth < 5; nth += 1) setText(first, `key ${nth}`, 'some value');
  const file = written(store);
  for (let end = 0; end < file.length; end += 1) {
    const reason = reasonOf(() => read(file.subarray(0, end), 16));
    assert.match(reason, /no snapshot of Redis|longer than the file|in its checksum/, `${end}`);
  }
  const longer = Buffer.concat([file, Buffer.from('*1')]);
  assert.is(
    reasonOf(() => read(longer)),
    '2 bytes stand behind its end',
  );
});

files('a file with any byte changed is refused', () => {
  const store = testStore();
  const [first] = store.databases as [Keyspace];
  for (let nth = 0; nth < 5; nth += 1) setText(first, `key ${nth}`, 'some value');
  const file = written(store);
  for (let at = 0; at < file.length; at += 1) {
    const harmed = Buffer.from(file);
    harmed[at] = harmed[at]! ^ 1;
    assert.is.not(
      reasonOf(() => read(harmed, 16)),
      'none',
      `${at}`,
    );
  }
  assert.match(
    reasonOf(() => read(Buffer.concat([file.subarray(0, -1), Buffer.from([1])]))),
    'checksum',
  );
});

/** A key with what Redis writes of its use before it. */
function withUse(...use: number[]): Buffer {
  const head = Buffer.from(`REDIS00${RDB_VERSION}`);
  const key = Buffer.concat([
    Buffer.from([0, 1]),
    Buffer.from('k'),
    Buffer.from([1]),
    Buffer.from('v'),
  ]);
  const body = Buffer.concat([
    head,
    Buffer.from([254, 0]),
    Buffer.from(use),
    key,
    Buffer.from([255]),
  ]);
  const footer = Buffer.alloc(8);
  const { high, low } = crc64(body, 0, body.length);
  footer.writeUInt32LE(low, 0);
  footer.writeUInt32LE(high, 4);
  return Buffer.concat([body, footer]);
}

const IDLE_100 = [248, 0x40, 100];
const FREQUENCY_200 = [249, 200];
const uses: readonly (readonly [
  string,
  number[],
  'allkeys-lru' | 'volatile-lfu',
  number,
  number,
])[] = [
  ['an idle time', IDLE_100, 'allkeys-lru', 100, -1],
  ['an idle time', IDLE_100, 'volatile-lfu', -1, 5],
  ['a frequency', FREQUENCY_200, 'allkeys-lru', 0, -1],
  ['a frequency', FREQUENCY_200, 'volatile-lfu', -1, 200],
  ['an idle time of a year', [248, 0x80, 1, 0xe1, 0x33, 0x80], 'allkeys-lru', 2 ** 24 - 1, -1],
];
for (const [what, use, policy, idleSeconds, frequency] of uses) {
  files(`${what} under ${policy} is what Redis makes of it`, () => {
    const store = testStore();
    store.setPolicy(policy);
    store.clock = Math.floor(store.nowMs / 1_000) & 0xff_ffff;
    read(withUse(...use), 9, store);
    const [first] = store.databases;
    // To look for the key would be a use of it.
    let ref = 0;
    first!.scan(0, 10, (found) => (ref = found));
    if (idleSeconds >= 0) assert.is(first!.idleSeconds(ref), idleSeconds);
    if (frequency >= 0) assert.is(first!.access(ref) & 0xff, frequency);
  });
}

files.run();
