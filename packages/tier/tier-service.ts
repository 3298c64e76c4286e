/**
 * Serves one shard: writes its extents, and reads them.
 *
 * What could not be written stays in its ring, and is read from there, until it can be: it may be the only copy. So a
 * disk that is full costs the shard its room for more, and nothing else.
 */

import type { Bytes } from '#base';
import { type LinkMemory, RingReader, RingWriter, type TierPlaces } from '#link';
import { warm } from '#store';
import { TierFault, type TierFigures } from './tier-figures.ts';
import {
  TIER_HEAD_BYTES,
  TierAnswer,
  tierFrameBytes,
  TierOrder,
  TierStatus,
  TierWord,
} from './tier-frames.ts';

/** Before a write that failed is tried again. */
const RETRY_MS = 200;
/** Between two looks at the file. */
const LOOK_MS = 1_000;
/** Milliseconds after the last failure for which a fault is reported: a nearly full disk accepts a write now and then. */
const FAULT_HOLD_MS = 5_000;
/** Milliseconds after which a missing folder is created again: it may still be in the process of removal. */
const RENEW_MS = 10_000;
/** Number of changes in one write, if they come soon enough: each write also costs its metadata pages. */
const BATCH_CHANGES = 8;
const BATCH_MS = 20;

/** Change of what is on disk: bytes are put, and nothing is removed. */
export interface ExtentChange {
  readonly extent: number;
  readonly bytes: Bytes | undefined;
}

/** Extents on a disk. */
export interface ExtentDisk {
  /** The bytes of an extent, good until the next call; undefined where there are none. Throws where it cannot be read. */
  read(extent: number): Bytes | undefined;
  /** Removes, then puts all or none and throws; after that the same changes may be committed again. */
  commit(changes: readonly ExtentChange[]): void;
  /** Returns the size of the file in bytes; -1 if it is missing. */
  look(): number;
  /** Creates a new file for further writes, in place of a missing one; false or an error if it cannot. */
  renew(): boolean;
  /** Bytes written to the disk so far. */
  readonly writtenBytes: number;
  close(): void;
}

interface TierServiceOptions {
  readonly memory: LinkMemory;
  readonly places: TierPlaces;
  readonly figures: TierFigures;
  readonly disk: ExtentDisk;
  /** Wakes the shard, which sleeps on the answers or elsewhere. */
  readonly wake: () => void;
  readonly send: (body: ArrayBuffer) => void;
  readonly receive: () => ArrayBuffer;
  readonly nowUs: () => number;
  readonly wallMs: () => number;
}

export class TierService {
  readonly #options: TierServiceOptions;
  readonly #orders: RingReader;
  readonly #reads: RingReader;
  readonly #answers: RingWriter;
  /** Changes that are not on disk: of each extent the last. */
  #pending: ExtentChange[] = [];
  readonly #latest = new Map<number, ExtentChange>();
  #retryUs = 0;
  /** Monotonic microseconds at which the oldest of them was taken. */
  #pendingUs = 0;
  #lookUs = 0;
  /** Time of the last failure. */
  #failedUs = 0;
  /** Time in microseconds at which the file was found missing; 0 while it exists. */
  #goneUs = 0;
  /** An answer for which there was no room. */
  #unsent: (() => boolean) | undefined;

  constructor(options: TierServiceOptions) {
    const { memory, places } = options;
    this.#options = options;
    this.#orders = new RingReader(memory, places.orders);
    this.#reads = new RingReader(memory, places.reads);
    this.#answers = new RingWriter(memory, places.answers);
  }

  /** Does what was ordered, for a while; returns true if there was anything. */
  turn(): boolean {
    const hasRead = this.#takeReads();
    const hasChanged = this.#commit();
    const nowUs = this.#options.nowUs();
    if (nowUs >= this.#lookUs) this.#look(nowUs);
    return hasRead || hasChanged;
  }

  close(): void {
    this.#options.disk.close();
  }

  /** Milliseconds until the next work without an order. */
  get restMs(): number {
    if (this.#pending.length === 0) return LOOK_MS;
    return this.#retryUs > 0 ? RETRY_MS : BATCH_MS;
  }

  #takeReads(): boolean {
    if (this.#unsent !== undefined) {
      if (!this.#unsent()) return false;
      this.#unsent = undefined;
    }
    let hasRead = false;
    for (let at = this.#reads.next(); at >= 0; at = this.#reads.next()) {
      // What was ordered before a read is seen before it.
      this.#takeOrders();
      const { words } = this.#options.memory;
      const word = at >> 2;
      const isExtent = words[word + TierWord.kind] === TierOrder.readExtent;
      const number = words[word + TierWord.number]! >>> 0;
      this.#reads.advance(words[word + TierWord.bytes]!);
      hasRead = true;
      const send = this.#answer(isExtent, number);
      if (send()) continue;
      this.#unsent = send;
      break;
    }
    this.#reads.release();
    this.#publish();
    return hasRead;
  }

  /** Finds what is wanted; what comes back gives it to the shard, if there is room. */
  #answer(isExtent: boolean, number: number): () => boolean {
    const { status, bytes } = this.#find(isExtent, number);
    const kind = isExtent ? TierAnswer.extent : TierAnswer.value;
    return () => this.#send(kind, number, status, bytes);
  }

  #find(isExtent: boolean, number: number): { status: number; bytes: Bytes } {
    const extent = isExtent ? number : warm.extentOf(number);
    this.#options.figures.add('extentReads', 1);
    let whole: Bytes | undefined;
    try {
      const change = this.#latest.get(extent);
      whole = change === undefined ? this.#options.disk.read(extent) : change.bytes;
    } catch {
      this.#countUnread();
      return { status: TierStatus.unreadable, bytes: NOTHING };
    }
    if (whole === undefined) return { status: TierStatus.missing, bytes: NOTHING };
    if (isExtent) return { status: TierStatus.sound, bytes: whole };
    const entry = warm.entryOf(whole, warm.nthOf(number));
    if (entry !== undefined && warm.isSound(entry)) {
      return { status: TierStatus.sound, bytes: entry };
    }
    this.#countUnread();
    return { status: TierStatus.damaged, bytes: NOTHING };
  }

