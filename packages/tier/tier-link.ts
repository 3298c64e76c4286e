/** A shard's end of its way to the warm tier. */

import { assert, type Bytes, ByteSlab, type CommandError, errors } from '#base';
import { type LinkMemory, RingReader, RingWriter, type TierPlaces } from '#link';
import type { WarmOutlet } from '#store';
import { TierFault, type TierFigures } from './tier-figures.ts';
import {
  TIER_HEAD_BYTES,
  TierAnswer,
  tierFrameBytes,
  TierOrder,
  TierStatus,
  TierWord,
} from './tier-frames.ts';

/** A disk that has not answered by then is taken for one that cannot be read. */
const READ_TIMEOUT_MS = 10_000;

interface TierLinkOptions {
  readonly memory: LinkMemory;
  readonly places: TierPlaces;
  readonly figures: TierFigures;
  /** Wakes the thread that serves the shard. */
  readonly wake: () => void;
  /** Ways of bodies that are too large for the rings. */
  readonly send: (body: ArrayBuffer) => void;
  readonly receive: () => ArrayBuffer;
  readonly nowMs: () => number;
}

/** An entry of a value or a whole extent that was asked for, or why there is none. The bytes are the taker's. */
interface Arrival {
  readonly isExtent: boolean;
  readonly number: number;
  readonly bytes: Bytes | CommandError;
}

/** An order that has found no room. */
interface WaitingOrder {
  readonly kind: number;
  readonly number: number;
}

export class TierLink implements WarmOutlet {
  readonly figures: TierFigures;
  readonly #options: TierLinkOptions;
  readonly #orders: RingWriter;
  readonly #reads: RingWriter;
  readonly #answers: RingReader;
  readonly #entries = new ByteSlab();
  /** Removals for which there was no room; what comes after them waits too. */
  readonly #waitingDrops: number[] = [];
  readonly #waitingReads: WaitingOrder[] = [];
  /** Replies that arrived while another was waited for. */
  readonly #early: Arrival[] = [];

  constructor(options: TierLinkOptions) {
    const { memory, places } = options;
    this.#options = options;
    this.figures = options.figures;
    this.#orders = new RingWriter(memory, places.orders);
    this.#reads = new RingWriter(memory, places.reads);
    this.#answers = new RingReader(memory, places.answers);
  }

  get isFailing(): boolean {
    return this.figures.isFailing;
  }

