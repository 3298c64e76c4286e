/** Snapshot files for tests: of raw operations with a checksum that fits, of values of every type, and what they load. */
import { type Bytes, crc64 } from '#base';
import { accessOfUse } from '../records/access.ts';
import { ListpackEntries } from '../listpack/listpack-entries.ts';
import type { Ref } from '../memory/segment.ts';
import type { Store } from '../store.ts';
import { keyText, testStore } from '../store.test-helper.ts';
import { dumpValue } from './payload.ts';
import { NodeForm, RDB_VERSION, RdbOp, RdbType } from './format/rdb-type.ts';
import { RdbWriter } from './format/rdb-writer.ts';
import { readRdbFile } from './rdb-file.ts';
import type { ValueLimits } from './values/read-value.ts';
// They name the codecs of objects.
import '../list/list-value.ts';
import '../sorted-set/sorted-set-value.ts';
import '../stream/stream-value.ts';
import '../hash/hash-value.ts';

const packedLimits = { entries: 128, valueBytes: 64 };
export const limits: ValueLimits = {
  hash: packedLimits,
  zset: packedLimits,
  set: { ...packedLimits, intsetEntries: 512 },
  list: { size: -2, compressDepth: 0, plainBytes: 0 },
};

/** Returns a file of these operations, with or without a checksum. */
export function fileOf(operations: Bytes, version = RDB_VERSION, hasChecksum = true): Buffer {
  const head = Buffer.from(`REDIS${String(version).padStart(4, '0')}`);
  const body = Buffer.concat([head, operations, Buffer.from([RdbOp.end])]);
  const footer = Buffer.alloc(8);
  if (hasChecksum) {
    const { high, low } = crc64(body, 0, body.length);
    footer.writeUInt32LE(low, 0);
    footer.writeUInt32LE(high, 4);
  }
  return Buffer.concat([body, footer]);
}

type Write = (writer: RdbWriter) => void;

/** Returns what is written. */
export function writtenBy(write: Write): Bytes {
  const writer = new RdbWriter();
  write(writer);
  return writer.written;
}

/** Operation for a key with its value. */
export function keyOf(name: string, type: number, value: Write): Bytes {
  return writtenBy((writer) => {
    writer.byte(type);
    writer.string(Buffer.from(name));
    value(writer);
  });
}

const texts =
  (...items: readonly (string | Bytes)[]): Write =>
  (writer) => {
    for (const item of items) {
      writer.string(typeof item === 'string' ? Buffer.from(item, 'latin1') : item);
    }
  };

/** Texts behind a number that says how many pieces they are. */
export const counted =
  (count: number, ...items: readonly string[]): Write =>
  (writer) => {
    writer.length(count);
    texts(...items)(writer);
  };

function listpackOf(...items: readonly (string | number)[]): Bytes {
  const entries = new ListpackEntries();
  for (const item of items) {
    if (typeof item === 'number') entries.addInteger(item);
    else entries.add(Buffer.from(item));
  }
  return entries.toListpack();
}

/** Returns a ziplist of texts of less than 64 bytes. */
function ziplistOf(...items: readonly string[]): Bytes {
  const entries: number[] = [];
  let before = 0;
  for (const item of items) {
    const entry = [before, item.length].concat(...Buffer.from(item));
    before = entry.length;
    entries.push(...entry);
  }
  const head = Buffer.alloc(10);
  head.writeUInt32LE(entries.length + 11, 0);
  head.writeUInt32LE(10 + entries.length - before, 4);
  head.writeUInt16LE(items.length, 8);
  return Buffer.concat([head, Buffer.from(entries), Buffer.from([0xff])]);
}

function intsetOf(...items: readonly number[]): Bytes {
  const bytes = Buffer.alloc(8 + 2 * items.length);
  bytes.writeUInt32LE(2, 0);
  bytes.writeUInt32LE(items.length, 4);
  for (const [index, item] of items.entries()) bytes.writeInt16LE(item, 8 + 2 * index);
  return bytes;
}

/** A node of two entries and one that is deleted, as Redis 7.4.1 wrote it. */
const NODE = Buffer.from(
  '3e000000190002010101020181610281620200010201000100010101020105010301000101010301040105010001dffe02040101018163028178020601ff',
  'hex',
);

function streamId(ms: number, sequence: number): Bytes {
  const id = Buffer.alloc(16);
  id.writeBigUInt64BE(BigInt(ms), 0);
  id.writeBigUInt64BE(BigInt(sequence), 8);
  return id;
}

