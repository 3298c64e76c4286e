/**
 * A table as bytes: its memory as it stands, so that writing and reading it are copies. In words:
 *
 *   HEAD_WORDS   the secrets, whether there are values, entries, longest chain, level, split,
 *                pages, entries that expire
 *   pages        bytes used (0: a page that was given back), bytes live, the bytes used
 *   buckets      the first entry of each
 *   heap         the entries that expire
 */
import type { ObjectCodec } from '../value-codec.ts';
import { Arena } from './arena.ts';
import { Buckets } from './buckets.ts';
import { PackedTable } from './packed-table.ts';

const HEAD_WORDS = 9;
const WORD_BYTES = 4;

export const tableCodec: ObjectCodec = {
  encode: (object) => encodeTable(object as PackedTable),
  decode: decodeTable,
  copy: (object) => (object as PackedTable).copy(),
  bytesOf: (object) => (object as PackedTable).bytes,
};

function encodeTable(table: PackedTable): Uint8Array {
  const { arena, buckets, heapRefs, chainMax } = table.parts;
  const { pages } = arena;
  let words = HEAD_WORDS + buckets.count + heapRefs.length;
  for (const page of pages) words += 2 + page.used / WORD_BYTES;
  const out = new Int32Array(words);
  const { secret0, secret1 } = table.secrets;
  const hasValues = table.hasValues ? 1 : 0;
  const { level, split } = buckets;
  out.set([secret0, secret1, hasValues, table.count, chainMax, level, split]);
  out.set([pages.length, heapRefs.length], HEAD_WORDS - 2);
  let at = HEAD_WORDS;
  for (const [index, page] of pages.entries()) {
    const used = arena.isVacant(index) ? 0 : page.used;
    out[at] = used;
    out[at + 1] = page.live;
    out.set(page.words.subarray(0, used / WORD_BYTES), at + 2);
    at += 2 + used / WORD_BYTES;
  }
  for (let index = 0; index < buckets.count; index += 1) out[at + index] = buckets.head(index);
  at += buckets.count;
  out.set(heapRefs, at);
  return new Uint8Array(out.buffer, 0, (at + heapRefs.length) * WORD_BYTES);
}

function decodeTable(bytes: Uint8Array): PackedTable {
  // A copy of its own begins where words may.
  const words = new Int32Array(new Uint8Array(bytes).buffer);
  const word = (index: number): number => words[index]!;
  const table = new PackedTable({ secret0: word(0), secret1: word(1) }, word(2) === 1);
  const arena = new Arena();
  const buckets = new Buckets();
  let at = HEAD_WORDS;
  for (let page = 0; page < word(7); page += 1) {
    const used = word(at);
    const start = (at + 2) * WORD_BYTES;
    const body = new Uint8Array(words.buffer, start, used);
    arena.adopt(used === 0 ? undefined : body, word(at + 1));
    at += 2 + used / WORD_BYTES;
  }
  buckets.resize(word(5), word(6));
  for (let index = 0; index < buckets.count; index += 1) buckets.setHead(index, word(at + index));
  at += buckets.count;
  table.adopt(word(3), arena, buckets, words.slice(at, at + word(8)), word(4));
  return table;
}
