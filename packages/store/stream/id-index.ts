/**
 * Ids in order, with a few words for each, in chunks of typed memory.
 *
 * A chunk is a sorted array that may begin behind unused slots, so that ids come at the end and go from
 * the front without moving others; it is split when it is full, and joined with a neighbour when both
 * are nearly empty. The chunks of a million ids are two thousand, so that their own array is cheap.
 *
 *   slot, in words   0   milliseconds: high, low
 *                    2   sequence number: high, low
 *                    4   the owner's words
 */

import type { Steps } from '#base';
import type { MemoryTally } from './memory-tally.ts';
import type { StreamId } from './stream-id.ts';

const ID_WORDS = 4;
const WORD_BYTES = 4;
/** Slots of a full chunk. */
const CHUNK_SLOTS = 512;
/** Slots of the first chunk, and of those that follow it, when they are new. */
const FIRST_SLOTS = 4;
const NEXT_SLOTS = 64;
/** Two neighbours become one when they leave this many slots of one unused. */
const JOINED_SLOTS_MAX = CHUNK_SLOTS / 2;
/** Slots in front are used again when they are this part of a chunk; memory is given back below it. */
const SPARE_PARTS = 4;
/** Bytes that Node keeps for a chunk beside its words: our object, a view and its buffer (measured). */
const CHUNK_OVERHEAD_BYTES = 280;

class Chunk {
  words: Int32Array;
  first = 0;
  count = 0;

  constructor(slots: number, stride: number) {
    this.words = new Int32Array(slots * stride);
  }
}

/** A place among the ids: a chunk and a slot in it. */
export class IdPlace {
  chunk = 0;
  slot = 0;

  set(other: IdPlace): this {
    this.chunk = other.chunk;
    this.slot = other.slot;
    return this;
  }

  copy(): IdPlace {
    return new IdPlace().set(this);
  }
}

export class IdIndex {
  readonly #stride: number;
  readonly #tally: MemoryTally;
  #chunks: Chunk[] = [];
  #count = 0;

  /** `words` are the owner's, for each id. */
  constructor(words: number, tally: MemoryTally) {
    this.#stride = ID_WORDS + words;
    this.#tally = tally;
  }

  get count(): number {
    return this.#count;
  }

  get chunkCount(): number {
    return this.#chunks.length;
  }

