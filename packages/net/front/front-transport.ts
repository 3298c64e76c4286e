/** Main's end of a connection whose bytes a front thread moves. */

import type { Bytes } from '#base';
import { FRONT_BYTES_MAX, FRONT_WINDOW_BYTES, FrontKind, type FrontSlots } from '#link';
import type { Sink, Transport, TransportEvents, WriteOutcome } from '../transport.ts';

/** Number of processed input bytes after which the front thread is notified. */
const ACKNOWLEDGED_BYTES = FRONT_WINDOW_BYTES / 4;

/** The way to the front thread, as a connection needs it. */
interface FrontWay {
  readonly slots: FrontSlots;
  send(kind: number, slot: number, value?: number): void;
  /** Sends the last frame about a connection. */
  say(kind: number, slot: number, value: number): void;
  /** Sends bytes if there is room; otherwise the transport continues once there is. */
  write(transport: FrontTransport, source: Bytes, at: number, length: number): boolean;
}

export class FrontTransport implements Transport, Sink {
  readonly descriptor: number;
  readonly slot: number;
  onWritten: (hasFailed: boolean) => void = () => undefined;
  readonly #link: FrontWay;
  #events: TransportEvents | undefined;
  /** Bytes of input received, and acknowledged to the front thread; wrapping at 2^32. */
  #received = 0;
  #reported = 0;
  #isPaused = false;
  /** Bytes of output sent, wrapping at 2^32. */
  #sent = 0;
  /** Chunks of the write that is kept, the first of them from `#offset` on. */
  #rest: readonly Bytes[] = [];
  #restAt = 0;
  #offset = 0;
  #restBytes = 0;
  /** The last word about the connection is said. */
  #isOver = false;

  constructor(link: FrontWay, slot: number, descriptor: number) {
    this.#link = link;
    this.slot = slot;
    this.descriptor = descriptor;
  }

  get sink(): Sink {
    return this;
  }

  get pendingBytes(): number {
    return this.#restBytes + this.#bytesUnderWay;
  }

  begin(events: TransportEvents): void {
    this.#events = events;
  }

  /** Processes a frame of the front thread. */
  reported(kind: number, source: Bytes, at: number, value: number): void {
    const events = this.#events;
    switch (kind) {
      case FrontKind.data:
        this.#received = (this.#received + value) | 0;
        events?.received(source, at, value);
        if (!this.#isPaused) this.#report(ACKNOWLEDGED_BYTES);
        break;
      case FrontKind.ended:
        events?.ended();
        break;
      case FrontKind.slow:
        events?.slow();
        break;
      case FrontKind.progress:
        this.goOn();
        if (this.pendingBytes === 0) events?.caughtUp();
        break;
      default:
        events?.closed();
    }
  }

  write(chunks: readonly Bytes[], byteCount: number): WriteOutcome {
    if (this.#isOver) return 'done';
    this.#rest = chunks;
    this.#restAt = 0;
    this.#offset = 0;
    this.#restBytes = byteCount;
    this.#push();
    return this.#restBytes === 0 ? 'done' : 'kept';
  }

  writeRange(source: Bytes, at: number, byteCount: number): WriteOutcome {
    return this.write([source.subarray(at, at + byteCount)], byteCount);
  }

  /** Sends buffered output, as far as there is room. */
  goOn(): void {
    if (this.#restBytes === 0) return;
    this.#push();
    if (this.#restBytes === 0) this.onWritten(false);
  }

  setKeepAlive(seconds: number): void {
    this.#link.send(FrontKind.keepAlive, this.slot, seconds);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#report(1);
  }

  finish(lingerMs: number): void {
    this.#say(FrontKind.finish, lingerMs);
  }

  destroy(): void {
    this.#say(FrontKind.destroy, 0);
  }

  #say(kind: number, value: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#rest = [];
    this.#restBytes = 0;
    this.#link.say(kind, this.slot, value);
  }

  /** Acknowledges processed input to the front thread, if it is at least `bytesLeast` bytes more. */
  #report(bytesLeast: number): void {
    if ((this.#received - this.#reported) >>> 0 < bytesLeast) return;
    this.#reported = this.#received;
    const { slots } = this.#link;
    if (slots.takeIn(this.slot, this.#received)) this.#link.send(FrontKind.readOn, this.slot);
  }

  /** Bytes sent that the kernel has not taken. */
  get #bytesUnderWay(): number {
    return this.#isOver ? 0 : (this.#sent - this.#link.slots.takenOut(this.slot)) >>> 0;
  }

  #push(): void {
    while (this.#restBytes > 0) {
      const chunk = this.#rest[this.#restAt]!;
      const left = chunk.length - this.#offset;
      if (left === 0) {
        this.#restAt += 1;
        this.#offset = 0;
        continue;
      }
      const length = Math.min(left, FRONT_BYTES_MAX, this.#window());
      if (length === 0) return;
      if (!this.#link.write(this, chunk, this.#offset, length)) return;
      this.#offset += length;
      this.#restBytes -= length;
      this.#sent = (this.#sent + length) | 0;
    }
    this.#rest = [];
  }

  /** Number of bytes that may be sent now; at 0, the front thread notifies when there are more. */
  #window(): number {
    const free = FRONT_WINDOW_BYTES - this.#bytesUnderWay;
    if (free > 0) return free;
    this.#link.slots.awaitOut(this.slot);
    return Math.max(0, FRONT_WINDOW_BYTES - this.#bytesUnderWay);
  }
}
