/** Records of all kinds survive packing, with any contents; and a log of the first format is readable. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Bytes } from '#base';
import { frameBytes, LinkMemory, LOG_BLOCK_BYTES } from '#link';
import { type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checksum, firstFormat, SHORT_HEAD_BYTES, shortenBlock, shortFormat } from './block.ts';
import { BlockReader } from './block-reader.ts';
import { encodeFileHead } from './file-head.ts';
import { BlockPacker, BlockUnpacker, PackedBlockError } from './packed-block.ts';
import {
  hasTransaction,
  isCommand,
  Record,
  RECORD_DATABASE_SHIFT,
  RECORD_GROUPED,
  RECORD_HEADER_BYTES,
  RecordKind,
  TRANSACTION_BYTES,
} from './record.ts';

const packing = suite('packed block');

const CREATED_MS = 1_700_000_000_000.5;
const RECORD_AT = 128 * 1024;
const MEMORY_BYTES = 512 * 1024;
const KINDS = Object.values(RecordKind).filter((kind) => kind !== RecordKind.cut);

const folder = mkdtempSync(path.join(tmpdir(), 'svc-packed-'));
packing.after(() => {
  rmSync(folder, { recursive: true });
});

const lengthOf = (random: Random): number =>
  random.pick([random.integer(0, 20), random.integer(100, 300), random.integer(0, 20_000)]);

/** A time near that of the file, mostly; of clocks that go back, too, and between milliseconds. */
const timeOf = (random: Random): number =>
  Math.floor(CREATED_MS) +
  random.pick([0, 0, random.integer(0, 200), random.integer(-5_000, 2 ** 35), random.fraction()]);

function headed(size: number, kind: number, random: Random): Buffer {
  const record = Buffer.alloc(frameBytes(size));
  const grouped = random.chance(0.2) ? RECORD_GROUPED : 0;
  const database = random.chance(0.2) ? random.integer(1, 0x7fff) : 0;
  record.writeInt32LE(record.length, 0);
  record.writeInt32LE(kind | grouped | (database << RECORD_DATABASE_SHIFT), 4);
  record.writeDoubleLE(timeOf(random), 4 * Record.timeAt);
  if (hasTransaction(kind)) {
    record.writeUInt32LE(random.integer(0, 2 ** 32 - 1), 4 * Record.transaction);
    record.writeUInt32LE(random.integer(0, 300), 4 * Record.epoch);
  }
  return record;
}

/** A record as the packer must give it back: its arguments follow each other. */
function recordOf(random: Random): Buffer {
  const kind = random.pick(KINDS);
  const spans = RECORD_HEADER_BYTES + (hasTransaction(kind) ? TRANSACTION_BYTES : 0);
  if (!isCommand(kind)) {
    const body = random.bytes(lengthOf(random));
    const record = headed(spans + body.length, kind, random);
    record.writeInt32LE(body.length, 4 * Record.bodyBytes);
    record.set(body, spans);
    return record;
  }
  const parts = Array.from({ length: random.integer(1, 5) }, () => random.bytes(lengthOf(random)));
  const body = Buffer.concat(parts);
  const bodyAt = spans + 8 * parts.length;
  const record = headed(bodyAt + body.length, kind, random);
  record.writeInt32LE(parts.length, 4 * Record.argumentCount);
  record.writeInt32LE(body.length, 4 * Record.bodyBytes);
  let at = 0;
  for (const [nth, { length }] of parts.entries()) {
    record.writeInt32LE(at, spans + 8 * nth);
    record.writeInt32LE(length, spans + 8 * nth + 4);
    at += length;
  }
  record.set(body, bodyAt);
  return record;
}

/** As many random records as a block takes, and the block. */
function packed(random: Random): { readonly records: readonly Buffer[]; readonly block: Bytes } {
  const memory = LinkMemory.allocate(MEMORY_BYTES);
  const packer = new BlockPacker(memory, 0, LOG_BLOCK_BYTES);
  packer.begin(CREATED_MS);
  const records: Buffer[] = [];
  for (let count = random.integer(1, 60); count > 0; count -= 1) {
    const record = recordOf(random);
    memory.bytes.set(record, RECORD_AT);
    if (!packer.add(RECORD_AT >> 2)) break;
    records.push(record);
  }
  assert.is(packer.records, records.length);
  return { records, block: packer.end(7, 3).slice() };
}

