/**
 * Memory for records that the garbage collector never walks: segments, cut into slabs, cut into cells.
 *
 * A reference names a cell by its place: segment, then offset in units of eight bytes. A slab holds
 * cells of one class. Words 0 and 1 of a cell belong to its user, but word 0 of a free cell is
 * 0 and word 1 leads to the slab's next free cell: so a walk over a slab recognizes free cells.
 */
import { assert, errors } from '#base';
import { SEGMENT_BYTES, SEGMENTS_MAX, SLABS_PER_SEGMENT } from './limits.ts';
import { RECORD_BYTES, type Ledger } from './memory-count.ts';
import {
  ALL_SLABS,
  Segment,
  SEGMENT_SHIFT,
  SLAB_WORDS_SHIFT,
  UNIT_MASK,
  type Ref,
  firstCell,
  SLAB_SHIFT,
  SLAB_MASK,
  SLABS_SHIFT,
} from './segment.ts';
import { CLASS_BYTES, CLASS_CELLS, CLASS_COUNT } from './size-classes.ts';

/**
 * Words that describe a slab, as indexes from `(slab & 15) << 3`.
 *
 *   CLASS   size class of its cells
 *   FREE    first free cell that was used before, or 0
 *   FRESH   first cell that was never used
 *   LIVE    cells in use
 *   STATE   which list holds it: 0 to 3 by fullness, or one of the states below
 *   NEXT    the following slab of that list, or -1
 *   PREV    the one before, or -1
 */
const CLASS = 0;
const FREE = 1;
const FRESH = 2;
const LIVE = 3;
const STATE = 4;
const NEXT = 5;
const PREV = 6;

/** Lists by fullness. Cells are taken from the fullest, and slabs emptied from the sparsest. */
const LISTS = 4;
const FULL = 4;
/** Cells are being taken from it. */
const CURRENT = 5;
/** It is being emptied: no cell is taken from it. */
const DRAINED = 6;

/** Stands where a segment was given back. */
const NOWHERE = new Segment(0);
NOWHERE.freeSlabs = 0;

export class Heap {
  readonly segments: Segment[] = [];
  readonly #ledger: Ledger;
  /** The slab that each class takes cells from, or -1. */
  readonly #current = new Int32Array(CLASS_COUNT).fill(-1);
  /** Heads of the lists of slabs with room: `class * LISTS + fullness`. */
  readonly #heads = new Int32Array(CLASS_COUNT * LISTS).fill(-1);
  readonly #freeCells = new Int32Array(CLASS_COUNT);
  readonly #vacant: number[] = [];
  /** No segment below has a free slab. */
  #lowest = 0;
  /** Slabs without a class, over all segments. */
  #freeSlabCount = 0;
  /** One wholly free segment is kept, so that a slab taken and given back costs no allocation. */
  #spare = -1;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Takes a cell. What is in it is left from before. */
  take(sizeClass: number): Ref {
    let slab = this.#current[sizeClass]!;
    if (slab < 0) slab = this.#open(sizeClass);
    const segment = this.segments[slab >>> SLABS_SHIFT]!;
    const slabs = segment.slabs;
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    let ref: Ref = slabs[base + FREE]!;
    if (ref !== 0) {
      slabs[base + FREE] = segment.words[((ref & UNIT_MASK) << 1) + 1]!;
    } else {
      ref = slabs[base + FRESH]!;
      slabs[base + FRESH] = (ref + (CLASS_BYTES[sizeClass]! >>> 3)) | 0;
    }
    const live = slabs[base + LIVE]! + 1;
    slabs[base + LIVE] = live;
    if (live === CLASS_CELLS[sizeClass]!) {
      slabs[base + STATE] = FULL;
      this.#current[sizeClass] = -1;
    }
    this.#freeCells[sizeClass] = this.#freeCells[sizeClass]! - 1;
    this.#ledger.add(RECORD_BYTES, CLASS_BYTES[sizeClass]!);
    return ref;
  }

