/** Cluster slots in a shard: served slots, migrating slots, and requests for their keys. */

import {
  countSlotCall,
  scanSlotsCall,
  slotBytesCall,
  slotFiguresCall,
  sweepSlotsCall,
  walkSlotCall,
} from '#stats';
import type { Store } from '#store';
import type { CallAnswerers } from '../frames/call-answerers.ts';
import type { ControlTakers, ShardModule } from '../modules/shard-module.ts';
import type { KeyUse } from '../observation/key-use.ts';
import type { Role } from '../replica/role.ts';
import type { OpenSlots } from './open-slots.ts';
import type { ServedSlots } from './served-slots.ts';
import { countSlot, scanSlots, slotBytes, sweepSlots, walkSlot } from './slot-keys.ts';

interface SlotsModuleOptions {
  readonly store: Store;
  readonly openSlots: OpenSlots;
  readonly servedSlots: ServedSlots;
  readonly role: Role;
  readonly keyUse: Pick<KeyUse, 'slots'>;
}

export class SlotsModule implements ShardModule {
  readonly #options: SlotsModuleOptions;
  readonly controls: ControlTakers = {
    'open-slots': ({ rules }) => {
      this.#options.openSlots.update(rules);
    },
    'served-slots': ({ served }) => {
      const { servedSlots, keyUse } = this.#options;
      servedSlots.update(served);
      // What was counted of slots that are another node's now is dropped.
      keyUse.slots.keep((slot) => servedSlots.hasHere(slot));
    },
    'moving-slots': ({ hidden, importers }) => {
      this.#options.store.hideSlots(hidden);
      this.#options.role.importers = new Set(importers);
    },
  };

  constructor(options: SlotsModuleOptions) {
    this.#options = options;
  }

  answer(answerers: CallAnswerers): void {
    const { store, keyUse } = this.#options;
    const { slots } = keyUse;
    answerers.on(scanSlotsCall, (step) => scanSlots(store, step));
    answerers.on(walkSlotCall, (step) => walkSlot(store, step));
    answerers.on(slotFiguresCall, ({ first, last }) => slots.figures(store, first, last));
    answerers.on(countSlotCall, ({ slot, database }) => countSlot(store, slot, database));
    answerers.on(slotBytesCall, (place) => slotBytes(store, place));
    answerers.on(sweepSlotsCall, (step) => sweepSlots(store, step));
  }

  resetStatistics(): void {
    this.#options.keyUse.slots.reset();
  }
}
