/**
 * The heads of a table's chains, by linear hashing: there is one bucket more or less at a time, so that
 * growing and shrinking never touch more than two chains.
 *
 * With 2^level + split buckets, a hash belongs to bucket `hash mod 2^level`, or where that is below
 * `split`, to `hash mod 2^(level + 1)`.
 */

import type { Steps } from '#base';
import { asBytes, type WordReader, type WordWriter } from '../memory/word-bytes.ts';

const PIECE_BITS = 12;
const PIECE_BUCKETS = 1 << PIECE_BITS;
const PIECE_MASK = PIECE_BUCKETS - 1;
const LEVEL_MIN = 2;
/** Bytes that Node keeps beside those of a piece. */
const PIECE_OVERHEAD_BYTES = 200;
const BUCKET_BYTES = 4;

export class Buckets {
  level = LEVEL_MIN;
  split = 0;
  /** The first piece grows by doubling; the others are made whole. */
  readonly #pieces: Int32Array[] = [new Int32Array(1 << LEVEL_MIN)];
  #bytes = BUCKET_BYTES << LEVEL_MIN;

  get count(): number {
    return (1 << this.level) + this.split;
  }

  get bytes(): number {
    return this.#bytes + this.#pieces.length * PIECE_OVERHEAD_BYTES;
  }

  indexOf(hash: number): number {
    const index = hash & ((1 << this.level) - 1);
    return index < this.split ? hash & ((2 << this.level) - 1) : index;
  }

  head(index: number): number {
    return this.#pieces[index >>> PIECE_BITS]![index & PIECE_MASK]!;
  }

  setHead(index: number, ref: number): void {
    this.#pieces[index >>> PIECE_BITS]![index & PIECE_MASK] = ref;
  }

  /** Adds an empty bucket; what belongs there now is in the bucket that the answer names. */
  add(): number {
    const from = this.split;
    this.#reserve(this.count);
    this.split += 1;
    if (this.split === 1 << this.level) {
      this.level += 1;
      this.split = 0;
    }
    return from;
  }

  /** True when the last bucket can be taken away. */
  get canShrink(): boolean {
    return this.level > LEVEL_MIN || this.split > 0;
  }

  /** Takes the last bucket away, whose chain belongs to the bucket that the answer names. */
  remove(): { last: number; into: number } {
    if (this.split === 0) {
      this.level -= 1;
      this.split = 1 << this.level;
    }
    this.split -= 1;
    const last = this.count;
    return { last, into: this.split };
  }

  /** Gives back what lies far after the last bucket. */
  trim(): void {
    const pieces = (this.count >>> PIECE_BITS) + 2;
    while (this.#pieces.length > pieces) {
      this.#bytes -= BUCKET_BYTES * this.#pieces.pop()!.length;
    }
  }

  *copy(): Steps<Buckets> {
    const copy = new Buckets();
    copy.level = this.level;
    copy.split = this.split;
    copy.#pieces.length = 0;
    for (const piece of this.#pieces) {
      copy.#pieces.push(piece.slice());
      yield;
    }
    copy.#bytes = this.#bytes;
    return copy;
  }

  /** Writes the first entry of each. */
  *write(writer: WordWriter): Steps<void> {
    let left = this.count;
    for (const piece of this.#pieces) {
      writer.bytes(asBytes(piece, 0, Math.min(left, piece.length)));
      left -= Math.min(left, piece.length);
      yield;
    }
  }

  /** Buckets as `write` has written them. */
  static *read(level: number, split: number, reader: WordReader): Steps<Buckets> {
    const buckets = new Buckets();
    buckets.level = level;
    buckets.split = split;
    for (let index = 0; index < buckets.count; index += PIECE_BUCKETS) {
      const last = Math.min(index + PIECE_BUCKETS, buckets.count);
      for (let bucket = index; bucket < last; bucket += 1) buckets.#reserve(bucket);
      const piece = buckets.#pieces[index >>> PIECE_BITS]!;
      asBytes(piece, 0, last - index).set(reader.bytes((last - index) * BUCKET_BYTES));
      yield;
    }
    return buckets;
  }

  #reserve(index: number): void {
    const piece = index >>> PIECE_BITS;
    const first = this.#pieces[0]!;
    if (piece === 0 && index >= first.length) {
      const larger = new Int32Array(first.length * 2);
      larger.set(first);
      this.#pieces[0] = larger;
      this.#bytes += BUCKET_BYTES * first.length;
    } else if (piece >= this.#pieces.length) {
      this.#pieces.push(new Int32Array(PIECE_BUCKETS));
      this.#bytes += BUCKET_BYTES * PIECE_BUCKETS;
    }
  }
}
