/**
 * The chains that entries of an arena form: each leads to the next by its first word, and linear
 * hashing names the first of each chain. Growing and shrinking touch one or two chains at a time.
 */
import { pageOf, wordAt, type Arena } from './arena.ts';
import { Buckets } from './buckets.ts';

/** Operations that the chains need of the entries. */
export interface HashedEntries {
  hashOf(ref: number): number;
}

/** Buckets that a scan looks at for each entry that is wanted, in a nearly empty table. */
const SCAN_BUCKETS_PER_ENTRY = 10;

export class Chains {
  readonly #arena: Arena;
  readonly #entries: HashedEntries;
  readonly buckets: Buckets;
  /** No chain is longer. */
  lengthMax: number;

  constructor(arena: Arena, entries: HashedEntries, buckets = new Buckets(), lengthMax = 1) {
    this.#arena = arena;
    this.#entries = entries;
    this.buckets = buckets;
    this.lengthMax = lengthMax;
  }

  /** The first entry that a hash leads to, or 0. */
  first(hash: number): number {
    return this.buckets.head(this.buckets.indexOf(hash));
  }

  next(ref: number): number {
    return this.#arena.pages[pageOf(ref)]!.words[wordAt(ref)]!;
  }

  setNext(ref: number, next: number): void {
    this.#arena.pages[pageOf(ref)]!.words[wordAt(ref)] = next;
  }

  /** Puts a new entry at the head of the chain of its hash. */
  push(hash: number, ref: number): void {
    const bucket = this.buckets.indexOf(hash);
    this.setNext(ref, this.buckets.head(bucket));
    this.buckets.setHead(bucket, ref);
  }

  /** Lets what led to `ref` lead to `target`. */
  lead(ref: number, target: number): void {
    const bucket = this.buckets.indexOf(this.#entries.hashOf(ref));
    let at = this.buckets.head(bucket);
    if (at === ref) {
      this.buckets.setHead(bucket, target);
      return;
    }
    for (let next = this.next(at); next !== ref; next = this.next(at)) at = next;
    this.setNext(at, target);
  }

  /** Adds a bucket, to which about half of another's entries go. */
  grow(): void {
    const { buckets } = this;
    const from = buckets.add();
    let ref = buckets.head(from);
    let zero = 0;
    let one = 0;
    let into = 0;
    while (ref !== 0) {
      const next = this.next(ref);
      const bucket = buckets.indexOf(this.#entries.hashOf(ref));
      if (bucket === from) {
        this.setNext(ref, zero);
        zero = ref;
      } else {
        this.setNext(ref, one);
        one = ref;
        into = bucket;
      }
      ref = next;
    }
    buckets.setHead(from, zero);
    if (one !== 0) buckets.setHead(into, one);
  }

  /** Keeps at least one of `count` entries to two buckets, two buckets at a time. */
  shrink(count: number): void {
    const { buckets } = this;
    for (let turn = 0; turn < 2; turn += 1) {
      if (count * 2 >= buckets.count || !buckets.canShrink) return;
      const { last, into } = buckets.remove();
      const chain = buckets.head(last);
      buckets.setHead(last, 0);
      if (chain !== 0) this.#append(into, chain);
      buckets.trim();
    }
  }

  /** An entry by chance, each as likely as the other; there is one. */
  random(random: () => number): number {
    const { buckets } = this;
    for (;;) {
      // A place in the longest possible chain, so that an entry of a short chain is not preferred.
      let ref = buckets.head(Math.floor(random() * buckets.count));
      if (ref === 0) continue;
      let steps = Math.floor(random() * this.lengthMax);
      while (ref !== 0 && steps > 0) {
        ref = this.next(ref);
        steps -= 1;
      }
      if (ref !== 0) return ref;
    }
  }

  /**
   * Visits entries from `cursor` on and returns the next cursor, 0 at the end. It stops after `count` entries. Entries
   * that exist throughout are visited, even if the number of buckets changes meanwhile: the cursor counts with reversed
   * bits, like that of Redis.
   */
  scan(cursor: number, count: number, visit: (ref: number) => void): number {
    const { buckets } = this;
    let at = cursor >>> 0;
    let seen = 0;
    let steps = count * SCAN_BUCKETS_PER_ENTRY;
    do {
      const mask = (1 << buckets.level) - 1;
      const index = at & mask;
      seen += this.#visit(index, visit);
      if (index < buckets.split) seen += this.#visit(index + mask + 1, visit);
      at = reversed((reversed((at | ~mask) >>> 0) + 1) >>> 0);
      steps -= 1;
    } while (at !== 0 && seen < count && steps > 0);
    return at;
  }

  #append(bucket: number, chain: number): void {
    const head = this.buckets.head(bucket);
    if (head === 0) {
      this.buckets.setHead(bucket, chain);
    } else {
      let tail = head;
      for (let next = this.next(tail); next !== 0; next = this.next(tail)) tail = next;
      this.setNext(tail, chain);
    }
    let length = 0;
    for (let ref = this.buckets.head(bucket); ref !== 0; ref = this.next(ref)) length += 1;
    if (length > this.lengthMax) this.lengthMax = length;
  }

  #visit(bucket: number, visit: (ref: number) => void): number {
    let seen = 0;
    for (let ref = this.buckets.head(bucket); ref !== 0; ref = this.next(ref)) {
      visit(ref);
      seen += 1;
    }
    return seen;
  }
}

/** A word with its bits in the other order. */
function reversed(word: number): number {
  let value = ((word >>> 1) & 0x5555_5555) | ((word & 0x5555_5555) << 1);
  value = ((value >>> 2) & 0x3333_3333) | ((value & 0x3333_3333) << 2);
  value = ((value >>> 4) & 0x0f0f_0f0f) | ((value & 0x0f0f_0f0f) << 4);
  value = ((value >>> 8) & 0x00ff_00ff) | ((value & 0x00ff_00ff) << 8);
  return ((value >>> 16) | (value << 16)) >>> 0;
}