  /** True when there is an id at the place. */
  isThere({ chunk, slot }: IdPlace): boolean {
    return slot < (this.#chunks[chunk]?.count ?? 0);
  }

  /** Points at the first id; false when there is none. */
  first(place: IdPlace): boolean {
    place.chunk = 0;
    place.slot = 0;
    return this.#count > 0;
  }

  last(place: IdPlace): boolean {
    if (this.#count === 0) return false;
    place.chunk = this.#chunks.length - 1;
    place.slot = this.#chunks[place.chunk]!.count - 1;
    return true;
  }

  next(place: IdPlace): boolean {
    place.slot += 1;
    return this.#settle(place);
  }

  prev(place: IdPlace): boolean {
    place.slot -= 1;
    if (place.slot >= 0) return true;
    if (place.chunk === 0) return false;
    place.chunk -= 1;
    place.slot = this.#chunks[place.chunk]!.count - 1;
    return true;
  }

  /** Points at the id; false when it is not there. */
  find(id: StreamId, place: IdPlace): boolean {
    this.#lowerBound(id, place);
    return place.chunk < this.#chunks.length && this.#isAt(id, place);
  }

  /** Points at the first id that is not below `id`; false when there is none. */
  seek(id: StreamId, place: IdPlace): boolean {
    this.#lowerBound(id, place);
    return this.#settle(place);
  }

  /** Points at the last id that is not above `id`; false when there is none. */
  seekBack(id: StreamId, place: IdPlace): boolean {
    this.#lowerBound(id, place);
    if (place.chunk < this.#chunks.length && this.#isAt(id, place)) return true;
    return this.prev(place);
  }

  readId(place: IdPlace, id: StreamId): void {
    const { words } = this.#chunks[place.chunk]!;
    const at = this.#wordAt(place);
    id.setWords(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
  }

  /** One of the owner's words. */
  word(place: IdPlace, nth: number): number {
    return this.#chunks[place.chunk]!.words[this.#wordAt(place) + ID_WORDS + nth]!;
  }

  setWord(place: IdPlace, nth: number, value: number): void {
    this.#chunks[place.chunk]!.words[this.#wordAt(place) + ID_WORDS + nth] = value;
  }

  /** Adds an id that is not there and points at it; the owner's words are the owner's to write. */
  insert(id: StreamId, place: IdPlace): void {
    if (this.#chunks.length === 0) this.#chunks.push(this.#newChunk(FIRST_SLOTS));
    const last = this.#chunks.length - 1;
    const isBehindAll = this.#count > 0 && this.#compareLast(id) < 0;
    if (isBehindAll) {
      place.chunk = last;
      place.slot = this.#chunks[last]!.count;
    } else {
      this.#lowerBound(id, place);
    }
    this.#makeRoom(place);
    const chunk = this.#chunks[place.chunk]!;
    this.#openSlot(chunk, place.slot);
    const at = this.#wordAt(place);
    chunk.words[at] = id.msHigh;
    chunk.words[at + 1] = id.msLow;
    chunk.words[at + 2] = id.seqHigh;
    chunk.words[at + 3] = id.seqLow;
    this.#count += 1;
  }

  /** Takes out the id of a place, which then is that of the next id; false after the last one. */
  remove(place: IdPlace): boolean {
    const chunk = this.#chunks[place.chunk]!;
    this.#closeSlot(chunk, place.slot);
    this.#count -= 1;
    if (chunk.count === 0) {
      this.#dropChunk(place.chunk);
      return this.#settle(place);
    }
    this.#joinAround(place);
    const joined = this.#chunks[place.chunk]!;
    const slots = joined.words.length / this.#stride;
    if (joined.count * SPARE_PARTS <= slots && slots > FIRST_SLOTS) {
      this.#resize(joined, Math.max(joined.count * 2, FIRST_SLOTS));
    }
    return this.#settle(place);
  }

  /** Gives all memory back. */
  clear(): void {
    for (const chunk of this.#chunks) this.#forget(chunk);
    this.#chunks = [];
    this.#count = 0;
  }

  /** Adds all ids of another index with their words; there are none here. What they take is posted. */
  *copyFrom(other: IdIndex): Steps<void> {
    for (const { words, first, count } of other.#chunks) {
      const chunk = this.#newChunk(words.length / this.#stride);
      chunk.words.set(words);
      chunk.first = first;
      chunk.count = count;
      this.#chunks.push(chunk);
      this.#count += count;
      yield;
    }
  }

  #wordAt({ chunk, slot }: IdPlace): number {
    return (this.#chunks[chunk]!.first + slot) * this.#stride;
  }

  /** Moves to the next chunk at the end of one; returns false after the last one. */
  #settle(place: IdPlace): boolean {
    const chunk = this.#chunks[place.chunk];
    if (chunk === undefined) return false;
    if (place.slot < chunk.count) return true;
    place.chunk += 1;
    place.slot = 0;
    return place.chunk < this.#chunks.length;
  }

  #isAt(id: StreamId, place: IdPlace): boolean {
    const chunk = this.#chunks[place.chunk]!;
    if (place.slot === chunk.count) return false;
    return compareAt(chunk.words, this.#wordAt(place), id) === 0;
  }

  #compareLast(id: StreamId): number {
    const { words, first, count } = this.#chunks[this.#chunks.length - 1]!;
    return compareAt(words, (first + count - 1) * this.#stride, id);
  }

  /** Finds the place where the id is or belongs; that may be after the last slot of a chunk. */
  #lowerBound(id: StreamId, place: IdPlace): void {
    const chunks = this.#chunks;
    const stride = this.#stride;
    let least = 1;
    let most = chunks.length;
    while (least < most) {
      const middle = (least + most) >>> 1;
      const { words, first } = chunks[middle]!;
      if (compareAt(words, first * stride, id) > 0) most = middle;
      else least = middle + 1;
    }
    place.chunk = least - 1;
    place.slot = 0;
    const chunk = chunks[least - 1];
    if (chunk === undefined) return;
    let low = 0;
    let high = chunk.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareAt(chunk.words, (chunk.first + middle) * stride, id) < 0) low = middle + 1;
      else high = middle;
    }
    place.slot = low;
  }

  /** Sees to it that the chunk has an unused slot at one of its ends. */
  #makeRoom(place: IdPlace): void {
    const chunk = this.#chunks[place.chunk]!;
    const slots = chunk.words.length / this.#stride;
    const hasRoomBehind = chunk.first + chunk.count < slots;
    if (hasRoomBehind || (place.slot === 0 && chunk.first > 0)) return;
    if (chunk.first * SPARE_PARTS >= slots) this.#resize(chunk, slots);
    else if (slots < CHUNK_SLOTS) this.#resize(chunk, Math.min(slots * 2, CHUNK_SLOTS));
    else this.#split(place);
  }

  #split(place: IdPlace): void {
    const stride = this.#stride;
    const chunk = this.#chunks[place.chunk]!;
    const isAtEnd = place.chunk === this.#chunks.length - 1 && place.slot === chunk.count;
    // What is added after everything leaves full chunks.
    const kept = isAtEnd ? chunk.count : chunk.count >>> 1;
    const right = this.#newChunk(isAtEnd ? NEXT_SLOTS : CHUNK_SLOTS);
    const { words, first, count } = chunk;
    right.words.set(words.subarray((first + kept) * stride, (first + count) * stride));
    right.count = count - kept;
    chunk.count = kept;
    this.#chunks.splice(place.chunk + 1, 0, right);
    if (place.slot > kept || isAtEnd) {
      place.chunk += 1;
      place.slot -= kept;
    }
  }

