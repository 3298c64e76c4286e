/**
 * Slots of a cluster whose keys are here and not served: they are on their way here, or have not been dropped yet. Their keys
 * are in no listing and no count, and do not expire: when their time is over is for the node to say that serves them.
 */

import { keySlot, SLOT_COUNT, type Bytes } from '#base';

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

  /** The slot of a key where it is hidden, else -1. */
  slotOf(bytes: Bytes, at: number, length: number): number {
    if (!this.isAny) return -1;
    const slot = keySlot(bytes, at, length);
    return this.has(slot) ? slot : -1;
  }
}

/** Numbers of keys of hidden slots, as far as they have come while those were hidden. */
export class HiddenCounts {
  /** Keys of all hidden slots. */
  total = 0;
  readonly #bySlot = new Map<number, number>();

  add(slot: number, delta: number): void {
    const before = this.#bySlot.get(slot) ?? 0;
    // Those that were there before are not counted.
    const after = Math.max(0, before + delta);
    this.#bySlot.set(slot, after);
    this.total += after - before;
  }

  /** Forgets slots that are not hidden any more. */
  follow(hidden: HiddenSlots): void {
    for (const [slot, count] of this.#bySlot) {
      if (hidden.has(slot)) continue;
      this.#bySlot.delete(slot);
      this.total -= count;
    }
  }
}
