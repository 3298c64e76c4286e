/**
 * Values of commands in flight, by their sequence. They are added and removed constantly, and a Map that grows and
 * shrinks creates a table each time it is empty, each of which refers to the next: once one of them is in V8's old
 * generation, all later ones are promoted as well, with their contents, though all are garbage. So here values are
 * chained to each other in permanent buckets.
 */

/** Value that may stand in one table. */
export interface Sequenced<Value> {
  /** Owner of the sequence, where a table has those of several. */
  readonly slot: number;
  readonly sequence: number;
  /** The next one of its bucket; the table's. */
  next: Value | undefined;
}

export class SequenceTable<Value extends Sequenced<Value>> {
  readonly #buckets: (Value | undefined)[];
  #count = 0;

  /** `buckets` is a power of two. */
  constructor(buckets: number) {
    this.#buckets = new Array<Value | undefined>(buckets).fill(undefined);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a value whose sequence is unused. */
  add(value: Value): void {
    const bucket = this.#bucketOf(value.slot, value.sequence);
    value.next = this.#buckets[bucket];
    this.#buckets[bucket] = value;
    this.#count += 1;
  }

  find(slot: number, sequence: number): Value | undefined {
    let value = this.#buckets[this.#bucketOf(slot, sequence)];
    while (value !== undefined && (value.sequence !== sequence || value.slot !== slot)) {
      value = value.next;
    }
    return value;
  }

  /** Takes a value out, and answers it; undefined when it is not there. */
  remove(slot: number, sequence: number): Value | undefined {
    const bucket = this.#bucketOf(slot, sequence);
    let before: Value | undefined;
    let value = this.#buckets[bucket];
    while (value !== undefined && (value.sequence !== sequence || value.slot !== slot)) {
      before = value;
      value = value.next;
    }
    if (value === undefined) return undefined;
    if (before === undefined) this.#buckets[bucket] = value.next;
    else before.next = value.next;
    value.next = undefined;
    this.#count -= 1;
    return value;
  }

  clear(): void {
    if (this.#count > 0) this.#buckets.fill(undefined);
    this.#count = 0;
  }

  /** Sequences of one client follow each other; those of others begin elsewhere. */
  #bucketOf(slot: number, sequence: number): number {
    return (sequence + slot * SLOT_STEP) & (this.#buckets.length - 1);
  }
}

/** Odd, so that clients which begin together do not share buckets. */
const SLOT_STEP = 37;
