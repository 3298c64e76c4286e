/**
 * Lines written to an open file descriptor, such as the standard output.
 *
 * `process.stdout` of a worker thread hands its text to the main thread, which then does the
 * writing; a descriptor is written from here. What is waiting is bounded: a reader that has stopped
 * reading costs lines, never memory.
 */
import { write } from 'node:fs';

/** Lines that may wait for the reader. */
const WAITING_LINES_MAX = 10_000;
/** Pause before trying again when the other side of a pipe is full. */
const FULL_PAUSE_MS = 5;

/** A bounded queue of lines in front of a descriptor. */
export class LineOutput {
  readonly #descriptor: number;
  readonly #onFlushed: Set<() => void> = new Set();
  #waiting: string[] = [];
  #isWriting = false;
  #isBroken = false;
  #dropped = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Returns the number of lines dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** True when there is room for another line. */
  get hasRoom(): boolean {
    return this.#waiting.length < WAITING_LINES_MAX;
  }

  /** Takes a line without its end, or drops it when too many are waiting. */
  write(line: string): void {
    if (this.#isBroken) return;
    if (!this.hasRoom) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(`${line}\n`);
    if (!this.#isWriting) this.#writeWaiting();
  }

  /** Settles when everything taken so far is written, or cannot be. */
  flush(): Promise<void> {
    if (!this.#isWriting) return Promise.resolve();
    return new Promise((resolve) => this.#onFlushed.add(resolve));
  }

  #writeWaiting(): void {
    this.#isWriting = true;
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#writeFrom(bytes, 0);
  }

  #writeFrom(bytes: Buffer, from: number): void {
    write(this.#descriptor, bytes, from, bytes.length - from, null, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => {
          this.#writeFrom(bytes, from);
        }, FULL_PAUSE_MS);
        return;
      }
      // The reader has closed the output: no error can be reported.
      if (error !== null) this.#break();
      const next = from + written;
      if (error === null && next < bytes.length) this.#writeFrom(bytes, next);
      else if (this.#waiting.length > 0) this.#writeWaiting();
      else this.#settle();
    });
  }

  #break(): void {
    this.#isBroken = true;
    this.#waiting = [];
  }

  #settle(): void {
    this.#isWriting = false;
    for (const resolve of this.#onFlushed) resolve();
    this.#onFlushed.clear();
  }
}
