/**
 * Finds records by the hash of their key: extendible hashing, which grows one block at a time.
 *
 * The top bits of the hash choose an entry of the directory, which names a block of 1024 slots; its low
 * 16 bits say in which slot of the block probing begins. A slot is two words side by side, the whole
 * hash and the reference: one cache line answers a look-up, and a full block is split in two by one
 * more top bit without reading a single record. So growing never touches more than one block.
 * Slots stay in order of (block, home) regardless of splits, which is what a cursor of SCAN rests on.
 * Removal shifts the following slots back: there are no tombstones, and an unused slot ends a probe.
 */
import { assert } from '#base';
import {
  BLOCK_MASK,
  BLOCKS_PER_CHUNK,
  Chunk,
  homeOf,
  moveAll,
  place,
  slotOf,
  takenSlot,
  takeOut,
  visitHomes,
  wordOf,
} from './index-chunk.ts';
import {
  BLOCK_BITS,
  BLOCK_BITS_MAX,
  BLOCKS_PER_CHUNK_BITS,
  DIRECTORY_BITS_MAX,
  DIRECTORY_SLACK,
  RANDOM_TRIES_MAX,
  SCAN_SLOTS_PER_KEY,
  TINY_BLOCK_BITS,
  TINY_GROWTH_BITS,
} from '../memory/limits.ts';
import { INDEX_BYTES, type Ledger } from '../memory/memory-count.ts';
import type { Ref } from '../memory/segment.ts';

const SLOT_BYTES = 8;
/** Slots that a guess looks at: about as many as are in one cache line. */
const GUESSED_SLOTS = 8;
const DIRECTORY_ENTRY_BYTES = 4;
/** Hash bits that a cursor holds above the home slot. */
const CURSOR_PREFIX_BITS = 32 - BLOCK_BITS;
const CURSOR_HOME_MASK = (1 << BLOCK_BITS) - 1;

/** Operations that the index needs of the records it names. No hash is 0. */
export interface KeyedRecords {
  keyEquals(ref: Ref, key: Uint8Array, at: number, length: number): boolean;
}

export class KeyIndex {
  readonly #records: KeyedRecords;
  readonly #ledger: Ledger;
  #directory = new Int32Array(1);
  /** Shift that turns `hash >>> 1` into a directory index. */
  #shift = 31;
  #chunks: Chunk[] = [];
  /** Chunk that new blocks of the usual size come from, and how many of its blocks are used. */
  #openChunk = -1;
  #openBlocks = 0;
  #unused: number[] = [];
  /** No block has this number or a higher one. */
  #blockEnd = 1;
  #blockCount = 1;
  #count = 0;
  #bytes = 0;
  /** Most slots moved by one insertion: the longest single piece of work so far. */
  movedMax = 0;

  constructor(records: KeyedRecords, ledger: Ledger) {
    this.#records = records;
    this.#ledger = ledger;
    this.#reset();
  }

  get count(): number {
    return this.#count;
  }

