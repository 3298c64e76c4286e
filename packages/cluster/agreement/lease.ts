/**
 * A node's lease as seen by the node. Its lifetime counts from the time at which a renewal was sent, not from its reply, so
 * that it never ends later here than at the coordinator, even over a slow network or after a stop of the process.
 */

import type { Clock } from '#base';

/** Fraction of the lease's lifetime before its end in which writes are refused, and the minimum in milliseconds. */
const WRITES_SHARE = 0.15;
const WRITES_MS_MIN = 300;
/**
 * Fraction of the lease's lifetime before its end in which replies to writes are dropped, and the minimum in milliseconds:
 * clocks may run at different speeds.
 */
const REPLIES_SHARE = 0.05;
const REPLIES_MS_MIN = 100;

export class Lease {
  readonly #clock: Pick<Clock, 'nowUs'>;
  /** Monotonic milliseconds until which writes are accepted. */
  writesUntilMs = 0;
  /** Monotonic milliseconds until which replies to writes may be sent to clients. */
  repliesUntilMs = 0;
  /** Monotonic milliseconds of the last renewal; 0 before the first. */
  renewedMs = 0;
  /** Life of the lease as of the last renewal; 0 before the first. */
  ttlMs = 0;

  constructor(clock: Pick<Clock, 'nowUs'>) {
    this.#clock = clock;
  }

  get nowMs(): number {
    return this.#clock.nowUs() / 1_000;
  }

  /** Records the reply to a renewal that was sent at `sentMs`: the lease lives for `ttlMs` from then. */
  renewed(sentMs: number, ttlMs: number): void {
    this.renewedMs = sentMs;
    this.ttlMs = ttlMs;
    this.writesUntilMs = sentMs + ttlMs - Math.max(WRITES_MS_MIN, ttlMs * WRITES_SHARE);
    this.repliesUntilMs = sentMs + ttlMs - Math.max(REPLIES_MS_MIN, ttlMs * REPLIES_SHARE);
  }

  /** The lease has expired, or is given up. */
  lost(): void {
    this.writesUntilMs = 0;
    this.repliesUntilMs = 0;
  }

  /** True while writes may be accepted, by the current time. */
  get isSafe(): boolean {
    return this.nowMs < this.writesUntilMs;
  }
}
