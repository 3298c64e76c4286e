/**
 * Blocks of slots, and what is done within one block: linear probing from a home slot, and removal
 * that shifts the following slots back.
 */
import { BLOCK_LOAD_MAX, BLOCKS_PER_CHUNK_BITS } from '../memory/limits.ts';
import type { Ref } from '../memory/segment.ts';

/** The hash bits that a home slot is taken from, and how many. */
const HOME_MASK = 0xffff;
export const BLOCKS_PER_CHUNK = 1 << BLOCKS_PER_CHUNK_BITS;
export const BLOCK_MASK = BLOCKS_PER_CHUNK - 1;

/** Blocks allocated together: many of the usual size, or a single one that is smaller or larger. */
export class Chunk {
  /** Two words per slot: hash and reference. Hash 0 is an unused slot. */
  readonly words: Int32Array;
  /** Slots of a block, as a power of two. */
  readonly bits: number;
  readonly slotMask: number;
  readonly wordMask: number;
  /** `((hash & HOME_MASK) << 8) >>> homeShift` is a hash's home slot. */
  readonly homeShift: number;
  readonly limit: number;
  /** Taken slots, and top bits of the hash that its keys share, by block. */
  readonly counts = new Int32Array(BLOCKS_PER_CHUNK);
  readonly depths = new Uint8Array(BLOCKS_PER_CHUNK);

  constructor(bits: number, blockCount: number) {
    this.words = new Int32Array(blockCount << (bits + 1));
    this.bits = bits;
    this.slotMask = (1 << bits) - 1;
    this.wordMask = (2 << bits) - 1;
    this.homeShift = 24 - bits;
    this.limit = Math.floor((1 << bits) * BLOCK_LOAD_MAX);
  }
}

export function homeOf(hash: number, chunk: Chunk): number {
  return ((hash & HOME_MASK) << 8) >>> chunk.homeShift;
}

/** Index of a slot's first word. */
export function wordOf(chunk: Chunk, block: number, slot: number): number {
  return (((block & BLOCK_MASK) << chunk.bits) + slot) << 1;
}

export function place(chunk: Chunk, block: number, hash: number, ref: Ref): void {
  const base = wordOf(chunk, block, 0);
  const words = chunk.words;
  let at = homeOf(hash, chunk) << 1;
  while (words[base + at] !== 0) at = (at + 2) & chunk.wordMask;
  words[base + at] = hash;
  words[base + at + 1] = ref;
  chunk.counts[block & BLOCK_MASK] = chunk.counts[block & BLOCK_MASK]! + 1;
}

export function slotOf(chunk: Chunk, block: number, hash: number, ref: Ref): number {
  const base = wordOf(chunk, block, 0);
  const words = chunk.words;
  let slot = homeOf(hash, chunk);
  for (;;) {
    const at = base + (slot << 1);
    if (words[at + 1] === ref && words[at] === hash) return slot;
    if (words[at] === 0) return -1;
    slot = (slot + 1) & chunk.slotMask;
  }
}

/** Empties a slot and moves back following slots that probing would no longer find. */
export function takeOut(chunk: Chunk, block: number, slot: number): void {
  const base = wordOf(chunk, block, 0);
  const words = chunk.words;
  const mask = chunk.slotMask;
  let hole = slot;
  let next = slot;
  for (;;) {
    next = (next + 1) & mask;
    const hash = words[base + (next << 1)]!;
    if (hash === 0) break;
    if (((next - homeOf(hash, chunk)) & mask) < ((next - hole) & mask)) continue;
    words[base + (hole << 1)] = hash;
    words[base + (hole << 1) + 1] = words[base + (next << 1) + 1]!;
    hole = next;
  }
  words[base + (hole << 1)] = 0;
  words[base + (hole << 1) + 1] = 0;
  chunk.counts[block & BLOCK_MASK] = chunk.counts[block & BLOCK_MASK]! - 1;
}

export function moveAll(source: Chunk, from: number, target: Chunk, to: number): void {
  const first = wordOf(source, from, 0);
  for (let at = first; at <= first + source.wordMask; at += 2) {
    const hash = source.words[at]!;
    if (hash !== 0) place(target, to, hash, source.words[at + 1]!);
  }
}

/** Visits each record whose home is from `first` up to `last`, once. */
export function visitHomes(
  chunk: Chunk,
  block: number,
  first: number,
  last: number,
  visit: (ref: Ref) => void,
): number {
  const base = wordOf(chunk, block, 0);
  const slotCount = chunk.slotMask + 1;
  let seen = 0;
  // Where probing came round the end, the slots behind `last` are those at the block's beginning.
  for (let i = first; i < last + slotCount; i += 1) {
    const slot = i & chunk.slotMask;
    const hash = chunk.words[base + (slot << 1)]!;
    if (hash === 0) {
      if (i >= last) break;
      continue;
    }
    // A home after its slot means that probing ran over the end of the block and came round.
    const home = homeOf(hash, chunk);
    const cameRound = home > slot;
    if (home < first || home >= last || cameRound !== i >= slotCount) continue;
    visit(chunk.words[base + (slot << 1) + 1]!);
    seen += 1;
  }
  return seen;
}

export function takenSlot(chunk: Chunk, block: number, from: number): Ref {
  let slot = from;
  while (chunk.words[wordOf(chunk, block, slot)] === 0) slot = (slot + 1) & chunk.slotMask;
  return chunk.words[wordOf(chunk, block, slot) + 1]!;
}