  get depth(): number {
    return 31 - this.#shift;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The record with this key, or 0. */
  find(hash: number, key: Uint8Array, from: number, length: number): Ref {
    const block = this.#directory[(hash >>> 1) >>> this.#shift]!;
    const chunk = this.#chunks[block >>> BLOCKS_PER_CHUNK_BITS]!;
    const words = chunk.words;
    const wordMask = chunk.wordMask;
    const base = (block & BLOCK_MASK) << (chunk.bits + 1);
    let at = homeOf(hash, chunk) << 1;
    for (;;) {
      const found = words[base + at]!;
      if (found === hash) {
        const ref = words[base + at + 1]!;
        if (this.#records.keyEquals(ref, key, from, length)) return ref;
      } else if (found === 0) {
        return 0;
      }
      at = (at + 2) & wordMask;
    }
  }

  /** A record of that hash near its home slot, whose key may be another one; 0 where there is none, or only further on. */
  guess(hash: number): Ref {
    const block = this.#directory[(hash >>> 1) >>> this.#shift]!;
    const chunk = this.#chunks[block >>> BLOCKS_PER_CHUNK_BITS]!;
    const words = chunk.words;
    const wordMask = chunk.wordMask;
    const base = (block & BLOCK_MASK) << (chunk.bits + 1);
    let at = homeOf(hash, chunk) << 1;
    for (let slot = 0; slot < GUESSED_SLOTS; slot += 1) {
      const found = words[base + at]!;
      if (found === hash) return words[base + at + 1]!;
      if (found === 0) return 0;
      at = (at + 2) & wordMask;
    }
    return 0;
  }

  /** Makes room for one record of a hash, or fails before it changes anything. */
  reserve(hash: number): void {
    let moved = 0;
    for (;;) {
      const block = this.#directory[(hash >>> 1) >>> this.#shift]!;
      const chunk = this.#chunks[block >>> BLOCKS_PER_CHUNK_BITS]!;
      if (chunk.counts[block & BLOCK_MASK]! < chunk.limit) break;
      moved += this.#makeRoom(hash, block, chunk);
    }
    if (moved > this.movedMax) this.movedMax = moved;
  }

  /** Adds a record whose key is not there. */
  insert(hash: number, ref: Ref): void {
    this.reserve(hash);
    const block = this.#directory[(hash >>> 1) >>> this.#shift]!;
    const chunk = this.#chunks[block >>> BLOCKS_PER_CHUNK_BITS]!;
    place(chunk, block, hash, ref);
    this.#count += 1;
  }

  /** Names `next` where `ref` was named. */
  replace(hash: number, ref: Ref, next: Ref): void {
    const block = this.#directory[(hash >>> 1) >>> this.#shift]!;
    const chunk = this.#chunks[block >>> BLOCKS_PER_CHUNK_BITS]!;
    const slot = slotOf(chunk, block, hash, ref);
    assert(slot >= 0, 'a record that is replaced is in the index');
    chunk.words[wordOf(chunk, block, slot) + 1] = next;
  }

  remove(hash: number, ref: Ref): void {
    const block = this.#directory[(hash >>> 1) >>> this.#shift]!;
    const chunk = this.#chunks[block >>> BLOCKS_PER_CHUNK_BITS]!;
    const slot = slotOf(chunk, block, hash, ref);
    assert(slot >= 0, 'a record that is removed is in the index');
    takeOut(chunk, block, slot);
    this.#count -= 1;
    if (this.#count === 0 && (chunk.bits > TINY_BLOCK_BITS || this.#blockCount > 1)) this.#reset();
  }

  /**
   * Visits records from `cursor` on and returns the next cursor, 0 at the end. It stops after `count` records, or after
   * ten times as many slots; all slots of one home are visited together.
   */
  scan(cursor: number, count: number, visit: (ref: Ref) => void): number {
    const slotsMax = count * SCAN_SLOTS_PER_KEY;
    let at = cursor >>> 0;
    let slots = 0;
    let seen = 0;
    if (this.#count === 0) return 0;
    do {
      const prefix = at >>> BLOCK_BITS;
      const block = this.#directory[((at >>> 1) >>> this.#shift) | 0]!;
      const chunk = this.#chunks[block >>> BLOCKS_PER_CHUNK_BITS]!;
      const first = cursorToSlot(at & CURSOR_HOME_MASK, chunk.bits);
      const grain = chunk.bits > BLOCK_BITS ? 1 << (chunk.bits - BLOCK_BITS) : 1;
      const wanted = Math.max(1, Math.ceil((count - seen) / grain)) * grain;
      const last = Math.min(first + wanted, chunk.slotMask + 1);
      seen += visitHomes(chunk, block, first, last, visit);
      slots += last - first;
      const free = CURSOR_PREFIX_BITS - chunk.depths[block & BLOCK_MASK]!;
      if (last <= chunk.slotMask) {
        at = (((prefix >>> free) << (free + BLOCK_BITS)) | slotToCursor(last, chunk.bits)) >>> 0;
      } else {
        const next = ((prefix >>> free) + 1) * 2 ** free;
        if (next >= 2 ** CURSOR_PREFIX_BITS) return 0;
        at = (next << BLOCK_BITS) >>> 0;
      }
    } while (seen < count && slots < slotsMax);
    return at;
  }

  /** A record by chance, each about as likely as the other; 0 when there is none. */
  random(random: () => number): Ref {
    if (this.#count === 0) return 0;
    const blockEnd = this.#blockEnd;
    let block = 0;
    for (let i = 0; i < RANDOM_TRIES_MAX; i += 1) {
      block = Math.floor(random() * blockEnd);
      const chunk = this.#chunks[block >>> BLOCKS_PER_CHUNK_BITS]!;
      if (chunk.counts[block & BLOCK_MASK]! === 0) continue;
      const slot = Math.floor(random() * (chunk.slotMask + 1));
      const at = wordOf(chunk, block, slot);
      if (chunk.words[at] !== 0) return chunk.words[at + 1]!;
    }
    // Nearly empty: the next block with something in it, and there the next taken slot.
    for (;;) {
      const chunk = this.#chunks[block >>> BLOCKS_PER_CHUNK_BITS]!;
      if (chunk.counts[block & BLOCK_MASK]! > 0) {
        return takenSlot(chunk, block, Math.floor(random() * (chunk.slotMask + 1)));
      }
      block = block + 1 < blockEnd ? block + 1 : 0;
    }
  }

  /** The tiny table that an index begins as. */
  #reset(): void {
    this.#directory = new Int32Array(1);
    this.#shift = 31;
    this.#chunks = [new Chunk(TINY_BLOCK_BITS, 1)];
    this.#openChunk = -1;
    this.#openBlocks = 0;
    this.#unused = [];
    this.#blockEnd = 1;
    this.#blockCount = 1;
    this.#post(SLOT_BYTES * (1 << TINY_BLOCK_BITS) + DIRECTORY_ENTRY_BYTES - this.#bytes);
  }

  #post(bytes: number): void {
    this.#bytes += bytes;
    this.#ledger.add(INDEX_BYTES, bytes);
  }

  /** Makes a full block larger, or two of it. Returns how many slots were moved. */
  #makeRoom(hash: number, block: number, chunk: Chunk): number {
    const count = chunk.counts[block & BLOCK_MASK]!;
    if (chunk.bits < BLOCK_BITS) {
      this.#growTiny(chunk);
      return count;
    }
    const depth = chunk.depths[block & BLOCK_MASK]!;
    // Keys that share more top bits than their number explains would blow up the directory.
    if (depth < DIRECTORY_BITS_MAX && 1 << depth <= DIRECTORY_SLACK * this.#blockCount) {
      return this.#split(hash, block, chunk);
    }
    assert(chunk.bits < BLOCK_BITS_MAX, 'fewer keys of one hash than a block can hold');
    const larger = this.#newBlock(chunk.bits + 1);
    const target = this.#chunks[larger >>> BLOCKS_PER_CHUNK_BITS]!;
    target.depths[larger & BLOCK_MASK] = depth;
    moveAll(chunk, block, target, larger);
    this.#nameInDirectory(hash, depth, larger, larger);
    this.#freeBlock(block, chunk);
    return count;
  }

  #growTiny(chunk: Chunk): void {
    const bits = Math.min(BLOCK_BITS, chunk.bits + TINY_GROWTH_BITS);
    const blocks = bits === BLOCK_BITS ? BLOCKS_PER_CHUNK : 1;
    const larger = new Chunk(bits, blocks);
    moveAll(chunk, 0, larger, 0);
    this.#chunks = [larger];
    this.#post(SLOT_BYTES * (larger.slotMask - chunk.slotMask));
    if (blocks === 1) return;
    this.#openChunk = 0;
    this.#openBlocks = 1;
  }

  #split(hash: number, block: number, chunk: Chunk): number {
    const depth = chunk.depths[block & BLOCK_MASK]!;
    if (depth === this.depth) this.#doubleDirectory();
    const zero = this.#newBlock(chunk.bits);
    const one = this.#secondBlock(zero, chunk);
    const zeroChunk = this.#chunks[zero >>> BLOCKS_PER_CHUNK_BITS]!;
    const oneChunk = this.#chunks[one >>> BLOCKS_PER_CHUNK_BITS]!;
    zeroChunk.depths[zero & BLOCK_MASK] = depth + 1;
    oneChunk.depths[one & BLOCK_MASK] = depth + 1;
    const first = wordOf(chunk, block, 0);
    const bitShift = 31 - depth;
    for (let at = first; at <= first + chunk.wordMask; at += 2) {
      const each = chunk.words[at]!;
      if (each === 0) continue;
      if (((each >>> bitShift) & 1) === 0) place(zeroChunk, zero, each, chunk.words[at + 1]!);
      else place(oneChunk, one, each, chunk.words[at + 1]!);
    }
    const moved = chunk.counts[block & BLOCK_MASK]!;
    this.#nameInDirectory(hash, depth, zero, one);
    this.#freeBlock(block, chunk);
    return moved;
  }