  /** Gives a cell back. Its bytes from the third word on stay until it is taken again. */
  free(ref: Ref): void {
    const slab = ref >>> SLAB_SHIFT;
    const segment = this.segments[slab >>> SLABS_SHIFT]!;
    const slabs = segment.slabs;
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    const word = (ref & UNIT_MASK) << 1;
    assert(segment.words[word] !== 0, 'a cell is freed once');
    segment.words[word] = 0;
    segment.words[word + 1] = slabs[base + FREE]!;
    slabs[base + FREE] = ref;
    const live = slabs[base + LIVE]! - 1;
    slabs[base + LIVE] = live;
    const sizeClass = slabs[base + CLASS]!;
    this.#ledger.add(RECORD_BYTES, -CLASS_BYTES[sizeClass]!);
    const state = slabs[base + STATE]!;
    if (state !== DRAINED) this.#freeCells[sizeClass] = this.#freeCells[sizeClass]! + 1;
    if (live === 0) this.#emptied(slab);
    else if (state <= FULL) {
      const fullness = fullnessOf(live, sizeClass);
      if (fullness !== state) {
        if (state !== FULL) this.#unlink(slab);
        this.#link(slab, fullness);
      }
    }
  }

  /** Bytes of the cell at `ref`. */
  cellBytes(ref: Ref): number {
    return CLASS_BYTES[this.classAt(ref)]!;
  }

  /** Size class of the cell at `ref`. */
  classAt(ref: Ref): number {
    const slabs = this.segments[ref >>> SEGMENT_SHIFT]!.slabs;
    return slabs[(((ref >>> SLAB_SHIFT) & SLAB_MASK) << SLAB_WORDS_SHIFT) + CLASS]!;
  }

