/**
 * Frames of one direction between main and a front thread, in order. What finds no room waits in private memory: short
 * frames without bytes always are accepted, and bytes only up to what the connections' windows allow.
 */

import { assert, type Bytes, copyToShared } from '#base';
import { frameBytes } from '../messages/frames.ts';
import type { LinkMemory } from '../memory.ts';
import { RingWriter, type RingPlace } from '../rings/ring.ts';
import { FRONT_BYTES_MAX, FRONT_HEADER_BYTES, FrontFrame } from './front-frames.ts';

interface WaitingFrame {
  readonly kind: number;
  readonly slot: number;
  readonly value: number;
  readonly bytes: Bytes | undefined;
}

export class FrontWriter {
  readonly #memory: LinkMemory;
  readonly #ring: RingWriter;
  /** Frames that wait for room, the oldest first. */
  #waiting: WaitingFrame[] = [];

  constructor(memory: LinkMemory, place: RingPlace) {
    this.#memory = memory;
    this.#ring = new RingWriter(memory, place);
  }

  /** True while frames wait for room. */
  get isFull(): boolean {
    return this.#waiting.length > 0;
  }

  /** True when there is something to do: the reader has made room for what waits. */
  get hasRoom(): boolean {
    return this.isFull && !this.#ring.isWaitingForRoom;
  }

  /** Sends a frame without bytes. */
  send(kind: number, slot: number, value = 0): void {
    if (this.isFull || !this.#put(kind, slot, value, undefined, 0, 0)) {
      this.#waiting.push({ kind, slot, value, bytes: undefined });
    }
  }

  /** Sends a frame with bytes, which are copied where they have to wait. */
  sendBytes(kind: number, slot: number, source: Bytes, at: number, length: number): void {
    if (this.isFull || !this.#put(kind, slot, length, source, at, length)) {
      const bytes = Buffer.from(source.subarray(at, at + length));
      this.#waiting.push({ kind, slot, value: length, bytes });
    }
  }

  /** Sends a frame with bytes if there is room for it now; whether it was sent. */
  tryBytes(kind: number, slot: number, source: Bytes, at: number, length: number): boolean {
    return !this.isFull && this.#put(kind, slot, length, source, at, length);
  }

  /** Puts what waits into the ring, as far as there is room. */
  flush(): void {
    let count = 0;
    for (const { kind, slot, value, bytes } of this.#waiting) {
      if (!this.#put(kind, slot, value, bytes, 0, bytes?.length ?? 0)) break;
      count += 1;
    }
    if (count > 0) this.#waiting = this.#waiting.slice(count);
  }

  /** Lets the reader see all frames; true when there were any. */
  publish(): boolean {
    if (!this.#ring.hasUnpublished) return false;
    this.#ring.publish();
    return true;
  }

  #put(
    kind: number,
    slot: number,
    value: number,
    source: Bytes | undefined,
    from: number,
    length: number,
  ): boolean {
    assert(length <= FRONT_BYTES_MAX, 'a frame of a front thread is short');
    const size = frameBytes(FRONT_HEADER_BYTES + length);
    let at = this.#ring.reserve(size);
    if (at < 0) {
      this.#ring.requestRoom();
      at = this.#ring.reserve(size);
      if (at < 0) return false;
    }
    const { words } = this.#memory;
    const word = at >> 2;
    words[word + FrontFrame.bytes] = size;
    words[word + FrontFrame.kind] = kind;
    words[word + FrontFrame.slot] = slot;
    words[word + FrontFrame.value] = value;
    if (source !== undefined) this.#copy(at + FRONT_HEADER_BYTES, source, from, length);
    this.#ring.commit(size);
    return true;
  }

  #copy(target: number, source: Bytes, from: number, length: number): void {
    const memory = this.#memory;
    // Replies lie in a block of the same memory.
    if (source.buffer === memory.bytes.buffer) {
      memory.copy(target, source.byteOffset + from, length);
    } else copyToShared(memory, target, source, from, length);
  }
}
