/** RDB files read in pieces: for any sizes of pieces, either all data is read or the file is refused. */
import { type Bytes, crc64 } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { setText, testStore, textOf } from '../store.test-helper.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Store } from '../store.ts';
import { accessOfUse } from '../records/access.ts';
import { RDB_VERSION, RdbOp, RdbType } from './format/rdb-type.ts';
import { RdbFileError } from './format/malformed.ts';
import { readRdbFile, RdbFileWriter, type RdbSource } from './rdb-file.ts';
import type { ValueLimits } from './values/read-value.ts';
import {
  contentsOf,
  emptyValues,
  fileOf,
  keyOf,
  streamOfLength,
  valuesOfEveryType,
} from './rdb-file.test-helper.ts';
import type { Stream } from '../stream/stream.ts';

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

function read(file: Bytes, windowBytes?: number, store = testStore(), skipsDamaged = false) {
  const source = sourceOf(file);
  const target = {
    limits,
    nowMs: store.nowMs,
    skipsDamaged,
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
    '2 bytes follow its end',
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

const text = (name: string): Bytes =>
  keyOf(name, RdbType.string, (writer) => {
    writer.string(Buffer.from('text'));
  });

files('a key without elements is skipped in every form, and named; the others are there', () => {
  const operations = emptyValues.map(([type, value], nth) => keyOf(`empty ${nth}`, type, value));
  const { store, contents } = read(fileOf(Buffer.concat([...operations, text('fine')])), 16);
  assert.equal(
    contents.empty,
    emptyValues.map((_, nth) => `"empty ${nth}"`),
  );
  assert.is(contents.keys, 1);
  assert.is(textOf(store.databases[0]!, 'fine'), 'text');
});

files('a stream has the length of its entries, whatever the file says', () => {
  const streams = [1, 2, 9].map((length) =>
    keyOf(`stream ${length}`, RdbType.stream, streamOfLength(length)),
  );
  const { store, contents } = read(fileOf(Buffer.concat(streams)));
  assert.is(contents.keys, 3);
  const [keyspace] = store.databases as [Keyspace];
  keyspace.scan(0, 10, (ref) => {
    assert.is((keyspace.object(ref) as Stream).length, 2);
  });
});

for (const version of [1, 2, 3, 4]) {
  files(`version ${version} is read, which has no checksum`, () => {
    const operations = valuesOfEveryType.map(([type, value], nth) => keyOf(`${nth}`, type, value));
    const file = fileOf(Buffer.concat(operations), version).subarray(0, -8);
    const { store, contents } = read(file, 16);
    assert.is(contents.version, version);
    assert.is(contents.keys, valuesOfEveryType.length);
    assert.equal(contentsOf(store), contentsOf(read(fileOf(Buffer.concat(operations))).store));
    assert.match(
      reasonOf(() => read(file.subarray(0, -1), 16)),
      'longer than the file',
    );
  });
}

files('what can be read of a damaged file is had, if it is wanted, and the rest is named', () => {
  const bad = keyOf('bad', RdbType.setIntset, (writer) => {
    writer.string(Buffer.from('no integers'));
  });
  const module = Buffer.concat([
    Buffer.from([7, 3]),
    Buffer.from('mod'),
    Buffer.from([
      0x81, 1, 2, 3, 4, 5, 6, 7, 8, 2, 0x0a, 5, 2, 97, 98, 4, 1, 2, 3, 4, 5, 6, 7, 8, 0,
    ]),
  ]);
  const database = Buffer.from([RdbOp.selectDb, 63]);
  const operations = [text('one'), bad, module, text('two'), database, text('far')];
  const end = Buffer.from([99, 1, 97]);
  const file = fileOf(Buffer.concat([...operations, end]), 13);
  const harmed = Buffer.concat([file.subarray(0, -1), Buffer.from([1])]);
  const { store, contents } = read(harmed, 16, testStore(), true);
  assert.is(contents.keys, 2);
  assert.is(textOf(store.databases[0]!, 'two'), 'text');
  assert.equal(contents.damaged, [
    'it has version 13; versions 1 to 12 can be read',
    'the value of key "bad" in database 0 is damaged',
    'key "mod": a value of a module',
    'it has keys in database 63: set server.databases, or in a cluster cluster.databases, to 64 or more',
    'the rest: it holds a value of type 99 at offset 88, which this server does not have',
  ]);
  const cut = read(fileOf(text('one')).subarray(0, -3), 16, testStore(), true);
  assert.is(cut.contents.keys, 1);
  assert.match(cut.contents.damaged.join(), /in its checksum/);
  assert.match(
    reasonOf(() => read(fileOf(bad))),
    'the value of key "bad" in database 0 is damaged',
  );
});

files.run();
