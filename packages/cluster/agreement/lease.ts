/**
 * A node's lease as the node itself sees it. It counts from when a renewal was sent, not from when it was answered, so the
 * coordinator lets the lease go later than this says, however slow the way there is and however long the process was stopped.
 */

import type { Clock } from '#base';

/** Share of the lease's life that is left when writes are taken no more, and the least of it. */
const WRITES_SHARE = 0.15;
const WRITES_MS_MIN = 300;
/** Fraction of the lease reserved for replies to accepted writes: clocks may run at different speeds. */
const REPLIES_SHARE = 0.05;
const REPLIES_MS_MIN = 100;

export class Lease {
  readonly #clock: Pick<Clock, 'nowUs'>;
  /** Monotonic milliseconds: from then on no write is taken. */
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

  /** True while writes may be taken, by a clock that is read now. */
  get isSafe(): boolean {
    return this.nowMs < this.writesUntilMs;
  }
}