/** A stream; `version` is that of the type in its name. */
function stream(version: 1 | 2 | 3 | 4 | 5, length = 2): Write {
  const hasCounters = version >= 2;
  const hasActivity = version >= 3;
  return (writer) => {
    writer.length(1);
    texts(streamId(1, 1), NODE)(writer);
    writer.length(length);
    writer.wideLength(0xffff_ffff, 0xffff_ffff);
    writer.length(5);
    if (hasCounters) for (const number of [1, 1, 1, 2, 3]) writer.length(number);
    writer.length(2);
    for (const [name, owners] of [
      ['g', 2],
      ['h', 0],
    ] as const) {
      texts(name)(writer);
      for (const number of hasCounters ? [1, 1, 1] : [1, 1]) writer.length(number);
      const released = version >= 5 && owners > 0 ? 1 : 0;
      writer.length(owners + released);
      for (let nth = 1; nth <= owners + released; nth += 1) {
        const id = streamId(1, nth);
        writer.raw(id, 0, id.length);
        writer.milliseconds(nth > owners ? 0 : 1_600_000_000_000);
        writer.length(nth);
      }
      writer.length(owners);
      for (let nth = 1; nth <= owners; nth += 1) {
        texts(`consumer ${nth}`)(writer);
        writer.milliseconds(1_600_000_000_001);
        if (hasActivity) writer.milliseconds(1_600_000_000_002);
        writer.length(1);
        const id = streamId(1, nth);
        writer.raw(id, 0, id.length);
      }
      if (version < 5) continue;
      writer.length(released);
      if (released > 0) writer.raw(streamId(1, owners + 1), 0, 16);
    }
    if (version >= 4) idempotency(writer);
  };
}

/** Limits, two producers with an idempotent id and with two, and counters. */
function idempotency(writer: RdbWriter): void {
  writer.length(3_600);
  writer.length(50);
  writer.length(2);
  for (const [producer, ids] of [
    ['p', ['7']],
    ['q', ['a', '\x00\xff']],
  ] as const) {
    texts(producer)(writer);
    writer.length(ids.length);
    for (const [nth, id] of ids.entries()) {
      texts(id)(writer);
      writer.wideLength(400, nth);
      writer.length(nth);
    }
  }
  writer.length(9);
  writer.length(2);
}

const scores: Write = (writer) => {
  writer.length(4);
  for (const [member, score] of [
    ['a', '1.5'],
    ['b', '-17'],
  ] as const) {
    texts(member)(writer);
    writer.byte(score.length);
    writer.raw(Buffer.from(score), 0, score.length);
  }
  for (const code of [254, 255]) {
    texts(`infinite ${code}`)(writer);
    writer.byte(code);
  }
};

const doubles: Write = (writer) => {
  writer.length(2);
  texts('a')(writer);
  writer.double(1.5);
  texts('b')(writer);
  writer.double(-Infinity);
};

const endsOf =
  (first: number | undefined, ...ends: readonly number[]): Write =>
  (writer) => {
    if (first !== undefined) writer.milliseconds(first);
    writer.length(ends.length);
    for (const [index, end] of ends.entries()) {
      writer.length(end);
      texts(`field ${index}`, 'v'.repeat(70))(writer);
    }
  };

const END = 1_900_000_000_000;
const SOME_TEXT = '%'.repeat(40);

const nodes: Write = (writer) => {
  writer.length(2);
  writer.length(NodeForm.packed);
  texts(listpackOf('a', 12, 'c'))(writer);
  writer.length(NodeForm.plain);
  texts('p'.repeat(100))(writer);
};

const compressed: Write = (writer) => {
  // One literal, and a reference to 39 bytes that begin with it.
  writer.compressedString(Buffer.from([0, 0x25, 0xe0, 30, 0]), SOME_TEXT.length);
};

/** Collections without elements, in each form that has some. */
export const emptyValues: readonly (readonly [type: number, value: Write])[] = [
  [RdbType.list, counted(0)],
  [RdbType.set, counted(0)],
  [RdbType.zset, counted(0)],
  [RdbType.hash, counted(0)],
  [RdbType.zset2, counted(0)],
  [RdbType.hashZipmap, texts('\0\xff')],
  [RdbType.listZiplist, texts(ziplistOf())],
  [RdbType.zsetZiplist, texts(ziplistOf())],
  [RdbType.hashZiplist, texts(ziplistOf())],
  [RdbType.listQuicklist, counted(0)],
  [RdbType.listQuicklist, counted(1, latin1Of(ziplistOf()))],
  [RdbType.hashListpack, texts(listpackOf())],
  [RdbType.zsetListpack, texts(listpackOf())],
  [RdbType.listQuicklist2, counted(0)],
  [RdbType.setListpack, texts(listpackOf())],
  [RdbType.hashMetadataEarly, counted(0)],
  [RdbType.hashListpackExEarly, texts(listpackOf())],
  [RdbType.hashMetadata, withFirstEnd(counted(0))],
  [RdbType.hashListpackEx, withFirstEnd(texts(listpackOf()))],
];

/** Stream of two entries whose length field is `length`. */
export const streamOfLength = (length: number): Write => stream(1, length);

