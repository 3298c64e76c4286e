/**
 * The nodes of a stream: listpacks one after the other in extents of memory, in the order of their ids.
 *
 * Entries are added to the last node, which lies at the end of the open extent and grows there. A full
 * extent is cut to its size, so that nodes cost nothing beside their bytes and a slot of the index. A node
 * that changes its size elsewhere moves to an extent of its own. So the nodes of one extent are side by
 * side in the index, with none but such movers between them.
 */

import type { Bytes, Steps } from '#base';
import type { ListpackEntries } from '../listpack/listpack-entries.ts';
import { COUNT_UNKNOWN, END, writeWord } from '../listpack/listpack-layout.ts';
import { IdIndex, IdPlace } from './id-index.ts';
import type { MemoryTally } from './memory-tally.ts';
import type { StreamId } from './stream-id.ts';

/** An extent takes no new node beyond this. */
const EXTENT_BYTES = 64 * 1024;
/** Bytes that Node keeps for an extent beside its own: our object, a view and its buffer (measured). */
const EXTENT_OVERHEAD_BYTES = 300;
/** Spare bytes of an extent that must grow: at least this, and a fraction of its size. */
const SPARE_BYTES_MIN = 64;
const SPARE_PARTS = 4;
/** Nodes that are left move together when they are less than half of an extent above this size. */
const SPARSE_BYTES_MIN = 512;
/** Before the open extent grows, it is rid of gaps that are this part of it. */
const GAP_PARTS = 3;
/** A full extent is cut to its size where that gives back more than this part. */
const TRIMMED_PARTS = 64;

const EXTENT = 0;
const OFFSET = 1;
const INDEX_WORDS = 2;
const NO_EXTENT = -1;
const NO_BYTES: Bytes = new Uint8Array(0);

class Extent {
  bytes: Bytes;
  used = 0;
  /** Bytes and number of the nodes that are there. */
  live = 0;
  nodes = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }
}

export class NodeLog {
  /** Index of the nodes' places, by their first id. */
  readonly index: IdIndex;
  /** The node of the last `read`. */
  bytes: Bytes = NO_BYTES;
  at = 0;
  readonly #tally: MemoryTally;
  readonly #extents: (Extent | undefined)[] = [];
  readonly #vacant: number[] = [];
  #open = NO_EXTENT;
  readonly #tail = new IdPlace();
  readonly #near = new IdPlace();
  readonly #far = new IdPlace();

  constructor(tally: MemoryTally) {
    this.#tally = tally;
    this.index = new IdIndex(INDEX_WORDS, tally);
  }

