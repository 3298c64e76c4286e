/**
 * A large sorted set as bytes: its memory as it stands, so that writing and reading it are copies.
 *
 *   HEAD_WORDS   bytes of the table, leaves, inner nodes, levels, root, first and last leaf, and 0
 *   leaves, inner nodes, table
 */
import { finish, type Pieces, type Steps } from '#base';
import { readTable, tableCodec } from '../table/table-codec.ts';
import type { Encoded, ObjectCodec } from '../values/codecs.ts';
import { WordReader, type WordWriter } from '../memory/word-bytes.ts';
import { NodePages } from './node-pages.ts';
import { RankedTable } from './ranked-table.ts';
import { ScoreTree } from './score-tree.ts';

const HEAD_WORDS = 8;
const WORD_BYTES = 4;

export const rankedTableCodec: ObjectCodec = {
  *encode(object) {
    return new EncodedRanks(object as RankedTable);
  },
  decode,
  copy: (object) => (object as RankedTable).copy(),
  bytesOf: (object) => (object as RankedTable).totalBytes,
};

class EncodedRanks implements Encoded {
  readonly byteCount: number;
  readonly #tree: ScoreTree;
  readonly #table: Encoded;

  constructor({ table, tree }: RankedTable) {
    this.#tree = tree;
    this.#table = finish(tableCodec.encode(table));
    const nodesBytes = tree.leaves.usedBytes + tree.inner.usedBytes;
    this.byteCount = HEAD_WORDS * WORD_BYTES + nodesBytes + this.#table.byteCount;
  }

  *write(writer: WordWriter): Steps<void> {
    const { leaves, inner, height, root, first, last } = this.#tree;
    writer.words(this.#table.byteCount, leaves.used, inner.used, height, root, first, last, 0);
    yield* leaves.write(writer);
    yield* inner.write(writer);
    yield* this.#table.write(writer);
  }
}

function* decode(pieces: Pieces): Steps<RankedTable> {
  const reader = new WordReader(pieces);
  reader.word();
  const leavesUsed = reader.word();
  const innerUsed = reader.word();
  const height = reader.word();
  const tree = new ScoreTree();
  tree.root = reader.word();
  tree.first = reader.word();
  tree.last = reader.word();
  reader.word();
  const leaves = yield* NodePages.read(leavesUsed, false, reader);
  const inner = yield* NodePages.read(innerUsed, true, reader);
  const table = yield* readTable(reader);
  tree.adopt(leaves, inner, table.count, height);
  return new RankedTable(table, tree);
}
