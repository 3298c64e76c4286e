/**
 * The heaviest keys of a stream, in bounded memory: space-saving (Metwally, Agrawal, El Abbadi).
 *
 * A key that is not known takes the place of the lightest one and inherits its weight, which is then the
 * most that it can be over-counted by. Every key heavier than total / capacity is certain to be known.
 *
 * Keys are sampled so seldom that nothing of the sketch is in the processor's caches by then, and each line
 * of memory costs more than the arithmetic. So what is looked at together lies together: the hash of a key
 * with its id, all that is added up of a key, and the weights of which the least is sought.
 */

import { assert, type Bytes, fromLatin1, halfSipHash, latin1 } from '#base';

/** Figures of one key in the sketch. */
export interface TopKey {
  /** One character for each byte. */
  readonly key: string;
  /** Weight that the key is ranked by. */
  readonly weight: number;
  /** Part of `weight` that may belong to other keys. */
  readonly error: number;
  /** Sums since the key is known, in the order in which they were given. */
  readonly sums: readonly number[];
}

/** Words of a slot of the table, and the id in a free one. */
const SLOT_HASH = 0;
const SLOT_ID = 1;
const SLOT_WORDS = 2;
const NONE = -1;

/** Numbers of a row; from `ROW_SUMS` on the sums. */
const ROW_HASH = 0;
const ROW_ERROR = 1;
const ROW_SUMS = 2;

/** Longer keys are kept as strings. */
const NAME_BYTES = 64;

/** Children of a node. Eight are fewer lines to read, but more weights to compare: no quicker (measured). */
const ARITY = 4;
const ARITY_SHIFT = 2;

/** Longer keys are copied to be hashed. */
const SCRATCH_BYTES = 256;
const scratch = new Uint8Array(SCRATCH_BYTES);

/** Hashes keys by secrets, because clients choose the keys. Sketches of the same keys share one. */
export class KeyHash {
  readonly #secret0: number;
  readonly #secret1: number;

  constructor() {
    const [secret0 = 0, secret1 = 0] = crypto.getRandomValues(new Int32Array(2));
    this.#secret0 = secret0;
    this.#secret1 = secret1;
  }

  of(source: Bytes, at: number, length: number): number {
    return halfSipHash(this.#secret0, this.#secret1, source, at, length);
  }
}

/** Keys are numbered, and what is known of them lies in typed arrays: counting makes no garbage. */
export class TopKeys {
  readonly #capacity: number;
  /** Number of sums of each key. */
  readonly #width: number;
  #count = 0;
  /** Names of keys, each in its place or, where it is long, as a string; and their lengths. */
  readonly #names: Bytes;
  readonly #keys: string[];
  readonly #lengths: Int32Array;
  readonly #hash: KeyHash;
  /** Finds ids: at most half of its slots are taken, and a key has the first that was free from its hash on. */
  readonly #table: Int32Array;
  readonly #slotMask: number;
  /** Rows of the sketch, by id. */
  readonly #rows: Float64Array;
  readonly #rowLength: number;
  /**
   * Weights are the leaves of a tree, by id; each node above them is the least of its children. A leaf
   * without a key is infinite.
   */
  readonly #tree: Float64Array;
  readonly #firstLeaf: number;

  /** Adds up `width` numbers for each key. */
  constructor(capacity: number, width: number, hash = new KeyHash()) {
    this.#capacity = capacity;
    this.#width = width;
    this.#names = new Uint8Array(capacity * NAME_BYTES);
    this.#keys = new Array<string>(capacity).fill('');
    this.#lengths = new Int32Array(capacity);
    this.#hash = hash;
    const slotCount = 2 ** Math.ceil(Math.log2(2 * capacity));
    this.#table = new Int32Array(slotCount * SLOT_WORDS).fill(NONE);
    this.#slotMask = slotCount - 1;
    this.#rowLength = ROW_SUMS + width;
    this.#rows = new Float64Array(capacity * this.#rowLength);
    let firstLeaf = 0;
    for (let nodes = 1; nodes < capacity; nodes *= ARITY) firstLeaf += nodes;
    this.#firstLeaf = firstLeaf;
    this.#tree = new Float64Array(firstLeaf + Math.ceil(capacity / ARITY) * ARITY).fill(Infinity);
  }

  /** Counts one use of a key, or several alike. */
  add(key: string, weight: number, amounts: readonly number[]): void {
    const bytes = bytesOf(key);
    const hash = this.#hash.of(bytes, 0, key.length);
    this.addBytes(bytes, 0, key.length, hash, weight, amounts);
  }

