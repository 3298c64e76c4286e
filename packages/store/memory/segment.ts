/**
 * A piece of memory for records, and how a reference names a place in it.
 */
import { SLAB_HEAD_BYTES, SLABS_PER_SEGMENT, UNIT_BYTES } from './limits.ts';

/** A cell's place; 0 is none. All 32 bits are used, so it may be negative. */
export type Ref = number;

/** `ref >>> SEGMENT_SHIFT` is the segment, `(ref & UNIT_MASK) << 1` the first word in it. */
export const SEGMENT_SHIFT = 17;
export const UNIT_MASK = (1 << SEGMENT_SHIFT) - 1;
/** `ref >>> SLAB_SHIFT` is the slab's number. */
export const SLAB_SHIFT = 13;
export const SLAB_MASK = SLABS_PER_SEGMENT - 1;
export const SLABS_SHIFT = SEGMENT_SHIFT - SLAB_SHIFT;
/** Words that describe a slab, as a power of two. */
export const SLAB_WORDS_SHIFT = 3;
/** The bits of `freeSlabs` when no slab is in use. */
export const ALL_SLABS = (1 << SLABS_PER_SEGMENT) - 1;

/** One ArrayBuffer and the views of it. */
export class Segment {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly view: DataView;
  readonly slabs = new Int32Array(SLABS_PER_SEGMENT << SLAB_WORDS_SHIFT);
  /** A bit per slab that has no class. */
  freeSlabs = ALL_SLABS;
  /** True while all its slabs are being emptied. */
  draining = false;

  get freeSlabCount(): number {
    let count = 0;
    for (let rest = this.freeSlabs; rest !== 0; rest &= rest - 1) count += 1;
    return count;
  }

  constructor(byteCount: number) {
    const buffer = new ArrayBuffer(byteCount);
    this.bytes = new Uint8Array(buffer);
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.view = new DataView(buffer);
  }
}

/** Reference of the first cell of a slab. */
export function firstCell(slab: number): Ref {
  return ((slab << SLAB_SHIFT) + SLAB_HEAD_BYTES / UNIT_BYTES) | 0;
}
