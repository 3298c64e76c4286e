/**
 * Prevents replies to writes when this node may no longer be the primary. It is checked before each write to a socket,
 * by a clock that is read then: a process that was stopped for a minute resumes after any earlier check.
 */

import type { Client } from '#router';
import type { Lease } from './agreement/lease.ts';

/**
 * Milliseconds before the time limit at which pending replies are dropped if none is written, so that a later write
 * finds it done.
 */
const AHEAD_MS = 50;

interface FenceOptions {
  readonly lease: Pick<Lease, 'nowMs' | 'repliesUntilMs'>;
  readonly clients: () => readonly Client[];
  /** Replies were dropped: clients that waited for some were cut off. */
  readonly tripped: (clients: number) => void;
}

export class Fence {
  readonly #options: FenceOptions;
  /** There may be replies to writes that were taken as the primary. */
  #isArmed = false;
  #isTripped = false;

  constructor(options: FenceOptions) {
    this.#options = options;
  }

  /** The node takes writes from now on. */
  arm(): void {
    this.#isArmed = true;
  }

  /** The node has given up its role itself, and has accepted no write since: pending replies are correct. */
  disarm(): void {
    this.#isArmed = false;
  }

  /** True when a reply may be written. */
  readonly mayWrite = (): boolean => {
    if (!this.#isArmed) return true;
    const { lease } = this.#options;
    if (!this.#isTripped && lease.nowMs < lease.repliesUntilMs) return true;
    this.#trip();
    return false;
  };

  /** Looks whether the time is nearly over, when nothing is written. */
  look(): void {
    const { lease } = this.#options;
    if (!this.#isArmed || this.#isTripped || lease.nowMs < lease.repliesUntilMs - AHEAD_MS) return;
    this.#isTripped = true;
    this.#cutOff();
  }

  #trip(): void {
    if (this.#isTripped) return;
    this.#isTripped = true;
    // Callers that are about to write do not expect connections to close.
    setImmediate(() => {
      this.#cutOff();
    });
  }

  /** Closes the connections that wait for replies: it is unknown whether their writes are valid. */
  #cutOff(): void {
    let count = 0;
    for (const client of this.#options.clients()) {
      if (client.roles.isPrimary || client.roles.isReplica) continue;
      const { replies, wait } = client;
      if (replies.outstanding === 0 && replies.unsentBytes === 0 && !wait.isAtBarrier) continue;
      count += 1;
      client.socket.destroy();
    }
    this.#isArmed = false;
    this.#isTripped = false;
    this.#options.tripped(count);
  }
}
