/** Keys of each slot of a cluster in one database, counted as they come and go. */

import { SLOT_COUNT } from '#base';

export class SlotCounts {
  readonly keys = new Int32Array(SLOT_COUNT);

  change(slot: number, by: 1 | -1): void {
    this.keys[slot] = this.keys[slot]! + by;
  }
}
