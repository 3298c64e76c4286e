/**
 * Sees to it that no client is told of a write when this node may not be the primary any more. Asked before each write to a
 * socket, by a clock that is read then: a process that was stopped for a minute goes on behind any check that came before.
 */

import type { Client } from '#router';
import type { Lease } from './agreement/lease.ts';

/** Replies are dropped so long before the time is over where nobody writes one: a reply that is written then finds it done. */
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

  /** The node has given its place up by itself, and took no write since: what it has still to tell is true. */
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
    // Whoever is about to write does not expect connections to go.
    setImmediate(() => {
      this.#cutOff();
    });
  }

  /** Cuts off whoever waits for a reply: it cannot be said any more whether what it has written is in force. */
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
