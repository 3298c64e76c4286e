/** Known nodes that were removed: CLUSTER FORGET of one of them succeeds. */

import type { Clock } from '#base';
import type { Topology } from '../agreement/topology.ts';

/** Milliseconds for which a removed node is remembered, as in Redis. */
const REMEMBERED_MS = 60_000;

export class GoneNodes {
  readonly #clock: Pick<Clock, 'nowUs'>;
  readonly #goneMs = new Map<string, number>();
  #known: ReadonlySet<string> = new Set();

  constructor(clock: Pick<Clock, 'nowUs'>) {
    this.#clock = clock;
  }

  /** Takes note of who is not in the topology any more. */
  follow(topology: Topology): void {
    const known = new Set(topology.nodes.keys());
    for (const { primary, replicas } of topology.groups.values()) {
      for (const id of [primary, ...replicas]) known.add(id);
    }
    const nowMs = this.#nowMs;
    for (const id of this.#known) if (!known.has(id)) this.#goneMs.set(id, nowMs);
    for (const [id, goneMs] of this.#goneMs) {
      if (known.has(id) || nowMs - goneMs > REMEMBERED_MS) this.#goneMs.delete(id);
    }
    this.#known = known;
  }

  has(id: string): boolean {
    const goneMs = this.#goneMs.get(id);
    return goneMs !== undefined && this.#nowMs - goneMs <= REMEMBERED_MS;
  }

  get #nowMs(): number {
    return this.#clock.nowUs() / 1_000;
  }
}
