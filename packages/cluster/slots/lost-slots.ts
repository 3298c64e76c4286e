/** Deletes remaining keys of slots that another group owns: otherwise they would reappear when the slots return. */

import type { Logger } from '#base';
import type { ClusterNode } from '../agreement/cluster-node.ts';
import type { SlotSpan } from '../agreement/documents/documents.ts';

interface LostSlotsOptions {
  readonly node: ClusterNode;
  readonly log: Logger;
  /** Drops the keys of slots; settles with their number, or with undefined once that was not wanted any more. */
  readonly sweep: (
    spans: readonly SlotSpan[],
    isWanted: () => boolean,
  ) => Promise<number | undefined>;
  /** True for a slot whose keys are dropped by its slot migration. */
  readonly isHandedOver: (slot: number) => boolean;
}

export class LostSlots {
  readonly #options: LostSlotsOptions;
  /** Slots of the own group in the last topology, whose keys may still exist here. */
  #owned: ReadonlySet<number> = new Set();
  #dropping: Promise<void> = Promise.resolve();

  constructor(options: LostSlotsOptions) {
    this.#options = options;
  }

  /** Compares the topology with the last one, and deletes keys of lost slots. */
  follow(isPrimary: boolean): void {
    const { node, isHandedOver } = this.#options;
    const { topology, group } = node;
    if (!isPrimary || group === undefined) {
      this.#owned = new Set();
      return;
    }
    const owned = new Set<number>();
    for (const [first, last] of topology.slotsOf(group.id)) {
      for (let slot = first; slot <= last; slot += 1) owned.add(slot);
    }
    const lost = [...this.#owned].filter((slot) => !owned.has(slot));
    this.#owned = owned;
    const taken = lost.filter((slot) => topology.owners[slot] !== undefined && !isHandedOver(slot));
    if (taken.length === 0) return;
    this.#dropping = this.#dropping.then(async () => {
      for (const slot of taken) await this.#drop(slot);
    });
  }

  async #drop(slot: number): Promise<void> {
    const { log, sweep } = this.#options;
    try {
      // The slot may return meanwhile.
      const keys = await sweep([[slot, slot]], () => !this.#owned.has(slot));
      if (keys === undefined || keys === 0) return;
      log.warn('cluster-slot-lost', 'Keys of a slot that another node serves deleted', {
        slot,
        keys,
      });
    } catch (error) {
      log.error(
        'cluster-slot-lost',
        'Keys of a slot that another node serves could not be deleted',
        {
          slot,
          error: (error as Error).message,
        },
      );
    }
  }
}
