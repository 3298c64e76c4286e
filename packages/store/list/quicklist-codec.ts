/**
 * A large list as bytes. In words:
 *
 *   HEAD_WORDS   settings of size and depth, nodes
 *   nodes        bytes when uncompressed, elements, form (0 a listpack, 1 an element, 2 more when it is
 *                compressed), bytes here; then the bytes of each
 */
import type { Bytes } from '#base';
import type { ObjectCodec } from '../value-codec.ts';
import { ListNode } from './list-node.ts';
import { Quicklist } from './quicklist.ts';

const HEAD_WORDS = 3;
const NODE_WORDS = 4;
const WORD_BYTES = 4;
const PLAIN = 1;
const COMPRESSED = 2;

export const quicklistCodec: ObjectCodec = {
  encode: (object) => encode(object as Quicklist),
  decode,
  copy: (object) => (object as Quicklist).copy(),
  bytesOf: (object) => (object as Quicklist).totalBytes,
};

function encode({ nodes }: Quicklist): Bytes {
  const headBytes = (HEAD_WORDS + nodes.nodeCount * NODE_WORDS) * WORD_BYTES;
  let total = headBytes;
  for (let node = nodes.head; node !== undefined; node = node.next) total += node.storedBytes;
  const out = new Uint8Array(total);
  const words = new Int32Array(out.buffer, 0, headBytes / WORD_BYTES);
  words.set([nodes.size, nodes.depth, nodes.nodeCount]);
  let word = HEAD_WORDS;
  let at = headBytes;
  for (let node = nodes.head; node !== undefined; node = node.next) {
    const form = (node.isPlain ? PLAIN : 0) + (node.isCompressed ? COMPRESSED : 0);
    const length = node.storedBytes;
    words.set([node.size, node.count, form, length], word);
    out.set(node.bytes.subarray(node.start, node.start + length), at);
    word += NODE_WORDS;
    at += length;
  }
  return out;
}

function decode(bytes: Bytes): Quicklist {
  // A copy of its own begins where words may.
  const own = new Uint8Array(bytes);
  const words = new Int32Array(own.buffer, 0, Math.floor(own.length / WORD_BYTES));
  const word = (index: number): number => words[index]!;
  const list = new Quicklist(word(0), word(1));
  const count = word(2);
  let at = (HEAD_WORDS + count * NODE_WORDS) * WORD_BYTES;
  for (let nth = 0; nth < count; nth += 1) {
    const first = HEAD_WORDS + nth * NODE_WORDS;
    const form = word(first + 2);
    const length = word(first + 3);
    const isPlain = (form & PLAIN) !== 0;
    const stored = own.slice(at, at + length);
    const node = ListNode.stored(stored, word(first), word(first + 1), isPlain);
    node.isCompressed = (form & COMPRESSED) !== 0;
    list.nodes.adopt(node);
    at += length;
  }
  return list;
}
