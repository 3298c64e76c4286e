/** Deletes remaining keys of slots that another group owns: otherwise they would reappear when the slots return. */

import type { Bytes, Logger } from '#base';
import { commandBytes } from '#resp';
import type { ClusterNode } from '../agreement/cluster-node.ts';
import { runOwnCommands } from './own-commands.ts';

/** Keys of a slot that are deleted at once. */
const KEYS_PER_DELETION = 500;

type OwnCommandOptions = Parameters<typeof runOwnCommands>[0];

interface LostSlotsOptions extends OwnCommandOptions {
  readonly node: ClusterNode;
  readonly log: Logger;
  /** Returns at most `count` local keys of a slot. */
  readonly keysOf: (slot: number, count: number) => Promise<readonly Bytes[]>;
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
    const { log, keysOf } = this.#options;
    try {
      for (;;) {
        const keys = await keysOf(slot, KEYS_PER_DELETION);
        // The slot may have returned meanwhile.
        if (keys.length === 0 || this.#owned.has(slot)) return;
        log.warn('cluster-slot-lost', 'Keys of a slot that another node serves deleted', {
          slot,
          keys: keys.length,
        });
        await runOwnCommands(this.#options, commandBytes(['UNLINK', ...keys]));
      }
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
