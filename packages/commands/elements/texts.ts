/** Many short byte strings in one memory. */

import { constants } from 'node:buffer';
import { type Bytes, copyBytes } from '#base';

const BYTES_USUAL = 4_096;
const COUNT_USUAL = 256;
/** Length of a text that is not there. */
const NONE = -1;

/** Byte strings by their numbers, some of which may be missing. */
export class Texts {
  bytes: Bytes = new Uint8Array(BYTES_USUAL);
  count = 0;
  #starts = new Float64Array(COUNT_USUAL);
  #lengths = new Int32Array(COUNT_USUAL);
  #used = 0;

  /** Adds a copy of some bytes. */
  push(bytes: Bytes, at: number, length: number): void {
    const start = this.#add(length);
    const end = start + length;
    if (end > this.bytes.length) this.#grow(end);
    copyBytes(bytes, at, this.bytes, start, length);
    this.#used = end;
  }

  /** Adds one that is not there. */
  pushMissing(): void {
    this.#add(NONE);
  }

  isMissing(nth: number): boolean {
    return this.#lengths[nth] === NONE;
  }

  at(nth: number): number {
    return this.#starts[nth]!;
  }

  /** Returns the bytes of a text; none has a missing one. */
  length(nth: number): number {
    const length = this.#lengths[nth]!;
    return length === NONE ? 0 : length;
  }

  /** Compares two texts by their bytes from `from` on, before which they are alike. */
  compare(one: number, other: number, from = 0): number {
    const { bytes } = this;
    const oneAt = this.#starts[one]!;
    const otherAt = this.#starts[other]!;
    const oneLength = this.length(one);
    const otherLength = this.length(other);
    const common = Math.min(oneLength, otherLength);
    for (let nth = from; nth < common; nth += 1) {
      const difference = bytes[oneAt + nth]! - bytes[otherAt + nth]!;
      if (difference !== 0) return difference;
    }
    return oneLength - otherLength;
  }

  /** Returns how many bytes all texts that are there begin with alike. */
  commonLength(): number {
    const { bytes, count } = this;
    let first = 0;
    while (first < count && this.isMissing(first)) first += 1;
    let common = first < count ? this.length(first) : 0;
    const firstAt = this.at(first);
    for (let nth = first + 1; nth < count && common > 0; nth += 1) {
      if (this.isMissing(nth)) continue;
      const at = this.at(nth);
      const most = Math.min(common, this.length(nth));
      common = 0;
      while (common < most && bytes[at + common] === bytes[firstAt + common]) common += 1;
    }
    return common;
  }

  /** Notes a text's place, and returns where it begins. */
  #add(length: number): number {
    const { count } = this;
    if (count === this.#starts.length) {
      const starts = new Float64Array(2 * count);
      starts.set(this.#starts);
      this.#starts = starts;
      const lengths = new Int32Array(2 * count);
      lengths.set(this.#lengths);
      this.#lengths = lengths;
    }
    this.#starts[count] = this.#used;
    this.#lengths[count] = length;
    this.count = count + 1;
    return this.#used;
  }

  #grow(end: number): void {
    const length = Math.max(end, Math.min(2 * this.bytes.length, constants.MAX_LENGTH));
    const larger = new Uint8Array(length);
    larger.set(this.bytes.subarray(0, this.#used));
    this.bytes = larger;
  }
}
