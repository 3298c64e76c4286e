/**
 * A large list as bytes. In words:
 *
 *   HEAD_WORDS   settings of size and depth, nodes
 *   nodes        bytes when uncompressed, elements, form (0 a listpack, 1 an element, 2 more when it is
 *                compressed), bytes here; then the bytes of each
 */
import type { Pieces, Steps } from '#base';
import type { Encoded, ObjectCodec } from '../values/codecs.ts';
import { WordReader, type WordWriter } from '../memory/word-bytes.ts';
import { ListNode } from './list-node.ts';
import { Quicklist } from './quicklist.ts';

const HEAD_WORDS = 3;
const NODE_WORDS = 4;
const WORD_BYTES = 4;
const PLAIN = 1;
const COMPRESSED = 2;

export const quicklistCodec: ObjectCodec = {
  *encode(object) {
    return new EncodedList(object as Quicklist);
  },
  decode,
  copy: (object) => (object as Quicklist).copy(),
  bytesOf: (object) => (object as Quicklist).totalBytes,
};

class EncodedList implements Encoded {
  readonly byteCount: number;
  readonly #list: Quicklist;

  constructor(list: Quicklist) {
    this.#list = list;
    const { nodes } = list;
    let bytes = (HEAD_WORDS + nodes.nodeCount * NODE_WORDS) * WORD_BYTES;
    for (let node = nodes.head; node !== undefined; node = node.next) bytes += node.storedBytes;
    this.byteCount = bytes;
  }

  *write(writer: WordWriter): Steps<void> {
    const { nodes } = this.#list;
    writer.words(nodes.size, nodes.depth, nodes.nodeCount);
    for (let node = nodes.head; node !== undefined; node = node.next) {
      const form = (node.isPlain ? PLAIN : 0) + (node.isCompressed ? COMPRESSED : 0);
      writer.words(node.size, node.count, form, node.storedBytes);
    }
    for (let node = nodes.head; node !== undefined; node = node.next) {
      writer.bytes(node.bytes.subarray(node.start, node.start + node.storedBytes));
      yield;
    }
  }
}

function* decode(pieces: Pieces): Steps<Quicklist> {
  const heads = new WordReader(pieces);
  const list = new Quicklist(heads.word(), heads.word());
  const count = heads.word();
  const bodies = new WordReader(pieces);
  // Behind all heads.
  bodies.views((HEAD_WORDS + count * NODE_WORDS) * WORD_BYTES);
  for (let nth = 0; nth < count; nth += 1) {
    const size = heads.word();
    const elements = heads.word();
    const form = heads.word();
    const stored = new Uint8Array(bodies.bytes(heads.word()));
    const node = ListNode.stored(stored, size, elements, (form & PLAIN) !== 0);
    node.isCompressed = (form & COMPRESSED) !== 0;
    list.nodes.adopt(node);
    yield;
  }
  return list;
}
