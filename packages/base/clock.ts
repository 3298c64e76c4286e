/**
 * The only place that reads a clock.
 *
 * `nowUs` counts from the same origin in every thread of the process, because a command is
 * stamped in one thread and the stamp is compared in another.
 */

// The global of that name is a getter: three percent of a shard's time.
import { performance } from 'node:perf_hooks';

/** Wall-clock and monotonic time; handed to whatever needs time, so that tests can set it. */
export interface Clock {
  /** Monotonic microseconds with a fraction; one origin for all threads. */
  nowUs(): number;
  /** Unix time in milliseconds, which may jump. */
  wallMs(): number;
}

// Worker threads have their own origin of performance.now(), but share process.hrtime's.
const offsetUs = Number(process.hrtime.bigint()) / 1_000 - performance.now() * 1_000;

/** When the calling thread's `performance` says `ms`, as `nowUs` of the system's clock tells it. */
export function monotonicUs(ms: number): number {
  return ms * 1_000 + offsetUs;
}

export const systemClock: Clock = {
  nowUs: () => performance.now() * 1_000 + offsetUs,
  wallMs: () => Date.now(),
};