  /** Adds all nodes of another log; there are none here. */
  *copyFrom(other: NodeLog): Steps<void> {
    yield* this.index.copyFrom(other.index);
    for (const extent of other.#extents) {
      this.#extents.push(extent && copyOf(extent));
      if (extent !== undefined) this.#tally.add(extent.bytes.length + EXTENT_OVERHEAD_BYTES);
      yield;
    }
    for (const number of other.#vacant) this.#vacant.push(number);
    this.#open = other.#open;
  }

  /** Points `bytes` and `at` at a node. */
  read(place: IdPlace): void {
    this.bytes = this.#extents[this.index.word(place, EXTENT)]!.bytes;
    this.at = this.index.word(place, OFFSET);
  }

  /** Bytes of the node read. */
  get nodeBytes(): number {
    return sizeAt(this.bytes, this.at);
  }

  /** Adds a node whose first id is after all others. */
  begin(id: StreamId, listpack: Bytes, length = listpack.length): void {
    const tail = this.#tail;
    const offset = this.#roomForNode(length);
    this.index.insert(id, tail);
    this.index.setWord(tail, EXTENT, this.#open);
    this.index.setWord(tail, OFFSET, offset);
    const extent = this.#extents[this.#open]!;
    extent.bytes.set(listpack.subarray(0, length), offset);
    this.#enter(extent, length);
  }

  /** Adds entries at the end of the last node, which `read` points at afterwards. */
  extend(entries: ListpackEntries): void {
    const growth = entries.length;
    const extent = this.#settleTail(growth);
    const offset = this.index.word(this.#tail, OFFSET);
    const { bytes } = extent;
    const size = extent.used - offset;
    entries.copyTo(bytes, extent.used - 1);
    extent.used += growth;
    extent.live += growth;
    bytes[extent.used - 1] = END;
    writeWord(bytes, offset, size + growth);
    const before = bytes[offset + 4]! | (bytes[offset + 5]! << 8);
    const stored = Math.min(before + entries.count, COUNT_UNKNOWN);
    bytes[offset + 4] = stored;
    bytes[offset + 5] = stored >>> 8;
    this.bytes = bytes;
    this.at = offset;
  }

  /** Puts another listpack in the place of a node. */
  replace(place: IdPlace, listpack: Bytes): void {
    const { index } = this;
    const extent = index.word(place, EXTENT);
    const offset = index.word(place, OFFSET);
    const size = sizeAt(this.#extents[extent]!.bytes, offset);
    index.setWord(place, EXTENT, this.#addExtent(listpack.length));
    index.setWord(place, OFFSET, 0);
    const own = this.#extents[index.word(place, EXTENT)]!;
    own.bytes.set(listpack);
    this.#enter(own, listpack.length);
    this.bytes = NO_BYTES;
    this.#leave(extent, offset, size, place);
  }

  /** Takes a node out; the place is that of the next one then. */
  remove(place: IdPlace): boolean {
    const { index } = this;
    const extent = index.word(place, EXTENT);
    const offset = index.word(place, OFFSET);
    const size = sizeAt(this.#extents[extent]!.bytes, offset);
    const more = index.remove(place);
    this.bytes = NO_BYTES;
    this.#leave(extent, offset, size, place);
    return more;
  }

  /** Sees to it that the last node ends the open extent, with room after it. */
  #settleTail(room: number): Extent {
    const { index } = this;
    const tail = this.#tail;
    index.last(tail);
    const number = index.word(tail, EXTENT);
    const extent = this.#extents[number]!;
    const offset = index.word(tail, OFFSET);
    const size = sizeAt(extent.bytes, offset);
    if (number === this.#open) {
      extent.used = offset + size;
      this.#reserve(room);
      return extent;
    }
    const target = this.#roomForNode(size + room);
    const open = this.#extents[this.#open]!;
    open.bytes.set(extent.bytes.subarray(offset, offset + size), target);
    index.setWord(tail, EXTENT, this.#open);
    index.setWord(tail, OFFSET, target);
    this.#enter(open, size);
    this.#leave(number, offset, size, tail);
    return open;
  }

  /** Makes room for a new node of `length` bytes; returns its offset. */
  #roomForNode(length: number): number {
    const extent = this.#extents[this.#open];
    if (extent !== undefined && extent.used + length > EXTENT_BYTES) {
      if (hasGaps(extent)) this.#compact(this.#open, this.#lastPlace(), 0);
      if (extent.used + length > EXTENT_BYTES) this.#seal(extent);
    }
    if (this.#open === NO_EXTENT) this.#open = this.#addExtent(length + this.#firstSpare());
    this.#reserve(length);
    return this.#extents[this.#open]!.used;
  }

  /** Many nodes before it suggest that an extent will be filled. */
  #firstSpare(): number {
    return Math.min(Math.max(this.#tally.bytes >>> 3, SPARE_BYTES_MIN), EXTENT_BYTES);
  }

  #reserve(length: number): void {
    const extent = this.#extents[this.#open]!;
    if (extent.used + length <= extent.bytes.length) return;
    if (hasGaps(extent)) {
      this.#compact(this.#open, this.#lastPlace(), length);
      return;
    }
    const spare = Math.max(Math.floor(extent.used / SPARE_PARTS), SPARE_BYTES_MIN);
    this.#resize(extent, extent.used + length + spare);
  }

  #lastPlace(): IdPlace {
    this.index.last(this.#near);
    return this.#near;
  }

  #seal(extent: Extent): void {
    if (extent.bytes.length - extent.used > extent.used / TRIMMED_PARTS) {
      this.#resize(extent, extent.used);
    }
    this.#open = NO_EXTENT;
  }

  #enter(extent: Extent, size: number): void {
    extent.used += size;
    extent.live += size;
    extent.nodes += 1;
  }

  /** A node is not there any more; `near` is where it was in the index. */
  #leave(number: number, offset: number, size: number, near: IdPlace): void {
    const extent = this.#extents[number]!;
    extent.live -= size;
    extent.nodes -= 1;
    if (extent.nodes === 0) {
      this.#dropExtent(number);
      return;
    }
    if (number === this.#open && offset + size === extent.used) extent.used = offset;
    if (extent.used > SPARSE_BYTES_MIN && extent.live * 2 < extent.used) {
      this.#compact(number, this.#near.set(near), 0);
    }
  }

  /** Moves the nodes of an extent together, and leaves room after them; all are close to `near`. */
  #compact(number: number, near: IdPlace, room: number): void {
    const { index } = this;
    const extent = this.#extents[number]!;
    const far = this.#far;
    far.set(near);
    // Steps away from where a node was to both sides, until all nodes are found.
    const found: IdPlace[] = [];
    let hasBefore = index.prev(near);
    let hasBehind = index.isThere(far);
    while (found.length < extent.nodes) {
      if (hasBefore) {
        if (index.word(near, EXTENT) === number) found.unshift(near.copy());
        hasBefore = index.prev(near);
      }
      if (hasBehind) {
        if (index.word(far, EXTENT) === number) found.push(far.copy());
        hasBehind = index.next(far);
      }
    }
    const spare = room === 0 ? 0 : Math.max(extent.live >>> 2, SPARE_BYTES_MIN);
    const bytes = new Uint8Array(extent.live + room + spare);
    let used = 0;
    for (const place of found) {
      const offset = index.word(place, OFFSET);
      const size = sizeAt(extent.bytes, offset);
      bytes.set(extent.bytes.subarray(offset, offset + size), used);
      index.setWord(place, OFFSET, used);
      used += size;
    }
    this.#tally.add(bytes.length - extent.bytes.length);
    extent.bytes = bytes;
    extent.used = used;
  }

  #resize(extent: Extent, capacity: number): void {
    const bytes = new Uint8Array(capacity);
    bytes.set(extent.bytes.subarray(0, extent.used));
    this.#tally.add(capacity - extent.bytes.length);
    extent.bytes = bytes;
  }

  #addExtent(capacity: number): number {
    const number = this.#vacant.pop() ?? this.#extents.length;
    this.#extents[number] = new Extent(capacity);
    this.#tally.add(capacity + EXTENT_OVERHEAD_BYTES);
    return number;
  }

  #dropExtent(number: number): void {
    const { bytes } = this.#extents[number]!;
    this.#tally.add(-(bytes.length + EXTENT_OVERHEAD_BYTES));
    this.#extents[number] = undefined;
    this.#vacant.push(number);
    if (number === this.#open) this.#open = NO_EXTENT;
  }
}

function copyOf({ bytes, used, live, nodes }: Extent): Extent {
  const copy = new Extent(bytes.length);
  copy.bytes.set(bytes.subarray(0, used));
  return Object.assign(copy, { used, live, nodes });
}

function hasGaps({ used, live }: Extent): boolean {
  return (used - live) * GAP_PARTS > used;
}

/** Bytes of a listpack. */
function sizeAt(bytes: Bytes, at: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  return (low | (bytes[at + 3]! << 24)) >>> 0;
}