  /** Adds a key that lies in `source`; `hash` is its hash in the sketch. */
  addBytes(
    source: Bytes,
    at: number,
    length: number,
    hash: number,
    weight: number,
    amounts: readonly number[],
  ): void {
    assert(Number.isFinite(weight), 'weights that can be compared');
    let id = this.#find(source, at, length, hash);
    if (id === NONE) {
      id = this.#count < this.#capacity ? this.#newId() : this.#takeOver();
      this.#name(id, source, at, length, hash);
    }
    const rows = this.#rows;
    const sumsAt = id * this.#rowLength + ROW_SUMS;
    for (let nth = 0; nth < this.#width; nth += 1) rows[sumsAt + nth]! += amounts[nth]!;
    this.#tree[this.#firstLeaf + id]! += weight;
    this.#settle(id);
  }

  /** Weight of the lightest key: a key that is not known weighs no more. 0 while there is room. */
  get lightest(): number {
    return this.#count < this.#capacity ? 0 : this.#tree[0]!;
  }

  /** The heaviest keys, heaviest first. */
  heaviest(count: number): readonly TopKey[] {
    const weights = this.#tree.subarray(this.#firstLeaf, this.#firstLeaf + this.#count);
    const ranked = [...weights.keys()].sort((a, b) => weights[b]! - weights[a]!);
    return ranked.slice(0, count).map((id) => {
      const row = this.#rows.subarray(id * this.#rowLength, (id + 1) * this.#rowLength);
      const sums = [...row.subarray(ROW_SUMS)];
      return { key: this.#keyOf(id), weight: weights[id]!, error: row[ROW_ERROR]!, sums };
    });
  }

  #keyOf(id: number): string {
    const length = this.#lengths[id]!;
    const at = id * NAME_BYTES;
    return length > NAME_BYTES ? this.#keys[id]! : latin1(this.#names, at, length);
  }

  #find(source: Bytes, at: number, length: number, hash: number): number {
    const table = this.#table;
    const mask = this.#slotMask;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const slotAt = slot * SLOT_WORDS;
      const id = table[slotAt + SLOT_ID]!;
      if (id === NONE) return id;
      if (table[slotAt + SLOT_HASH] !== hash) continue;
      if (this.#isKey(id, source, at, length)) return id;
    }
  }

  /** Compares bytes: to make a string of them costs more, and so does reading the characters of one. */
  #isKey(id: number, source: Bytes, at: number, length: number): boolean {
    if (this.#lengths[id] !== length) return false;
    if (length > NAME_BYTES) return this.#keys[id] === latin1(source, at, length);
    const names = this.#names;
    const nameAt = id * NAME_BYTES;
    for (let index = 0; index < length; index += 1) {
      if (names[nameAt + index] !== source[at + index]) return false;
    }
    return true;
  }

  #newId(): number {
    const id = this.#count;
    this.#count += 1;
    this.#tree[this.#firstLeaf + id] = 0;
    return id;
  }

  /** Forgets the lightest key. Its weight stays, as the error of the one that comes. */
  #takeOver(): number {
    const id = this.#lightestId();
    const rows = this.#rows;
    const rowAt = id * this.#rowLength;
    this.#forget(id, rows[rowAt + ROW_HASH]!);
    rows[rowAt + ROW_ERROR] = this.#tree[this.#firstLeaf + id]!;
    for (let nth = 0; nth < this.#width; nth += 1) rows[rowAt + ROW_SUMS + nth] = 0;
    return id;
  }

  #lightestId(): number {
    const tree = this.#tree;
    const least = tree[0]!;
    let node = 0;
    while (node < this.#firstLeaf) {
      node = ARITY * node + 1;
      while (tree[node] !== least) node += 1;
    }
    return node - this.#firstLeaf;
  }

  /** Frees the slot of a key, and moves up those behind it that would no longer be found. */
  #forget(id: number, hash: number): void {
    const table = this.#table;
    const mask = this.#slotMask;
    let hole = hash & mask;
    while (table[hole * SLOT_WORDS + SLOT_ID] !== id) hole = (hole + 1) & mask;
    for (let slot = (hole + 1) & mask; ; slot = (slot + 1) & mask) {
      const at = slot * SLOT_WORDS;
      const movedId = table[at + SLOT_ID]!;
      if (movedId === NONE) break;
      const movedHash = table[at + SLOT_HASH]!;
      // One that is sought from behind the hole on is found where it is.
      if (((slot - movedHash) & mask) < ((slot - hole) & mask)) continue;
      table[hole * SLOT_WORDS + SLOT_HASH] = movedHash;
      table[hole * SLOT_WORDS + SLOT_ID] = movedId;
      hole = slot;
    }
    table[hole * SLOT_WORDS + SLOT_ID] = NONE;
  }

  #name(id: number, source: Bytes, at: number, length: number, hash: number): void {
    this.#lengths[id] = length;
    if (length > NAME_BYTES) this.#keys[id] = latin1(source, at, length);
    else {
      const nameAt = id * NAME_BYTES;
      for (let index = 0; index < length; index += 1) {
        this.#names[nameAt + index] = source[at + index]!;
      }
    }
    this.#rows[id * this.#rowLength + ROW_HASH] = hash;
    const table = this.#table;
    let slot = hash & this.#slotMask;
    while (table[slot * SLOT_WORDS + SLOT_ID] !== NONE) slot = (slot + 1) & this.#slotMask;
    table[slot * SLOT_WORDS + SLOT_HASH] = hash;
    table[slot * SLOT_WORDS + SLOT_ID] = id;
  }

  /** The weight of a key has changed, and with it perhaps the least ones above. */
  #settle(id: number): void {
    const tree = this.#tree;
    let node = this.#firstLeaf + id;
    while (node > 0) {
      const parent = (node - 1) >> ARITY_SHIFT;
      const first = ARITY * parent + 1;
      let least = tree[first]!;
      for (let child = first + 1; child < first + ARITY; child += 1) {
        const weight = tree[child]!;
        if (weight < least) least = weight;
      }
      if (tree[parent] === least) return;
      tree[parent] = least;
      node = parent;
    }
  }
}

/** The bytes of a key, from the first on; those behind them are of others. */
function bytesOf(key: string): Bytes {
  if (key.length > SCRATCH_BYTES) return fromLatin1(key);
  for (let index = 0; index < key.length; index += 1) scratch[index] = key.charCodeAt(index);
  return scratch;
}