  /** Another new block of the same size; without room for it the first goes. */
  #secondBlock(first: number, { bits }: Chunk): number {
    try {
      return this.#newBlock(bits);
    } catch (error) {
      this.#freeBlock(first, this.#chunks[first >>> BLOCKS_PER_CHUNK_BITS]!);
      throw error;
    }
  }

  /** Lets the entries of the hashes that share `depth` top bits with `hash` name two blocks, half each. */
  #nameInDirectory(hash: number, depth: number, zero: number, one: number): void {
    const entries = 1 << (this.depth - depth);
    const first = ((hash >>> 1) >>> this.#shift) & ~(entries - 1);
    this.#directory.fill(zero, first, first + entries / 2);
    this.#directory.fill(one, first + (entries >>> 1), first + entries);
  }

  #doubleDirectory(): void {
    const old = this.#directory;
    const directory = new Int32Array(old.length * 2);
    for (let i = 0; i < old.length; i += 1) {
      const block = old[i]!;
      directory[2 * i] = block;
      directory[2 * i + 1] = block;
    }
    this.#directory = directory;
    this.#shift -= 1;
    this.#post(DIRECTORY_ENTRY_BYTES * old.length);
  }

  #newBlock(bits: number): number {
    if (bits !== BLOCK_BITS) {
      this.#chunks.push(new Chunk(bits, 1));
      this.#addedBlock(bits);
      const single = (this.#chunks.length - 1) << BLOCKS_PER_CHUNK_BITS;
      this.#blockEnd = single + 1;
      return single;
    }
    const unused = this.#unused.pop();
    if (unused !== undefined) {
      this.#addedBlock(bits);
      return unused;
    }
    if (this.#openChunk < 0 || this.#openBlocks === BLOCKS_PER_CHUNK) {
      this.#chunks.push(new Chunk(BLOCK_BITS, BLOCKS_PER_CHUNK));
      this.#openChunk = this.#chunks.length - 1;
      this.#openBlocks = 0;
    }
    this.#addedBlock(bits);
    const block = (this.#openChunk << BLOCKS_PER_CHUNK_BITS) | this.#openBlocks;
    this.#openBlocks += 1;
    if (block >= this.#blockEnd) this.#blockEnd = block + 1;
    return block;
  }

  #addedBlock(bits: number): void {
    this.#blockCount += 1;
    this.#post(SLOT_BYTES << bits);
  }

  #freeBlock(block: number, chunk: Chunk): void {
    this.#blockCount -= 1;
    this.#post(-(SLOT_BYTES << chunk.bits));
    chunk.counts[block & BLOCK_MASK] = 0;
    if (chunk.bits === BLOCK_BITS) {
      const first = wordOf(chunk, block, 0);
      chunk.words.fill(0, first, first + chunk.wordMask + 1);
      this.#unused.push(block);
    } else {
      // A number of a single block is not used again: there are few, and they only come by floods.
      this.#chunks[block >>> BLOCKS_PER_CHUNK_BITS] = new Chunk(0, 1);
    }
  }
}

function cursorToSlot(home: number, bits: number): number {
  return bits >= BLOCK_BITS ? home << (bits - BLOCK_BITS) : home >>> (BLOCK_BITS - bits);
}

function slotToCursor(slot: number, bits: number): number {
  return bits >= BLOCK_BITS ? slot >>> (bits - BLOCK_BITS) : slot << (BLOCK_BITS - bits);
}