  #countUnread(): void {
    const { figures } = this.#options;
    figures.add('errors', 1);
    figures.add('unread', 1);
  }

  #send(kind: number, number: number, status: number, bytes: Bytes): boolean {
    const { memory, send } = this.#options;
    const isLong = tierFrameBytes(bytes.length) > this.#answers.capacity / 4;
    const byteCount = tierFrameBytes(isLong ? 0 : bytes.length);
    const at = this.#answers.reserve(byteCount);
    if (at < 0) {
      this.#answers.requestRoom();
      return false;
    }
    const word = at >> 2;
    memory.words[word + TierWord.bytes] = byteCount;
    memory.words[word + TierWord.kind] = kind;
    memory.words[word + TierWord.number] = number | 0;
    memory.words[word + TierWord.status] = status;
    memory.words[word + TierWord.length] = isLong ? -bytes.length : bytes.length;
    if (isLong) send(new Uint8Array(bytes).buffer);
    else memory.bytes.set(bytes, at + TIER_HEAD_BYTES);
    this.#answers.commit(byteCount);
    return true;
  }

  #publish(): void {
    if (!this.#answers.hasUnpublished) return;
    if (this.#answers.publish()) this.#answers.wakeReader();
    this.#options.wake();
  }

  /** Takes all that is ordered; it stays in the ring until it is on disk. */
  #takeOrders(): void {
    const { memory, receive, nowUs } = this.#options;
    for (let at = this.#orders.next(); at >= 0; at = this.#orders.next()) {
      const word = at >> 2;
      const extent = memory.words[word + TierWord.number]! >>> 0;
      const length = memory.words[word + TierWord.length]!;
      const begin = at + TIER_HEAD_BYTES;
      let bytes: Bytes | undefined;
      if (memory.words[word + TierWord.kind] === TierOrder.put) {
        bytes =
          length < 0 ? new Uint8Array(receive()) : memory.bytes.subarray(begin, begin + length);
      }
      const change = { extent, bytes };
      if (this.#pending.length === 0) this.#pendingUs = nowUs();
      this.#pending.push(change);
      this.#latest.set(extent, change);
      this.#orders.advance(memory.words[word + TierWord.bytes]!);
    }
  }

  /** Writes what was ordered; returns true if there was anything that could be. */
  #commit(): boolean {
    const { disk, figures, nowUs } = this.#options;
    const startUs = nowUs();
    if (this.#retryUs > startUs) return false;
    this.#takeOrders();
    if (this.#pending.length === 0) return false;
    const isEarly = startUs - this.#pendingUs < BATCH_MS * 1_000;
    if (isEarly && this.#pending.length < BATCH_CHANGES) return false;
    try {
      disk.commit([...this.#latest.values()]);
    } catch (error) {
      figures.set('isRefusing', 1);
      this.#failed(isFull(error) ? TierFault.full : TierFault.unwritable);
      this.#retryUs = nowUs() + RETRY_MS * 1_000;
      return false;
    }
    this.#retryUs = 0;
    figures.set('isRefusing', 0);
    this.#pending = [];
    this.#latest.clear();
    if (this.#orders.release()) this.#orders.wakeWriter();
    figures.set('writtenBytes', disk.writtenBytes);
    figures.add('commits', 1);
    figures.add('commitUs', nowUs() - startUs);
    // Notifies a shard with more to spill that there is room.
    this.#options.wake();
    return true;
  }

  #failed(fault: number): void {
    const { figures, wallMs } = this.#options;
    this.#failedUs = this.#options.nowUs();
    figures.add('errors', 1);
    if (figures.get('fault') === fault) return;
    figures.set('fault', fault);
    figures.set('faultSinceMs', wallMs());
  }

  /** Checks the file: one whose folder is missing can still be read and written, until there is a new one. */
  #look(nowUs: number): void {
    const { disk, figures } = this.#options;
    this.#lookUs = nowUs + LOOK_MS * 1_000;
    const fileBytes = disk.look();
    figures.set('fileBytes', Math.max(0, fileBytes));
    if (fileBytes >= 0) this.#goneUs = 0;
    else if (this.#goneUs > 0) this.#renew(nowUs);
    else {
      this.#goneUs = nowUs;
      this.#failed(TierFault.vanished);
    }
    const isFailing = this.#goneUs > 0 || figures.isFailing;
    if (isFailing || figures.get('fault') === TierFault.none) return;
    if (nowUs - this.#failedUs < FAULT_HOLD_MS * 1_000) return;
    figures.set('fault', TierFault.none);
    figures.set('faultSinceMs', 0);
  }

  #renew(nowUs: number): void {
    if (nowUs - this.#goneUs < RENEW_MS * 1_000) return;
    try {
      if (this.#options.disk.renew()) this.#goneUs = 0;
    } catch {
      // It is tried again at the next look.
    }
  }
}

const NOTHING: Bytes = new Uint8Array(0);

/** True for an error that more room on the disk would mend. */
function isFull(error: unknown): boolean {
  return error instanceof Error && /^(ENOSPC|EDQUOT|EFBIG)\b/.test(error.message);
}