  put(extent: number, bytes: Bytes): boolean {
    if (this.isFailing || !this.#flushDrops()) return false;
    const isLong = tierFrameBytes(bytes.length) > this.#orders.capacity / 4;
    const bodyBytes = isLong ? 0 : bytes.length;
    const at = this.#frame(this.#orders, TierOrder.put, extent, bodyBytes);
    if (at < 0) return false;
    const { memory, send } = this.#options;
    if (isLong) {
      memory.words[(at >> 2) + TierWord.length] = -bytes.length;
      // Sent before its frame can be seen.
      send(bytes.slice().buffer);
    } else {
      memory.bytes.set(bytes, at + TIER_HEAD_BYTES);
    }
    this.#orders.commit(tierFrameBytes(bodyBytes));
    return true;
  }

  drop(extent: number): void {
    if (this.#flushDrops() && this.#drop(extent)) return;
    this.#waitingDrops.push(extent);
  }

  #drop(extent: number): boolean {
    if (this.#frame(this.#orders, TierOrder.drop, extent, 0) < 0) return false;
    this.#orders.commit(TIER_HEAD_BYTES);
    return true;
  }

  #flushDrops(): boolean {
    let done = 0;
    for (const extent of this.#waitingDrops) {
      if (!this.#drop(extent)) break;
      done += 1;
    }
    this.#waitingDrops.splice(0, done);
    return this.#waitingDrops.length === 0;
  }

  waitForRoom(timeoutMs: number): void {
    this.publish();
    this.#orders.waitForRoom(timeoutMs);
  }

  /** Asks for a value, which `take` gives some time later. */
  ask(number: number): void {
    this.#read(TierOrder.read, number);
  }

  /** Requests a whole extent. */
  askExtent(extent: number): void {
    this.#read(TierOrder.readExtent, extent);
  }

  #read(kind: number, number: number): void {
    const order = { kind, number };
    if (!this.#flushReads() || !this.#order(order)) this.#waitingReads.push(order);
  }

  #order({ kind, number }: WaitingOrder): boolean {
    if (this.#frame(this.#reads, kind, number, 0) < 0) return false;
    this.#reads.commit(TIER_HEAD_BYTES);
    return true;
  }

  #flushReads(): boolean {
    let done = 0;
    for (const order of this.#waitingReads) {
      if (!this.#order(order)) break;
      done += 1;
    }
    this.#waitingReads.splice(0, done);
    return this.#waitingReads.length === 0;
  }

  #frame(ring: RingWriter, kind: number, number: number, bodyBytes: number): number {
    const byteCount = tierFrameBytes(bodyBytes);
    const at = ring.reserve(byteCount);
    if (at < 0) return -1;
    const { words } = this.#options.memory;
    const word = at >> 2;
    words[word + TierWord.bytes] = byteCount;
    words[word + TierWord.kind] = kind;
    words[word + TierWord.number] = number | 0;
    words[word + TierWord.status] = 0;
    words[word + TierWord.length] = bodyBytes;
    return at;
  }

  /** Publishes the orders to the thread. */
  publish(): void {
    this.#flushDrops();
    this.#flushReads();
    // A read may be of what was ordered before it: that is seen first.
    const hasOrders = this.#orders.hasUnpublished;
    const hasReads = this.#reads.hasUnpublished;
    if (!hasOrders && !hasReads) return;
    this.#orders.publish();
    this.#reads.publish();
    this.#options.wake();
  }

  /** True when something has come, or waits for room that may be there by now. */
  get hasArrived(): boolean {
    return this.#early.length > 0 || this.#answers.backlog > 0;
  }

  /** Takes arrived replies. */
  take(visit: (arrival: Arrival) => void): void {
    for (const arrival of this.#early.splice(0)) visit(arrival);
    for (let next = this.#next(); next !== undefined; next = this.#next()) visit(next);
    if (this.#answers.release()) this.#options.wake();
  }

  #next(): Arrival | undefined {
    const at = this.#answers.next();
    if (at < 0) return undefined;
    const { words, bytes } = this.#options.memory;
    const word = at >> 2;
    const isExtent = words[word + TierWord.kind] === TierAnswer.extent;
    const number = words[word + TierWord.number]! >>> 0;
    const status = words[word + TierWord.status]!;
    const length = words[word + TierWord.length]!;
    const begin = at + TIER_HEAD_BYTES;
    const body =
      length < 0
        ? new Uint8Array(this.#options.receive())
        : this.#entries.copy(bytes, begin, length);
    this.#answers.advance(words[word + TierWord.bytes]!);
    return { isExtent, number, bytes: status === TierStatus.sound ? body : failureOf(status) };
  }

  /** Waits for one value. */
  read(number: number): Bytes | CommandError {
    const { nowMs } = this.#options;
    const endMs = nowMs() + READ_TIMEOUT_MS;
    this.ask(number);
    for (;;) {
      this.publish();
      const found = this.#takeUntil(number);
      if (found !== undefined) return found.bytes;
      const leftMs = endMs - nowMs();
      const isDead = this.figures.get('fault') === TierFault.dead;
      if (leftMs <= 0 || isDead) return failureOf(TierStatus.unreadable);
      this.#answers.sleep(Math.min(leftMs, POLL_MS));
    }
  }

  /** Takes replies up to that of a value; the others are kept for `take`. */
  #takeUntil(number: number): Arrival | undefined {
    let next = this.#next();
    while (next !== undefined) {
      const isIt = !next.isExtent && next.number === number && !this.#isAsked(number);
      if (isIt) break;
      this.#early.push(next);
      next = this.#next();
    }
    if (this.#answers.release()) this.#options.wake();
    return next;
  }

  /** True while a read of the value has yet to find room. */
  #isAsked(number: number): boolean {
    return this.#waitingReads.some((order) => order.number === number);
  }
}

/** Between two looks at whether the thread is still there. */
const POLL_MS = 100;

const FAILURES: Readonly<Record<number, CommandError>> = {
  [TierStatus.damaged]: errors.warmDamaged,
  [TierStatus.missing]: errors.warmMissing,
  [TierStatus.unreadable]: errors.warmUnreadable,
};

function failureOf(status: number): CommandError {
  const failure = FAILURES[status];
  assert(failure !== undefined, 'a status of the tier that is known');
  return failure;
}
