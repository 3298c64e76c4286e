/**
 * One direction of traffic between the main thread and a shard.
 *
 * A ring has one writer and one reader, so no word of it is ever written from both sides (but for
 * the two flags, which are exchanged atomically). That, and not a lock, is what makes it safe.
 *
 * Frames are contiguous, begin at multiples of 8 and hold their own size in their first word. A frame
 * that does not fit before the ring's end is preceded by padding, whose first word is its size
 * negated, and begins at the ring's start.
 */

import { assert } from '#base';
import type { LinkMemory } from '../memory.ts';

/**
 * Words of a ring's header, as indexes into it; what each side writes is on a cache line of its own.
 *
 *   word            written by   read by   meaning
 *   HEAD            reader       writer    bytes taken so far, wrapping at 2^32
 *   FRAMES_TAKEN    reader       anybody   frames taken so far, beside HEAD
 *   TAIL            writer       reader    bytes published so far, wrapping at 2^32
 *   FRAMES_PUT      writer       anybody   frames published so far, beside TAIL
 *   READER_ASLEEP   both         both      1 while the reader waits for TAIL to move
 *   WAKES           wakers       reader    times that the reader was woken; a shard sleeps on it
 *   WRITER_WAITING  both         both      1 while the writer waits for HEAD to move
 */
const HEAD = 0;
const FRAMES_TAKEN = 1;
const TAIL = 16;
const FRAMES_PUT = 17;
const READER_ASLEEP = 32;
const WAKES = 33;
const WRITER_WAITING = 48;

/** Bytes that a ring's header takes in the link memory. */
export const RING_HEADER_BYTES = 256;

/** Returns the distance from `from` to `to` on the circle of 2^32 positions. */
function distance(from: number, to: number): number {
  return (to - from) >>> 0;
}

/** Place of a ring in the link memory. `bytes` is a power of two. */
export interface RingPlace {
  header: number;
  data: number;
  bytes: number;
  /** Bytes released last that the writer leaves as they are, so that the reader can look back at them; 0 without it. */
  keptBytes?: number;
}

/** Frames and bytes in a ring: published, and not yet released. */
interface RingDepth {
  readonly frames: number;
  readonly bytes: number;
}

/** Returns the frames and bytes in a ring, read from its header, which any thread can do. */
export function ringDepth(memory: LinkMemory, place: RingPlace): RingDepth {
  const { words } = memory;
  const header = place.header >> 2;
  // What was taken is read first: so it is never ahead of what was published.
  const taken = Atomics.load(words, header + FRAMES_TAKEN);
  const head = Atomics.load(words, header + HEAD);
  const put = Atomics.load(words, header + FRAMES_PUT);
  const tail = Atomics.load(words, header + TAIL);
  return { frames: distance(taken, put), bytes: distance(head, tail) };
}

/** Returns the position up to which a ring's writer has published, which any thread can read; it wraps at 2^32. */
export function ringPublished({ words }: LinkMemory, place: RingPlace): number {
  return Atomics.load(words, (place.header >> 2) + TAIL);
}

/** Returns the position up to which a ring's reader has taken everything, which any thread can read; it wraps at 2^32. */
export function ringTaken({ words }: LinkMemory, place: RingPlace): number {
  return Atomics.load(words, (place.header >> 2) + HEAD);
}

/** Wakes a shard that sleeps on a ring, for something else than its frames. */
export function wakeSleeper(memory: LinkMemory, place: RingPlace): void {
  const { words } = memory;
  const header = place.header >> 2;
  if (Atomics.load(words, header + READER_ASLEEP) !== 1) return;
  if (Atomics.exchange(words, header + READER_ASLEEP, 0) === 1) wake(memory, header);
}

function wake({ words, waits }: LinkMemory, header: number): void {
  Atomics.add(words, header + WAKES, 1);
  waits.wake(header + WAKES);
}

export class RingWriter {
  readonly memory: LinkMemory;
  readonly capacity: number;
  /** Bytes that can be under way at once. */
  readonly #usable: number;
  readonly #words: Int32Array;
  readonly #header: number;
  readonly #data: number;
  readonly #mask: number;
  /** Bytes written so far; what is past the published tail the reader cannot see. */
  #tail = 0;
  #published = 0;
  /** The reader's head when last looked at: it can only have moved on since. */
  #head = 0;
  #frames = 0;

  constructor(memory: LinkMemory, place: RingPlace) {
    assert((place.bytes & (place.bytes - 1)) === 0, 'a ring has a power of two of bytes');
    this.memory = memory;
    this.capacity = place.bytes;
    this.#usable = place.bytes - (place.keptBytes ?? 0);
    this.#words = memory.words;
    this.#header = place.header >> 2;
    this.#data = place.data;
    this.#mask = place.bytes - 1;
  }