/** One value or more of every type. */
export const valuesOfEveryType: readonly (readonly [type: number, value: Write])[] = [
  [RdbType.string, texts('text')],
  [RdbType.string, texts('')],
  [RdbType.string, texts('7')],
  [RdbType.string, texts('-1234')],
  [RdbType.string, texts('1234567890')],
  [RdbType.string, texts('x'.repeat(300))],
  [RdbType.string, texts('y'.repeat(5_000))],
  [RdbType.string, compressed],
  [RdbType.list, counted(3, 'a', '12', 'c'.repeat(100))],
  [RdbType.set, counted(2, 'a', 'b')],
  [RdbType.set, counted(2, '1', '70000')],
  [RdbType.zset, scores],
  [RdbType.hash, counted(2, 'a', '1', 'b', 'two')],
  [RdbType.zset2, doubles],
  [RdbType.hashZipmap, texts(`\x02\x01a\x01\x00x\x03two\xfe\x05\0\0\0\x02valueab\xff`)],
  [RdbType.listZiplist, texts(ziplistOf('a', 'b'))],
  [RdbType.setIntset, texts(intsetOf(-3, 5, 9))],
  [RdbType.zsetZiplist, texts(ziplistOf('a', '1', 'b', '2'))],
  [RdbType.hashZiplist, texts(ziplistOf('a', 'x', 'b', 'y'))],
  [RdbType.listQuicklist, counted(2, ...[ziplistOf('a'), ziplistOf('b', 'c')].map(latin1Of))],
  [RdbType.stream, stream(1)],
  [RdbType.hashListpack, texts(listpackOf('a', 1, 'b', 'x'))],
  [RdbType.zsetListpack, texts(listpackOf('a', 1, 'b', 2))],
  [RdbType.listQuicklist2, nodes],
  [RdbType.stream2, stream(2)],
  [RdbType.setListpack, texts(listpackOf('a', 'b', 3))],
  [RdbType.stream3, stream(3)],
  [RdbType.hashMetadataEarly, endsOf(undefined, 0, END)],
  [RdbType.hashListpackExEarly, texts(listpackOf('a', 1, END, 'b', 'x', 0))],
  [RdbType.hashMetadata, endsOf(END, 1, 0, 500)],
  [RdbType.hashListpackEx, withFirstEnd(texts(listpackOf('a', 1, END, 'b', 'x', 0)))],
  [RdbType.stream4, stream(4)],
  [RdbType.stream5, stream(5)],
];

function latin1Of(bytes: Bytes): string {
  return Buffer.from(bytes).toString('latin1');
}

function withFirstEnd(write: Write): Write {
  return (writer) => {
    writer.milliseconds(END);
    write(writer);
  };
}

/** Returns operations of every kind, with a value of every type. */
export function everyOperation(): Bytes {
  const { aux, function2, selectDb, resizeDb, slotInfo, expireMs, expireSeconds } = RdbOp;
  const pieces: Bytes[] = [
    writtenBy((writer) => {
      writer.byte(aux);
      texts('redis-ver', '7.4.1')(writer);
      writer.byte(aux);
      texts('repl-stream-db', '0')(writer);
      writer.byte(function2);
      texts('#!lua name=one')(writer);
      writer.byte(selectDb);
      writer.length(0);
      writer.byte(slotInfo);
      for (const number of [1, 2, 3]) writer.length(number);
      writer.byte(resizeDb);
      writer.length(valuesOfEveryType.length);
      writer.length(2);
    }),
  ];
  for (const [index, [type, value]] of valuesOfEveryType.entries()) {
    pieces.push(
      writtenBy((writer) => {
        if (index % 4 === 1) {
          writer.byte(expireMs);
          writer.milliseconds(END + index);
        }
        if (index % 8 === 3) {
          writer.byte(expireSeconds);
          writer.word(index === 3 ? 1 : END / 1_000);
        }
        if (index % 3 === 1) {
          writer.byte(RdbOp.idle);
          writer.length(index * 100);
        }
        if (index % 3 === 2) {
          writer.byte(RdbOp.frequency);
          writer.byte(index);
        }
      }),
      keyOf(index % 5 === 0 ? String(index) : `key ${index}`, type, value),
    );
  }
  return Buffer.concat(pieces);
}

/** Reads a file into a store as a whole. */
export function loadWhole(file: Bytes): Store {
  const store = testStore();
  readRdbFile(
    {
      bytes: file.length,
      read(into, at) {
        into.set(file.subarray(at, at + into.length));
      },
    },
    {
      limits,
      nowMs: store.nowMs,
      keyspaceOf: (database) => store.databases[database],
      library: () => undefined,
      accessOf: (use) => accessOfUse(use, store),
    },
  );
  return store;
}

/** All that a store holds, key by key. */
export function contentsOf(store: Store): Map<string, unknown> {
  const contents = new Map<string, unknown>();
  for (const [database, keyspace] of store.databases.entries()) {
    const refs: Ref[] = [];
    let cursor = 0;
    do {
      cursor = keyspace.scan(cursor, 100, (ref) => refs.push(ref));
    } while (cursor !== 0);
    for (const ref of refs) {
      const key = keyText(keyspace, ref);
      const value = Buffer.from(dumpValue(keyspace, ref)).toString('hex');
      contents.set(`${database} ${key}`, {
        value,
        encoding: keyspace.encoding(ref),
        expireAt: keyspace.expireAt(ref),
        access: keyspace.access(ref),
      });
    }
  }
  return contents;
}
