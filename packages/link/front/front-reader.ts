/** Frames of one direction between main and a front thread, as the other side takes them. */

import type { LinkMemory } from '../memory.ts';
import { RingReader, type RingPlace } from '../rings/ring.ts';
import { FRONT_HEADER_BYTES, FrontFrame } from './front-frames.ts';

/** Bytes of frames taken from which on the writer is given their room back. */
const RELEASE_BYTES = 128 * 1024;

/** Taker of the frames. */
interface FrontTaker {
  /** Takes a frame, whose bytes lie in the link memory from `at` until this returns. */
  take(kind: number, slot: number, value: number, at: number): void;
  /** The writer waits for room, and there is some: it must be woken. */
  madeRoom(): void;
}

export class FrontReader {
  readonly #words: Int32Array;
  readonly #ring: RingReader;
  readonly #taker: FrontTaker;

  constructor(memory: LinkMemory, place: RingPlace, taker: FrontTaker) {
    this.#words = memory.words;
    this.#ring = new RingReader(memory, place);
    this.#taker = taker;
  }

  get hasFrames(): boolean {
    return this.#ring.backlog > 0;
  }

  /** Has all frames taken that are there. */
  drain(): void {
    const words = this.#words;
    for (let at = this.#ring.next(); at >= 0; at = this.#ring.next()) {
      const word = at >> 2;
      const kind = words[word + FrontFrame.kind]!;
      const slot = words[word + FrontFrame.slot]!;
      const value = words[word + FrontFrame.value]!;
      this.#taker.take(kind, slot, value, at + FRONT_HEADER_BYTES);
      this.#ring.advance(words[word + FrontFrame.bytes]!);
      if (this.#ring.unreleased >= RELEASE_BYTES) this.#release();
    }
    this.#release();
  }

  #release(): void {
    if (this.#ring.release()) this.#taker.madeRoom();
  }
}
