/**
 * A large sorted set as bytes: its memory as it stands, so that writing and reading it are copies.
 *
 *   HEAD_WORDS   bytes of the table, leaves, inner nodes, levels, root, first and last leaf
 *   leaves, inner nodes, table
 */
import { tableCodec } from '../table/table-codec.ts';
import type { PackedTable } from '../table/packed-table.ts';
import type { ObjectCodec } from '../value-codec.ts';
import { NodePages } from './node-pages.ts';
import { RankedTable } from './ranked-table.ts';
import { ScoreTree } from './score-tree.ts';

/** An even number, since scores are doubles. */
const HEAD_WORDS = 8;
const WORD_BYTES = 4;

export const rankedTableCodec: ObjectCodec = {
  encode: (object) => encode(object as RankedTable),
  decode,
  copy: (object) => (object as RankedTable).copy(),
  bytesOf: (object) => (object as RankedTable).totalBytes,
};

function encode({ table, tree }: RankedTable): Uint8Array {
  const { leaves, inner, height, root, first, last } = tree;
  const body = tableCodec.encode(table);
  const nodesWords = leaves.used * leaves.words + inner.used * inner.words;
  const words = new Int32Array(HEAD_WORDS + nodesWords + Math.ceil(body.length / WORD_BYTES));
  words.set([body.length, leaves.used, inner.used, height, root, first, last]);
  leaves.writeTo(words, HEAD_WORDS);
  inner.writeTo(words, HEAD_WORDS + leaves.used * leaves.words);
  const out = new Uint8Array(words.buffer);
  out.set(body, (HEAD_WORDS + nodesWords) * WORD_BYTES);
  return out;
}

function decode(bytes: Uint8Array): RankedTable {
  // A copy of its own begins where words may.
  const words = new Int32Array(new Uint8Array(bytes).buffer);
  const word = (index: number): number => words[index]!;
  const leaves = NodePages.readFrom(words, HEAD_WORDS, word(1), false);
  const innerAt = HEAD_WORDS + leaves.used * leaves.words;
  const inner = NodePages.readFrom(words, innerAt, word(2), true);
  const tableAt = (innerAt + inner.used * inner.words) * WORD_BYTES;
  const body = new Uint8Array(words.buffer, tableAt, word(0));
  const table = tableCodec.decode(body) as PackedTable;
  const tree = new ScoreTree();
  tree.adopt(leaves, inner, table.count, word(3));
  tree.root = word(4);
  tree.first = word(5);
  tree.last = word(6);
  return new RankedTable(table, tree);
}
