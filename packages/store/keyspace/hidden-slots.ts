/**
 * Cluster slots whose keys are in the store but not served: they are being imported, or are not dropped yet. Their keys
 * are in no listing and no count, and do not expire: the node that serves them decides when they expire.
 */

import { SLOT_COUNT } from '#base';

export class HiddenSlots {
  /** True while there are any: nothing else is looked at before. */
  isAny = false;
  readonly #isHidden = new Uint8Array(SLOT_COUNT);

  /** Hides these slots from now on, and no others. */
  update(spans: readonly (readonly [first: number, last: number])[]): void {
    this.#isHidden.fill(0);
    for (const [first, last] of spans) this.#isHidden.fill(1, first, last + 1);
    this.isAny = spans.length > 0;
  }

  /** True for a slot that is hidden. */
  has(slot: number): boolean {
    return this.#isHidden[slot] === 1;
  }

  /** All slots that are hidden. */
  *all(): Iterable<number> {
    for (let slot = 0; this.isAny && slot < SLOT_COUNT; slot += 1) if (this.has(slot)) yield slot;
  }
}