  /**
   * The sparsest slab of a class, set apart to be emptied; -1 when the others have no room for what
   * is in it. It takes no cell any more, and leaves the class with its last one.
   */
  drainSparsest(sizeClass: number): number {
    for (let fullness = 0; fullness < LISTS; fullness += 1) {
      const slab = this.#heads[sizeClass * LISTS + fullness]!;
      if (slab < 0) continue;
      if (this.#freeCells[sizeClass]! < CLASS_CELLS[sizeClass]!) return -1;
      this.#setApart(slab, sizeClass);
      return slab;
    }
    return -1;
  }

  /**
   * The segment with the most free slabs, closed to new slabs until it is empty; -1 when the others
   * have no room for it.
   */
  drainSegment(): number {
    // With a free segment at hand the rest would only be moved into it, for ever.
    this.#dropSpare();
    if (this.#freeSlabCount < SLABS_PER_SEGMENT) return -1;
    let best = -1;
    let mostFree = 0;
    for (let i = 0; i < this.segments.length; i += 1) {
      const segment = this.segments[i]!;
      const free = segment.freeSlabCount;
      if (free > mostFree && free < SLABS_PER_SEGMENT && !segment.draining) {
        best = i;
        mostFree = free;
      }
    }
    if (best < 0) return -1;
    const elsewhere = this.#freeSlabCount - mostFree;
    if (elsewhere < SLABS_PER_SEGMENT - mostFree) return -1;
    this.segments[best]!.draining = true;
    return best;
  }

  /** Sets apart the next slab in use of a draining segment; -1 when there is none left. */
  drainNextOf(segmentIndex: number): number {
    const segment = this.segments[segmentIndex]!;
    const used = ALL_SLABS & ~segment.freeSlabs;
    if (!segment.draining || used === 0) return -1;
    const slab = (segmentIndex << SLABS_SHIFT) | (31 - Math.clz32(used));
    const sizeClass = segment.slabs[((slab & SLAB_MASK) << SLAB_WORDS_SHIFT) + CLASS]!;
    this.#setApart(slab, sizeClass);
    if (this.liveCells(slab) > 0) return slab;
    // The slab that its class would take the next cell from, and nothing in it yet.
    this.#release(slab, sizeClass);
    return this.drainNextOf(segmentIndex);
  }

  /** Opens a segment that was not emptied after all. */
  stopDraining(segmentIndex: number): void {
    const segment = this.segments[segmentIndex]!;
    segment.draining = false;
    if (segmentIndex < this.#lowest && segment.freeSlabs !== 0) this.#lowest = segmentIndex;
  }

  /** Takes back a slab that was set apart, if it still is: its cells can be used again. */
  restore(slab: number): void {
    const slabs = this.segments[slab >>> SLABS_SHIFT]!.slabs;
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    if (slabs[base + STATE] !== DRAINED) return;
    const sizeClass = slabs[base + CLASS]!;
    const live = slabs[base + LIVE]!;
    const fullness = fullnessOf(live, sizeClass);
    if (fullness === FULL) slabs[base + STATE] = FULL;
    else this.#link(slab, fullness);
    this.#freeCells[sizeClass] = this.#freeCells[sizeClass]! + CLASS_CELLS[sizeClass]! - live;
  }

  liveCells(slab: number): number {
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    return this.segments[slab >>> SLABS_SHIFT]!.slabs[base + LIVE]!;
  }

  /** True while `slab` is set apart to be emptied. */
  isDrained(slab: number): boolean {
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    return this.segments[slab >>> SLABS_SHIFT]!.slabs[base + STATE] === DRAINED;
  }

  /** The first live cell of `slab` at or after `index`, as its index; -1 when there is none. */
  nextLive(slab: number, index: number): number {
    const segment = this.segments[slab >>> SLABS_SHIFT]!;
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    const units = CLASS_BYTES[segment.slabs[base + CLASS]!]! >>> 3;
    const first = firstCell(slab);
    const count = ((segment.slabs[base + FRESH]! - first) | 0) / units;
    for (let i = index; i < count; i += 1) {
      if (segment.words[((first + i * units) & UNIT_MASK) << 1] !== 0) return i;
    }
    return -1;
  }

  cellAt(slab: number, index: number): Ref {
    return (firstCell(slab) + index * (this.cellBytes(firstCell(slab)) >>> 3)) | 0;
  }

  /** Gives back slabs that hold nothing but wait for the next cell of their class, and the spare segment. */
  trim(): void {
    for (let sizeClass = 0; sizeClass < CLASS_COUNT; sizeClass += 1) {
      const slab = this.#current[sizeClass]!;
      if (slab < 0 || this.liveCells(slab) > 0) continue;
      this.#current[sizeClass] = -1;
      this.#release(slab, sizeClass);
    }
    this.#dropSpare();
  }

  #dropSpare(): void {
    if (this.#spare >= 0) this.#dropSegment(this.#spare);
    this.#spare = -1;
  }

  #setApart(slab: number, sizeClass: number): void {
    const slabs = this.segments[slab >>> SLABS_SHIFT]!.slabs;
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    const state = slabs[base + STATE]!;
    if (state === DRAINED) return;
    if (state === CURRENT) this.#current[sizeClass] = -1;
    else if (state < FULL) this.#unlink(slab);
    slabs[base + STATE] = DRAINED;
    const free = CLASS_CELLS[sizeClass]! - slabs[base + LIVE]!;
    this.#freeCells[sizeClass] = this.#freeCells[sizeClass]! - free;
  }

  #open(sizeClass: number): number {
    for (let fullness = LISTS - 1; fullness >= 0; fullness -= 1) {
      const slab = this.#heads[sizeClass * LISTS + fullness]!;
      if (slab < 0) continue;
      this.#unlink(slab);
      this.segments[slab >>> SLABS_SHIFT]!.slabs[((slab & SLAB_MASK) << SLAB_WORDS_SHIFT) + STATE] =
        CURRENT;
      this.#current[sizeClass] = slab;
      return slab;
    }
    const slab = this.#takeSlab();
    const slabs = this.segments[slab >>> SLABS_SHIFT]!.slabs;
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    slabs[base + CLASS] = sizeClass;
    slabs[base + FREE] = 0;
    slabs[base + FRESH] = firstCell(slab);
    slabs[base + LIVE] = 0;
    slabs[base + STATE] = CURRENT;
    this.#current[sizeClass] = slab;
    this.#freeCells[sizeClass] = this.#freeCells[sizeClass]! + CLASS_CELLS[sizeClass]!;
    return slab;
  }

  /** The free slab at the lowest place, so that high segments come empty. */
  #takeSlab(): number {
    for (let i = this.#lowest; i < this.segments.length; i += 1) {
      const segment = this.segments[i]!;
      if (segment.freeSlabs === 0 || segment.draining) continue;
      this.#lowest = i;
      return this.#takeSlabOf(i, segment);
    }
    const segment = new Segment(SEGMENT_BYTES);
    const index = this.#vacant.pop() ?? this.segments.length;
    if (index >= SEGMENTS_MAX) throw errors.outOfResources;
    this.segments[index] = segment;
    this.#ledger.addSegment(SEGMENT_BYTES);
    this.#freeSlabCount += SLABS_PER_SEGMENT;
    this.#lowest = index;
    return this.#takeSlabOf(index, segment);
  }

