/** Keys of each slot of a cluster in one database, counted as they come and go. */

import { SLOT_COUNT } from '#base';
import type { HiddenSlots } from './hidden-slots.ts';

export class SlotCounts {
  readonly keys = new Int32Array(SLOT_COUNT);
  /** Keys of all slots that are hidden. */
  hiddenKeys = 0;
  readonly #hiddenSlots: HiddenSlots;

  constructor(hiddenSlots: HiddenSlots) {
    this.#hiddenSlots = hiddenSlots;
  }

  change(slot: number, by: 1 | -1): void {
    this.keys[slot] = this.keys[slot]! + by;
    if (this.#hiddenSlots.isAny && this.#hiddenSlots.has(slot)) this.hiddenKeys += by;
  }

  /** Other slots are hidden now. */
  countHidden(): void {
    let sum = 0;
    for (const slot of this.#hiddenSlots.all()) sum += this.keys[slot]!;
    this.hiddenKeys = sum;
  }
}
