/**
 * The current frame of the request ring. It is consumed after its command, or in the middle of it if further frames are
 * taken while a script waits.
 */

import type { RingReader } from '#link';

export class FrameCursor {
  readonly #requests: RingReader;
  readonly #words: Int32Array;
  #at = -1;

  constructor(requests: RingReader, words: Int32Array) {
    this.#requests = requests;
    this.#words = words;
  }

  /** The next frame, as an offset into the link memory; -1 when there is none. */
  next(): number {
    this.#at = this.#requests.next();
    return this.#at;
  }

  /** Position in the ring after the current frame, or after the last one. */
  get behind(): number {
    const { position } = this.#requests;
    return this.#at < 0 ? position : (position + this.#words[this.#at >> 2]!) >>> 0;
  }

  /** Consumes the current frame, unless that was done before. */
  pass(): void {
    if (this.#at < 0) return;
    this.#requests.advance(this.#words[this.#at >> 2]!);
    this.#at = -1;
  }
}