  /**
   * Returns the place at which a frame of `byteCount` bytes (a multiple of 8, at most a quarter of the ring) can be
   * written, as an offset into the link memory; -1 when the ring is too full.
   */
  reserve(byteCount: number): number {
    let index = this.#tail & this.#mask;
    const toEnd = this.capacity - index;
    const padding = toEnd < byteCount ? toEnd : 0;
    if (!this.#hasRoom(byteCount + padding)) return -1;
    if (padding > 0) {
      this.#words[(this.#data + index) >> 2] = -padding;
      this.#tail = (this.#tail + padding) >>> 0;
      index = 0;
    }
    return this.#data + index;
  }

  /** Returns the most bytes that a frame at the place last reserved can have, as far as is known. */
  room(): number {
    const free = this.#usable - distance(this.#head, this.#tail);
    return Math.min(free, this.capacity - (this.#tail & this.#mask));
  }

  /** Ends the frame at the place last reserved. */
  commit(byteCount: number): void {
    this.#tail = (this.#tail + byteCount) >>> 0;
    this.#frames = (this.#frames + 1) | 0;
  }

  /** End of the last published frame, on the circle of 2^32 positions. */
  get published(): number {
    return this.#published;
  }

  /** Position of the end of the last frame, published or not. */
  get written(): number {
    return this.#tail;
  }

  get hasUnpublished(): boolean {
    return this.#tail !== this.#published;
  }

  /** The frames that the reader cannot see yet, as offsets into the link memory. */
  *unpublished(): Iterable<number> {
    let position = this.#published;
    while (position !== this.#tail) {
      const at = this.#data + (position & this.#mask);
      const first = this.#words[at >> 2]!;
      if (first > 0) yield at;
      position = (position + Math.abs(first)) >>> 0;
    }
  }

  /** The frames behind a position, published or not, as offsets into the link memory. */
  *behind(since: number): Iterable<number> {
    for (let position = since; position !== this.#tail;) {
      const at = this.#data + (position & this.#mask);
      const first = this.#words[at >> 2]!;
      if (first > 0) yield at;
      position = (position + Math.abs(first)) >>> 0;
    }
  }

  /** Bytes that the reader has not taken yet. */
  get backlog(): number {
    return distance(Atomics.load(this.#words, this.#header + HEAD) >>> 0, this.#tail);
  }

  /** True when the reader has taken all up to a position, of less than 2 GiB ago. */
  isTaken(position: number): boolean {
    return ((Atomics.load(this.#words, this.#header + HEAD) - position) | 0) >= 0;
  }

  /** Lets the reader see all frames; true when it sleeps, and its owner must wake it. */
  publish(): boolean {
    if (this.#tail === this.#published) return false;
    this.#published = this.#tail;
    this.#words[this.#header + FRAMES_PUT] = this.#frames;
    Atomics.store(this.#words, this.#header + TAIL, this.#tail | 0);
    return (
      Atomics.load(this.#words, this.#header + READER_ASLEEP) === 1 &&
      Atomics.exchange(this.#words, this.#header + READER_ASLEEP, 0) === 1
    );
  }

  /** Wakes a reader that sleeps on this ring itself (a shard). */
  wakeReader(): void {
    wake(this.memory, this.#header);
  }

  /**
   * Says that the writer wants room. Look for room again after this: the reader may have made
   * some before it could see the wish.
   */
  requestRoom(): void {
    Atomics.store(this.#words, this.#header + WRITER_WAITING, 1);
  }

  /** True while the reader has yet to answer `requestRoom`. */
  get isWaitingForRoom(): boolean {
    return Atomics.load(this.#words, this.#header + WRITER_WAITING) === 1;
  }

  /** Sleeps until the reader has taken something, or for `timeoutMs`. For shards only. */
  waitForRoom(timeoutMs: number): void {
    const head = Atomics.load(this.#words, this.#header + HEAD);
    this.requestRoom();
    if (distance(head >>> 0, this.#tail) === 0) return;
    Atomics.wait(this.#words, this.#header + HEAD, head, timeoutMs);
  }

  #hasRoom(byteCount: number): boolean {
    if (this.#usable - distance(this.#head, this.#tail) >= byteCount) return true;
    this.#head = Atomics.load(this.#words, this.#header + HEAD) >>> 0;
    return this.#usable - distance(this.#head, this.#tail) >= byteCount;
  }
}

export class RingReader {
  readonly memory: LinkMemory;
  readonly capacity: number;
  /** Bytes released last that stay as they are. */
  readonly keptBytes: number;
  readonly #words: Int32Array;
  readonly #header: number;
  readonly #data: number;
  readonly #mask: number;
  #head = 0;
  #frames = 0;
  #released = 0;
  #tail = 0;
  #peeked = 0;

  constructor(memory: LinkMemory, place: RingPlace) {
    this.memory = memory;
    this.capacity = place.bytes;
    this.keptBytes = place.keptBytes ?? 0;
    this.#words = memory.words;
    this.#header = place.header >> 2;
    this.#data = place.data;
    this.#mask = place.bytes - 1;
  }

  /** The next frame, as an offset into the link memory; -1 when there is none. It stays until `release`. */
  next(): number {
    for (;;) {
      if (this.#head === this.#tail) {
        this.#tail = Atomics.load(this.#words, this.#header + TAIL) >>> 0;
        if (this.#head === this.#tail) return -1;
      }
      const at = this.#data + (this.#head & this.#mask);
      const first = this.#words[at >> 2]!;
      if (first > 0) {
        assert(first <= distance(this.#head, this.#tail), 'a frame was published whole');
        return at;
      }
      assert(first < 0 && first >= -this.capacity, 'padding ends with the ring');
      this.#head = (this.#head - first) >>> 0;
    }
  }

  /** Resumes where the last reader of the ring stopped, in any thread. */
  resume(): void {
    this.#head = Atomics.load(this.#words, this.#header + HEAD) >>> 0;
    this.#released = this.#head;
    this.#tail = this.#head;
    this.#frames = this.#words[this.#header + FRAMES_TAKEN]!;
  }

  /** Restarts `peek` at the frame that `next` returns. */
  rewind(): void {
    this.#peeked = this.#head;
  }

  /**
   * The frame behind the one that `peek` gave, without stepping past any; -1 when no more are known of. What is
   * published meanwhile is known of after `next`.
   */
  peek(): number {
    while (this.#peeked !== this.#tail) {
      const at = this.#data + (this.#peeked & this.#mask);
      const first = this.#words[at >> 2]!;
      this.#peeked = (this.#peeked + Math.abs(first)) >>> 0;
      if (first > 0) return at;
    }
    return -1;
  }

  /** Frames that are published and not yet stepped past. */
  get waitingFrames(): number {
    return distance(this.#frames, Atomics.load(this.#words, this.#header + FRAMES_PUT));
  }

  /** Steps past the frame that `next` gave; its bytes may be overwritten after `release`. */
  advance(byteCount: number): void {
    this.#head = (this.#head + byteCount) >>> 0;
    this.#frames = (this.#frames + 1) | 0;
  }

  /** End of the last frame stepped past, on the circle of 2^32 positions. */
  get position(): number {
    return this.#head;
  }

  /** True for a byte of the link memory that lies in the frame that `next` gave. */
  isInFrame(at: number): boolean {
    const from = this.#data + (this.#head & this.#mask);
    return at >= from && at < from + this.#words[from >> 2]!;
  }

  /** Position of a byte of the link memory that lies in a frame stepped past. */
  positionOf(at: number): number {
    return (this.#head - ((this.#head - (at - this.#data)) & this.#mask)) >>> 0;
  }

  /** Bytes between the position `since`, of less than 4 GiB ago, and the end of the last frame stepped past. */
  passedSince(since: number): number {
    return distance(since, this.#head);
  }

  /** Bytes stepped past that the writer cannot use yet. */
  get unreleased(): number {
    return distance(this.#released, this.#head);
  }

  /** Bytes published and not stepped past. */
  get backlog(): number {
    return distance(this.#head, Atomics.load(this.#words, this.#header + TAIL) >>> 0);
  }

  /** Returns the space of all consumed frames to the writer; true if it waits for room and must be woken. */
  release(): boolean {
    if (this.#released === this.#head) return false;
    this.#released = this.#head;
    this.#words[this.#header + FRAMES_TAKEN] = this.#frames;
    Atomics.store(this.#words, this.#header + HEAD, this.#head | 0);
    return (
      Atomics.load(this.#words, this.#header + WRITER_WAITING) === 1 &&
      Atomics.exchange(this.#words, this.#header + WRITER_WAITING, 0) === 1
    );
  }

  /** Wakes a writer that sleeps on this ring itself (a shard). */
  wakeWriter(): void {
    Atomics.notify(this.#words, this.#header + HEAD);
  }

  /** Marks the reader as asleep, or awake. */
  setAsleep(asleep: boolean): void {
    Atomics.store(this.#words, this.#header + READER_ASLEEP, asleep ? 1 : 0);
  }

  /** Sleeps until a frame is published or something else is due, or for `timeoutMs`. For shards only. */
  sleep(timeoutMs: number, isDue?: () => boolean): void {
    // READER_ASLEEP is stored before TAIL is read again. In the other order, a frame published in between would find no
    // sleeping reader, and no thread would wake it. A wake after the check changes WAKES.
    this.setAsleep(true);
    const wakes = Atomics.load(this.#words, this.#header + WAKES);
    if (!this.#hasMore && isDue?.() !== true) {
      this.memory.waits.wait(this.#header + WAKES, wakes, timeoutMs);
    }
    this.setAsleep(false);
  }

  /** Polls for a number of rounds; true if a frame was published or other work is due. For shards only. */
  spin(rounds: number, isDue: () => boolean): boolean {
    for (let round = 0; round < rounds; round += 1) if (this.#hasMore || isDue()) return true;
    return false;
  }

  get #hasMore(): boolean {
    return Atomics.load(this.#words, this.#header + TAIL) >>> 0 !== this.#head;
  }
}
