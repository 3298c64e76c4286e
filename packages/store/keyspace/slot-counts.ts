/** Keys of each slot of a cluster in one database, counted as they come and go. */

import { SLOT_COUNT } from '#base';
import type { HiddenSlots } from './hidden-slots.ts';

export class SlotCounts {
  /** Undefined before the first key: many databases stay empty. */
  #keys: Int32Array | undefined;
  /** Keys of all slots that are hidden. */
  hiddenKeys = 0;
  readonly #hiddenSlots: HiddenSlots;

  constructor(hiddenSlots: HiddenSlots) {
    this.#hiddenSlots = hiddenSlots;
  }

  /** Number of keys of a slot. */
  of(slot: number): number {
    return this.#keys === undefined ? 0 : this.#keys[slot]!;
  }

  change(slot: number, by: 1 | -1): void {
    const keys = (this.#keys ??= new Int32Array(SLOT_COUNT));
    keys[slot] = keys[slot]! + by;
    if (this.#hiddenSlots.isAny && this.#hiddenSlots.has(slot)) this.hiddenKeys += by;
  }

  /** Other slots are hidden now. */
  countHidden(): void {
    let sum = 0;
    for (const slot of this.#hiddenSlots.all()) sum += this.of(slot);
    this.hiddenKeys = sum;
  }
}
