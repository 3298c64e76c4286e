/** Unblocks clients that wait for keys which no longer belong to this node, or cannot be written here. */

import type { Router } from '#router';
import type { Lease } from './agreement/lease.ts';
import type { ClusterGate } from './gate/cluster-gate.ts';

interface BlockedRedirectsOptions {
  readonly router: Pick<Router, 'blockedClients'>;
  readonly gate: Pick<ClusterGate, 'judgeWaiting'>;
  readonly lease: Pick<Lease, 'isSafe'>;
  /** Slots whose removal is not decided yet. */
  readonly withheld: ReadonlySet<number>;
  readonly beginTurn: () => void;
}

export class BlockedRedirects {
  readonly #options: BlockedRedirectsOptions;
  #wasSafe = false;

  constructor(options: BlockedRedirectsOptions) {
    this.#options = options;
    options.router.blockedClients.hasSlots = true;
  }

  /** Checks blocked clients against the current slots. */
  judge(): void {
    const { router, gate, withheld, beginTurn } = this.#options;
    beginTurn();
    router.blockedClients.judge((client, entry, slot) =>
      withheld.has(slot) ? undefined : gate.judgeWaiting(client, entry, slot),
    );
  }

  /** Judges them when the lease has ended, which comes without news. */
  look(): void {
    const { isSafe } = this.#options.lease;
    if (this.#wasSafe && !isSafe) this.judge();
    this.#wasSafe = isSafe;
  }
}
