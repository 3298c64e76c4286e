/**
 * Finds which of some prefixes a key begins with: the longest that fits.
 *
 * The prefixes are a trie in one table, a row of it for each node and a column for each byte that occurs in
 * any of them. So a key costs two look-ups for each byte that it shares with a prefix, and one more.
 */

import type { Bytes } from './byte-array.ts';

const NO_NODE = 0;
const ROOT = 1;

export class PrefixMatcher {
  readonly count: number;
  /** Column of each byte; 0 for bytes that no prefix has. */
  readonly #columns = new Uint8Array(256);
  #width = 1;
  /** Next node, by node and column. */
  readonly #next: Uint16Array;
  /** Number of the prefix that each node ends, or `count` when it ends none. */
  readonly #ends: Uint16Array;

  /** Prefixes are text in UTF-8, together of fewer than 65,535 bytes. */
  constructor(prefixes: readonly string[]) {
    const encoded = prefixes.map((prefix) => Buffer.from(prefix));
    this.count = prefixes.length;
    for (const byte of new Set(encoded.flatMap((prefix) => [...prefix]))) {
      this.#columns[byte] = this.#width;
      this.#width += 1;
    }
    const nodesMax = encoded.reduce((sum, prefix) => sum + prefix.length, ROOT + 1);
    this.#next = new Uint16Array(nodesMax * this.#width);
    this.#ends = new Uint16Array(nodesMax).fill(this.count);
    let nodes = ROOT + 1;
    for (const [number, prefix] of encoded.entries()) {
      let node = ROOT;
      for (const byte of prefix) {
        const cell = node * this.#width + this.#columns[byte]!;
        if (this.#next[cell] === NO_NODE) {
          this.#next[cell] = nodes;
          nodes += 1;
        }
        node = this.#next[cell]!;
      }
      this.#ends[node] = number;
    }
  }

  /** The number of the longest prefix that the key begins with; `count` when there is none. */
  match(bytes: Bytes, at: number, length: number): number {
    const none = this.count;
    let found = this.#ends[ROOT]!;
    let node = ROOT;
    for (let index = at; index < at + length; index += 1) {
      const column = this.#columns[bytes[index]!]!;
      if (column === 0) return found;
      node = this.#next[node * this.#width + column]!;
      if (node === NO_NODE) return found;
      const end = this.#ends[node]!;
      if (end !== none) found = end;
    }
    return found;
  }
}