  #takeSlabOf(index: number, segment: Segment): number {
    if (index === this.#spare) this.#spare = -1;
    const bit = segment.freeSlabs & -segment.freeSlabs;
    segment.freeSlabs &= ~bit;
    this.#freeSlabCount -= 1;
    return (index << SLABS_SHIFT) | (31 - Math.clz32(bit));
  }

  #emptied(slab: number): void {
    const slabs = this.segments[slab >>> SLABS_SHIFT]!.slabs;
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    const sizeClass = slabs[base + CLASS]!;
    // The current slab stays, so that one key set and removed in turn costs no slab each time.
    if (slabs[base + STATE] === CURRENT) {
      slabs[base + FREE] = 0;
      slabs[base + FRESH] = firstCell(slab);
      return;
    }
    if (slabs[base + STATE]! < FULL) this.#unlink(slab);
    this.#release(slab, sizeClass);
  }

  #release(slab: number, sizeClass: number): void {
    const index = slab >>> SLABS_SHIFT;
    const segment = this.segments[index]!;
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    // The cells of a slab set apart left the count when it was.
    if (segment.slabs[base + STATE] !== DRAINED) {
      this.#freeCells[sizeClass] = this.#freeCells[sizeClass]! - CLASS_CELLS[sizeClass]!;
    }
    segment.slabs[base + STATE] = FULL;
    segment.freeSlabs |= 1 << (slab & SLAB_MASK);
    this.#freeSlabCount += 1;
    if (segment.freeSlabs !== ALL_SLABS) {
      if (index < this.#lowest && !segment.draining) this.#lowest = index;
      return;
    }
    segment.draining = false;
    if (this.#spare < 0) {
      this.#spare = index;
      if (index < this.#lowest) this.#lowest = index;
    } else {
      this.#dropSegment(index);
    }
  }

  #dropSegment(index: number): void {
    this.segments[index] = NOWHERE;
    this.#vacant.push(index);
    this.#freeSlabCount -= SLABS_PER_SEGMENT;
    this.#ledger.addSegment(-SEGMENT_BYTES);
  }

  #link(slab: number, fullness: number): void {
    const slabs = this.segments[slab >>> SLABS_SHIFT]!.slabs;
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    const head = slabs[base + CLASS]! * LISTS + fullness;
    const next = this.#heads[head]!;
    slabs[base + STATE] = fullness;
    slabs[base + NEXT] = next;
    slabs[base + PREV] = -1;
    if (next >= 0) this.#setNeighbour(next, PREV, slab);
    this.#heads[head] = slab;
  }

  #unlink(slab: number): void {
    const slabs = this.segments[slab >>> SLABS_SHIFT]!.slabs;
    const base = (slab & SLAB_MASK) << SLAB_WORDS_SHIFT;
    const next = slabs[base + NEXT]!;
    const prev = slabs[base + PREV]!;
    if (next >= 0) this.#setNeighbour(next, PREV, prev);
    if (prev >= 0) this.#setNeighbour(prev, NEXT, next);
    else this.#heads[slabs[base + CLASS]! * LISTS + slabs[base + STATE]!] = next;
  }

  #setNeighbour(slab: number, word: number, value: number): void {
    this.segments[slab >>> SLABS_SHIFT]!.slabs[((slab & SLAB_MASK) << SLAB_WORDS_SHIFT) + word] =
      value;
  }
}

function fullnessOf(live: number, sizeClass: number): number {
  return ((live * LISTS) / CLASS_CELLS[sizeClass]!) | 0;
}
