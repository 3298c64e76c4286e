/**
 * A table as bytes: its memory as it stands, so that writing and reading it are copies. In words:
 *
 *   HEAD_WORDS   the secrets, whether there are values, entries, longest chain, level, split,
 *                pages, entries that expire
 *   pages        bytes used (0: a page that was given back), bytes live, the bytes used
 *   buckets      the first entry of each
 *   heap         the entries that expire
 */
import type { Steps } from '#base';
import type { Encoded, ObjectCodec } from '../values/codecs.ts';
import { asBytes, WordReader, type WordWriter } from '../memory/word-bytes.ts';
import { Arena } from './arena.ts';
import { Buckets } from './buckets.ts';
import { PackedTable } from './packed-table.ts';

const HEAD_WORDS = 9;
const PAGE_WORDS = 2;
const WORD_BYTES = 4;

export const tableCodec: ObjectCodec = {
  *encode(object) {
    return new EncodedTable(object as PackedTable);
  },
  decode: (pieces) => readTable(new WordReader(pieces)),
  copy: (object) => (object as PackedTable).copy(),
  bytesOf: (object) => (object as PackedTable).bytes,
};

class EncodedTable implements Encoded {
  readonly byteCount: number;
  readonly #table: PackedTable;

  constructor(table: PackedTable) {
    this.#table = table;
    const { arena, buckets, heapRefs } = table.parts;
    let words = HEAD_WORDS + buckets.count + heapRefs.length;
    for (const index of arena.pages.keys()) {
      words += PAGE_WORDS + arena.usedIn(index) / WORD_BYTES;
    }
    this.byteCount = words * WORD_BYTES;
  }

  *write(writer: WordWriter): Steps<void> {
    const table = this.#table;
    const { arena, buckets, heapRefs, chainMax } = table.parts;
    const { secret0, secret1 } = table.secrets;
    writer.words(secret0, secret1, table.hasValues ? 1 : 0, table.count, chainMax);
    writer.words(buckets.level, buckets.split, arena.pages.length, heapRefs.length);
    for (const [index, { bytes, live }] of arena.pages.entries()) {
      const used = arena.usedIn(index);
      writer.words(used, live);
      writer.bytes(bytes.subarray(0, used));
      yield;
    }
    yield* buckets.write(writer);
    writer.bytes(asBytes(heapRefs));
  }
}

/** A table as it was written. */
export function* readTable(reader: WordReader): Steps<PackedTable> {
  const secrets = { secret0: reader.word(), secret1: reader.word() };
  const table = new PackedTable(secrets, reader.word() === 1);
  const count = reader.word();
  const chainMax = reader.word();
  const level = reader.word();
  const split = reader.word();
  const pages = reader.word();
  const heapRefs = new Int32Array(reader.word());
  const arena = new Arena();
  for (let page = 0; page < pages; page += 1) {
    const used = reader.word();
    const live = reader.word();
    arena.adopt(used === 0 ? undefined : reader.bytes(used), live);
    yield;
  }
  const buckets = yield* Buckets.read(level, split, reader);
  asBytes(heapRefs).set(reader.bytes(heapRefs.length * WORD_BYTES));
  table.adopt(count, arena, buckets, heapRefs, chainMax);
  return table;
}
