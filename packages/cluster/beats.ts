/**
 * Schedule by which the node renews its lease and retries pending work: at each full second, when the thread wakes in any case,
 * and several times in the lifetime of a short lease, or while work is pending.
 */

import { PacedTimer } from '#base';
import type { ClusterNode } from './agreement/cluster-node.ts';

/** Beats in the life of a lease that is short, or while something is missing. */
const BEATS_PER_LEASE = 10;
/** Least life of a lease that is renewed once a second. */
const LONG_LEASE_MS = 5_000;

interface BeatsOptions {
  readonly leaseMs: number;
  readonly node: () => Pick<ClusterNode, 'isRegistered' | 'group' | 'problem'>;
  /** Renews the lease; settles when the node has the reply, or has none in time. */
  readonly beat: () => Promise<void>;
}

export class Beats {
  readonly #options: BeatsOptions;
  readonly #timer: PacedTimer;

  constructor(options: BeatsOptions) {
    this.#options = options;
    this.#timer = new PacedTimer(options.leaseMs / BEATS_PER_LEASE, () => {
      void this.#beat();
    });
  }

  /** Beats at once, and at its pace from then on. */
  start(): void {
    this.#timer.start();
    void this.#beat();
  }

  stop(): void {
    this.#timer.stop();
  }

  async #beat(): Promise<void> {
    await this.#options.beat();
    if (this.#isUrgent) this.#timer.worked();
  }

  /** True while a beat is due before the next second. */
  get #isUrgent(): boolean {
    const { isRegistered, group, problem } = this.#options.node();
    const isWell = isRegistered && group !== undefined && problem === undefined;
    return this.#options.leaseMs < LONG_LEASE_MS || !isWell;
  }
}
