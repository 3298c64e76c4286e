/**
 * The entries of a table that expire, the soonest first: a binary heap of references.
 *
 * Each entry knows its place in the heap, so that one which moves or goes is found.
 */

import { isResourceError } from '#base';

/** Operations that the heap needs of the entries. */
export interface ExpiringEntries {
  expiry(ref: number): number;
  setHeapIndex(ref: number, index: number): void;
}

const REF_BYTES = 4;
const FIRST_REFS = 4;

export class ExpiryHeap {
  readonly #entries: ExpiringEntries;
  #refs = new Int32Array(FIRST_REFS);
  #count = 0;

  constructor(entries: ExpiringEntries) {
    this.#entries = entries;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#refs.length * REF_BYTES;
  }

  /** The entry that expires first; there is one. */
  get first(): number {
    return this.#refs[0]!;
  }

  /** Counts the entries that expire before a moment. */
  countBefore(unixMs: number): number {
    let count = 0;
    const left = [0];
    while (left.length > 0) {
      const index = left.pop()!;
      if (index >= this.#count || this.#entries.expiry(this.#refs[index]!) >= unixMs) continue;
      count += 1;
      left.push(2 * index + 1, 2 * index + 2);
    }
    return count;
  }

  /** Makes room for one more. */
  reserve(): void {
    if (this.#count === this.#refs.length) this.#resize(this.#count * 2);
  }

  add(ref: number): void {
    this.reserve();
    this.#count += 1;
    this.#raise(this.#count - 1, ref, this.#entries.expiry(ref));
  }

  remove(index: number): void {
    this.#count -= 1;
    const last = this.#refs[this.#count]!;
    if (index < this.#count) this.#settle(index, last);
    if (this.#count * 4 < this.#refs.length && this.#count >= FIRST_REFS) {
      this.#shrink();
    }
  }

  /** The entry at `index` has moved to `ref`. */
  renamed(index: number, ref: number): void {
    this.#refs[index] = ref;
  }

  /** The entry at `index` expires at another time. */
  changed(index: number): void {
    this.#settle(index, this.#refs[index]!);
  }

  /** Takes the place of another heap, whose entries have the same references here. */
  assign(refs: Int32Array): void {
    this.#refs = new Int32Array(Math.max(FIRST_REFS, refs.length));
    this.#refs.set(refs);
    this.#count = refs.length;
  }

  get refs(): Int32Array {
    return this.#refs.subarray(0, this.#count);
  }

  #settle(index: number, ref: number): void {
    const expiry = this.#entries.expiry(ref);
    const parent = (index - 1) >>> 1;
    if (index > 0 && this.#entries.expiry(this.#refs[parent]!) > expiry) {
      this.#raise(index, ref, expiry);
    } else {
      this.#lower(index, ref, expiry);
    }
  }

  #raise(from: number, ref: number, expiry: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      const above = this.#refs[parent]!;
      if (this.#entries.expiry(above) <= expiry) break;
      this.#put(index, above);
      index = parent;
    }
    this.#put(index, ref);
  }

  #lower(from: number, ref: number, expiry: number): void {
    let index = from;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= this.#count) break;
      let soonest = this.#entries.expiry(this.#refs[child]!);
      if (child + 1 < this.#count) {
        const other = this.#entries.expiry(this.#refs[child + 1]!);
        if (other < soonest) {
          child += 1;
          soonest = other;
        }
      }
      if (soonest >= expiry) break;
      this.#put(index, this.#refs[child]!);
      index = child;
    }
    this.#put(index, ref);
  }

  #put(index: number, ref: number): void {
    this.#refs[index] = ref;
    this.#entries.setHeapIndex(ref, index);
  }

  #shrink(): void {
    try {
      this.#resize(this.#refs.length / 2);
    } catch (error) {
      // It stays as large as it is.
      if (!isResourceError(error)) throw error;
    }
  }

  #resize(room: number): void {
    const refs = new Int32Array(room);
    refs.set(this.#refs.subarray(0, this.#count));
    this.#refs = refs;
  }
}
