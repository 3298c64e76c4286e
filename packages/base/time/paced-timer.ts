/**
 * Timers that let an idle thread sleep: it wakes once a second, for all of them together.
 */

import { systemClock } from './clock.ts';

const SECOND_MS = 1_000;
/** Number of calls without work after which the timer slows down. */
const IDLE_CALLS = 4;

/** Milliseconds to the next full second of the monotonic clock, which is the same for all threads. */
export function msToNextSecond(): number {
  return Math.ceil(SECOND_MS - ((systemClock.nowUs() / 1_000) % SECOND_MS));
}

/** Calls back at each full second, and so together with all who do, until the function returned is called. */
export function everySecond(callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    timer = setTimeout(() => {
      arm();
      callback();
    }, msToNextSecond());
    timer.unref();
  };
  arm();
  return () => {
    clearTimeout(timer);
  };
}

/** Calls back at a period while there is work, and at each full second while there is none. */
export class PacedTimer {
  readonly #periodMs: number;
  readonly #callback: (nextMs: number) => void;
  readonly #hastened: ((nextMs: number) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isSlow = false;
  /** Calls since there was work. */
  #idleCalls = 0;

  /** Both callbacks are given the milliseconds to the next call; `hastened` is called when work ends a slow time. */
  constructor(
    periodMs: number,
    callback: (nextMs: number) => void,
    hastened?: (nextMs: number) => void,
  ) {
    this.#periodMs = periodMs;
    this.#callback = callback;
    this.#hastened = hastened;
  }

  /** Starts the timer, and returns the milliseconds to the first call. */
  start(): number {
    this.#isRunning = true;
    this.#isSlow = false;
    this.#idleCalls = 0;
    return this.#arm();
  }

  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }

  /** Notes that there is work. */
  worked(): void {
    this.#idleCalls = 0;
    if (!this.#isSlow || !this.#isRunning) return;
    this.#isSlow = false;
    clearTimeout(this.#timer);
    const nextMs = this.#arm();
    this.#hastened?.(nextMs);
  }

  #arm(): number {
    const nextMs = this.#isSlow || this.#periodMs >= SECOND_MS ? msToNextSecond() : this.#periodMs;
    this.#timer = setTimeout(() => {
      this.#idleCalls += 1;
      this.#isSlow = this.#idleCalls > IDLE_CALLS;
      this.#callback(this.#arm());
    }, nextMs);
    this.#timer.unref();
    return nextMs;
  }
}