packing(
  'records come back as they were, and are shorter on the way',
  withRandom((random) => {
    const unpacker = new BlockUnpacker();
    for (let round = 0; round < 300; round += 1) {
      const { records, block } = packed(random);
      const body = block.subarray(SHORT_HEAD_BYTES);
      const all = Buffer.concat(records);
      assert.ok(unpacker.unpack(body, CREATED_MS).equals(all));
      assert.ok(records.length === 0 || body.length < all.length);
      // What is before a record is a block of the records before it.
      const before = random.integer(0, records.length);
      const at = records.slice(0, before).reduce((sum, { length }) => sum + length, 0);
      const part = body.slice(0, unpacker.packedBefore(at));
      assert.ok(unpacker.unpack(part, CREATED_MS).equals(all.subarray(0, at)));
    }
  }),
);

packing(
  'what ends within a record is refused',
  withRandom((random) => {
    const { block } = packed(random);
    const unpacker = new BlockUnpacker();
    assert.throws(
      () => unpacker.unpack(block.subarray(SHORT_HEAD_BYTES, -1), CREATED_MS),
      (error: unknown) => error instanceof PackedBlockError,
    );
  }),
);

const HEAD = {
  shard: 0,
  shards: 1,
  number: 1,
  epoch: 1,
  createdMs: CREATED_MS,
  previous: 0,
  lostBefore: 0,
  brokenMs: 0,
};

packing(
  'a log of the first format is read as it was written, and shortened as one',
  withRandom((random) => {
    const blocks = Array.from({ length: 3 }, () => {
      return Buffer.concat(Array.from({ length: 4 }, () => recordOf(random)));
    });
    const pieces = blocks.flatMap((block, nth) => {
      const head = { bytes: block.length, crc: checksum([block]), number: nth + 1, synced: nth };
      return [firstFormat.encode(head), block];
    });
    const file = path.join(folder, 'first.log');
    writeFileSync(file, Buffer.concat([encodeFileHead('log', { ...HEAD, format: 1 }), ...pieces]));
    const reader = new BlockReader('log', file);
    for (const block of blocks) assert.ok(reader.next()!.equals(block));
    assert.is(reader.next(), undefined);
    assert.is(reader.end(true), undefined);
    // Without its last two records.
    const last = blocks[2]!;
    const half = last.readInt32LE(0) + last.readInt32LE(last.readInt32LE(0));
    shortenBlock(file, reader.format, reader.blockAt, reader.bytesBefore(half));
    reader.close();
    const shorter = new BlockReader('log', file);
    for (const block of [blocks[0]!, blocks[1]!, last.subarray(0, half)])
      assert.ok(shorter.next()!.equals(block));
    assert.is(shorter.next(), undefined);
    assert.is(shorter.end(true), undefined);
    shorter.close();
  }),
);

packing('blocks of any length are read, wherever in the file they begin', () => {
  const lengths = [13, 5 * 1024 * 1024 + 3, 1, 4 * 1024 * 1024, 4 * 1024 * 1024 - 7, 20];
  const pieces: Bytes[] = [encodeFileHead('log', HEAD)];
  let at = pieces[0]!.length;
  const records = lengths.map((length, nth) => {
    const record = Buffer.alloc(length, nth + 1);
    const body = [Buffer.alloc(shortFormat.padding(at + SHORT_HEAD_BYTES)), record];
    const bytes = body[0]!.length + length;
    const head = { bytes, crc: checksum(body), number: nth + 1, synced: nth };
    pieces.push(shortFormat.encode(head), ...body);
    at += SHORT_HEAD_BYTES + bytes;
    return record;
  });
  const file = path.join(folder, 'long.log');
  writeFileSync(file, Buffer.concat(pieces));
  const reader = new BlockReader('log', file);
  for (const record of records) assert.ok(reader.next()!.equals(record), `${record.length} bytes`);
  assert.is(reader.next(), undefined);
  assert.is(reader.end(true), undefined);
  reader.close();
});

packing.run();
