/** Deletes what is left of slots that another group has now: it would come back with them. */

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
  /** Some keys of a slot that are here. */
  readonly keysOf: (slot: number, count: number) => Promise<readonly Bytes[]>;
  /** True for a slot that is dropped by who has handed it over as a whole. */
  readonly isHandedOver: (slot: number) => boolean;
}

export class LostSlots {
  readonly #options: LostSlotsOptions;
  /** The node had this group's slots, and may have their keys still. */
  #owned: ReadonlySet<number> = new Set();
  #dropping: Promise<void> = Promise.resolve();

  constructor(options: LostSlotsOptions) {
    this.#options = options;
  }

  /** Judges by the topology of now what has been lost since the one before. */
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
        // It may have come back meanwhile.
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
