/** Place of this node in its cluster: commands wait for it at the start, and decisions need it. */

import type { Clock } from '#base';
import type { Router } from '#router';
import { ClusterError } from '../agreement/cluster-error.ts';
import type { ClusterNode } from '../agreement/cluster-node.ts';

/** Maximum time for which commands wait for it: after that they get an error with the reason. */
const WAIT_US_MAX = 3_000_000;

interface OwnPlaceOptions {
  readonly clock: Pick<Clock, 'nowUs'>;
  readonly router: Pick<Router, 'retryAll'>;
  beginTurn(): void;
}

/** Cluster as this node sees it. */
interface SeenCluster {
  readonly node: Pick<ClusterNode, 'isRegistered' | 'group' | 'decide'>;
  readonly isUp: boolean;
  /** Reason why it is not up. */
  readonly downReason: string;
}

export class OwnPlace {
  readonly #options: OwnPlaceOptions;
  readonly #cluster: SeenCluster;
  #startedUs = 0;
  #isAwaited = true;

  constructor(options: OwnPlaceOptions, cluster: SeenCluster) {
    this.#options = options;
    this.#cluster = cluster;
  }

  /** True while commands wait for it. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  start(): void {
    this.#startedUs = this.#options.clock.nowUs();
  }

  /** Resumes waiting commands if the node has its place, or the time is over. */
  look(): void {
    if (!this.#isAwaited) return;
    const waitedUs = this.#options.clock.nowUs() - this.#startedUs;
    if (!this.#isThere && waitedUs < WAIT_US_MAX) return;
    this.#isAwaited = false;
    this.#options.router.retryAll();
    this.#options.beginTurn();
  }

  get #isThere(): boolean {
    const { isRegistered, group } = this.#cluster.node;
    return isRegistered && group !== undefined;
  }

  /** Executes a decision about this node; rejects with the reason if it has no place. */
  async decide(make: Parameters<ClusterNode['decide']>[0]): Promise<void> {
    if (!this.#isThere) {
      const { isUp, downReason } = this.#cluster;
      const why = isUp ? 'it is in no group' : downReason;
      throw new ClusterError(`The node has no place in the cluster yet: ${why}`);
    }
    await this.#cluster.node.decide(make);
  }
}
