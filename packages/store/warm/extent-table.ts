/** The extents of a store's warm tier: whose each is, and how many of its values are still in use. */
import { assert } from '#base';
import { EXTENTS_MAX } from './extent.ts';

const FIRST_ROOM = 1_024;

/** A free number has no owner. */
const NOBODY = 0;

export class ExtentTable {
  #owners = new Int32Array(FIRST_ROOM);
  #live = new Int32Array(FIRST_ROOM);
  #counts = new Int32Array(FIRST_ROOM);
  #bytes = new Int32Array(FIRST_ROOM);
  readonly #free: number[] = [];
  #end = 0;
  /** Bytes of all extents that are written or about to be. */
  byteCount = 0;
  /** Share of values in use of those bytes. */
  liveBytes = 0;

  /** Numbers in use so far, and one more. */
  get end(): number {
    return this.#end;
  }

  get isFull(): boolean {
    return this.#free.length === 0 && this.#end >= EXTENTS_MAX;
  }

  /** A number for an extent; `owner` is not 0. */
  take(owner: number): number {
    const extent = this.#free.pop() ?? this.#next();
    this.#owners[extent] = owner;
    this.#live[extent] = 0;
    this.#counts[extent] = 0;
    this.#bytes[extent] = 0;
    return extent;
  }

  /** The number may be used again. */
  give(extent: number): void {
    this.#owners[extent] = NOBODY;
    this.#free.push(extent);
  }

  owner(extent: number): number {
    return extent < this.#end ? this.#owners[extent]! : NOBODY;
  }

  live(extent: number): number {
    return this.#live[extent]!;
  }

  /** Bytes of an extent that is written; 0 while it is being filled. */
  bytes(extent: number): number {
    return this.#bytes[extent]!;
  }

  /** The extent has one value more. */
  added(extent: number): void {
    this.#live[extent]! += 1;
    this.#counts[extent]! += 1;
  }

  /** Counts one more use of a value: two records share it for now. */
  regained(extent: number): void {
    this.#live[extent]! += 1;
    this.liveBytes += this.#bytes[extent]! / this.#counts[extent]!;
  }

  /** The extent is about to be written with `byteCount` bytes. */
  sealed(extent: number, byteCount: number): void {
    this.#bytes[extent] = byteCount;
    this.byteCount += byteCount;
    this.liveBytes += byteCount * this.#liveShare(extent);
  }

  /** Counts a value of the extent as dead; returns the number of those in use. */
  lost(extent: number): number {
    const live = this.#live[extent]! - 1;
    assert(live >= 0, 'a value in use is lost once');
    this.#live[extent] = live;
    this.liveBytes -= this.#bytes[extent]! / this.#counts[extent]!;
    return live;
  }

  /** Records that no value of the extent is in use, and that it will be removed. */
  emptied(extent: number): void {
    this.byteCount -= this.#bytes[extent]!;
    this.liveBytes -= this.#bytes[extent]! * this.#liveShare(extent);
    this.#live[extent] = 0;
    this.#bytes[extent] = 0;
  }

  /** Share of the extent's values that are in use. */
  share(extent: number): number {
    return this.#liveShare(extent);
  }

  #liveShare(extent: number): number {
    const count = this.#counts[extent]!;
    return count === 0 ? 0 : this.#live[extent]! / count;
  }

  #next(): number {
    assert(this.#end < EXTENTS_MAX, 'a number for an extent');
    const extent = this.#end;
    if (extent === this.#owners.length) this.#grow();
    this.#end += 1;
    return extent;
  }

  #grow(): void {
    const grown = (words: Int32Array): Int32Array<ArrayBuffer> => {
      const next = new Int32Array(2 * words.length);
      next.set(words);
      return next;
    };
    this.#owners = grown(this.#owners);
    this.#live = grown(this.#live);
    this.#counts = grown(this.#counts);
    this.#bytes = grown(this.#bytes);
  }
}