  #openSlot(chunk: Chunk, slot: number): void {
    const stride = this.#stride;
    const { words, first, count } = chunk;
    if (slot === 0 && first > 0) {
      chunk.first -= 1;
    } else if (slot < count) {
      const from = (first + slot) * stride;
      words.copyWithin(from + stride, from, (first + count) * stride);
    }
    chunk.count += 1;
  }

  #closeSlot(chunk: Chunk, slot: number): void {
    const stride = this.#stride;
    const { words, first, count } = chunk;
    chunk.count -= 1;
    if (slot * 2 < count) {
      if (slot > 0) {
        words.copyWithin((first + 1) * stride, first * stride, (first + slot) * stride);
      }
      chunk.first += 1;
    } else {
      const from = (first + slot + 1) * stride;
      words.copyWithin(from - stride, from, (first + count) * stride);
    }
  }

  /** Puts the chunk and a neighbour together where both have become small. */
  #joinAround(place: IdPlace): void {
    const chunks = this.#chunks;
    const { count } = chunks[place.chunk]!;
    const before = chunks[place.chunk - 1];
    if (before !== undefined && before.count + count <= JOINED_SLOTS_MAX) {
      place.chunk -= 1;
      place.slot += before.count;
      this.#join(place.chunk);
      return;
    }
    const behind = chunks[place.chunk + 1];
    if (behind !== undefined && behind.count + count <= JOINED_SLOTS_MAX) this.#join(place.chunk);
  }

  #join(index: number): void {
    const stride = this.#stride;
    const left = this.#chunks[index]!;
    const { words, first, count } = this.#chunks[index + 1]!;
    this.#resize(left, left.count + count);
    left.words.set(words.subarray(first * stride, (first + count) * stride), left.count * stride);
    left.count += count;
    this.#dropChunk(index + 1);
  }

  /** Gives the chunk other memory, or lets it begin at the front of its own. */
  #resize(chunk: Chunk, slots: number): void {
    const stride = this.#stride;
    const { words, first, count } = chunk;
    if (slots * stride === words.length) {
      words.copyWithin(0, first * stride, (first + count) * stride);
    } else {
      chunk.words = new Int32Array(slots * stride);
      chunk.words.set(words.subarray(first * stride, (first + count) * stride));
      this.#tally.add((chunk.words.length - words.length) * WORD_BYTES);
    }
    chunk.first = 0;
  }

  #newChunk(slots: number): Chunk {
    const chunk = new Chunk(slots, this.#stride);
    this.#tally.add(chunk.words.length * WORD_BYTES + CHUNK_OVERHEAD_BYTES);
    return chunk;
  }

  #dropChunk(index: number): void {
    const [chunk] = this.#chunks.splice(index, 1);
    this.#forget(chunk!);
  }

  #forget({ words }: Chunk): void {
    this.#tally.add(-(words.length * WORD_BYTES + CHUNK_OVERHEAD_BYTES));
  }
}

/** Below zero when the id of a slot comes before `id`, zero when it is the same. */
function compareAt(words: Int32Array, at: number, id: StreamId): number {
  const msHigh = words[at]!;
  if (msHigh !== id.msHigh) return msHigh >>> 0 < id.msHigh >>> 0 ? -1 : 1;
  const msLow = words[at + 1]!;
  if (msLow !== id.msLow) return msLow >>> 0 < id.msLow >>> 0 ? -1 : 1;
  const seqHigh = words[at + 2]!;
  if (seqHigh !== id.seqHigh) return seqHigh >>> 0 < id.seqHigh >>> 0 ? -1 : 1;
  const seqLow = words[at + 3]!;
  if (seqLow === id.seqLow) return 0;
  return seqLow >>> 0 < id.seqLow >>> 0 ? -1 : 1;
}
