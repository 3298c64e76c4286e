/**
 * The only place that reads a clock.
 *
 * `nowUs` counts from the same origin in every thread of the process, because a command is
 * stamped in one thread and the stamp is compared in another.
 */

// The global of that name is a getter: three percent of a shard's time.
import { performance } from 'node:perf_hooks';

/** Wall-clock and monotonic time; passed to all code that needs time, so that tests can set it. */
export interface Clock {
  /** Monotonic microseconds with a fraction; one origin for all threads. */
  nowUs(): number;
  /** Unix time in milliseconds, which may jump. */
  wallMs(): number;
}

/** Readings by which two clocks are compared: 0.2 ms in all. */
const COMPARISONS = 200;

/** The lead of one clock over another that goes as fast, and the most that it can be wrong by. */
interface ClockOffset {
  readonly offsetUs: number;
  readonly errorUs: number;
}

/**
 * Finds how far the clock `there` is ahead of the one `here`. Each reading there lies between two readings here,
 * however long the thread was put aside meanwhile, and all together bound the offset.
 */
export function compareClocks(here: () => number, there: () => number): ClockOffset {
  let least = -Infinity;
  let most = Infinity;
  for (let nth = 0; nth < COMPARISONS; nth += 1) {
    const beforeUs = here();
    const thereUs = there();
    most = Math.min(most, thereUs - beforeUs);
    least = Math.max(least, thereUs - here());
  }
  return { offsetUs: (least + most) / 2, errorUs: Math.max(0, most - least) / 2 };
}

// Worker threads have their own origin of performance.now(), but share process.hrtime's, which is half as fast.
const { offsetUs, errorUs } = compareClocks(
  () => performance.now() * 1_000,
  () => Number(process.hrtime.bigint()) / 1_000,
);

/** Bound of the distance between `nowUs` of this thread and the clock that all threads share, in microseconds. */
export const clockErrorUs = errorUs;

/** Converts `ms` of the calling thread's `performance` to the time scale of the system clock's `nowUs`. */
export function monotonicUs(ms: number): number {
  return ms * 1_000 + offsetUs;
}

/**
 * Offset of a clock's wall time from its `nowUs`, within the precision of readings in whole milliseconds. It stays
 * constant until a reading contradicts it, so converted times keep their order, and it follows a wall clock that is
 * set.
 */
export class UnixOffset {
  readonly #clock: Clock;
  #us = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads the clock, and returns the lead in microseconds. */
  readUs(): number {
    const beforeUs = this.#clock.nowUs();
    const wallUs = this.#clock.wallMs() * 1_000;
    // The wall clock was in that millisecond at some moment in between, however long the thread was put aside.
    this.#us = Math.max(this.#us, wallUs - this.#clock.nowUs());
    this.#us = Math.min(this.#us, wallUs + 999 - beforeUs);
    return this.#us;
  }
}

export const systemClock: Clock = {
  nowUs: () => performance.now() * 1_000 + offsetUs,
  wallMs: () => Date.now(),
};

const unixOffset = new UnixOffset(systemClock);

/** Unix time in microseconds, between the wall clock's millisecond and the next. */
export function unixUs(): number {
  const offsetUs = unixOffset.readUs();
  return Math.floor(systemClock.nowUs() + offsetUs);
}
