/**
 * Numbers for things that a record cannot hold itself: large values and JavaScript objects.
 *
 * It grows a page at a time, because an array of millions is copied whole when it grows.
 */
import { OUTSIDE_SLOT_BYTES } from './limits.ts';
import type { Ledger } from './memory-count.ts';

const PAGE_SHIFT = 10;
const PAGE_MASK = (1 << PAGE_SHIFT) - 1;

/** One page: the things, and a number beside each (the next free index while it is free). */
interface Page<T> {
  readonly things: (T | undefined)[];
  readonly numbers: Float64Array;
}

export class LargeValues<T> {
  #pages: Page<T>[] = [];
  #firstFree = -1;
  #count = 0;
  readonly #ledger: Ledger;
  readonly #kind: number;

  /** `kind` is the line of the ledger that the table's own bytes go to. */
  constructor(ledger: Ledger, kind: number) {
    this.#ledger = ledger;
    this.#kind = kind;
  }

  get count(): number {
    return this.#count;
  }

  /** Takes the memory that the next two things need: adding them cannot fail. */
  reserve(): void {
    if (this.#firstFree < 0 || this.number(this.#firstFree) < 0) this.#addPage();
  }

  add(thing: T, number: number): number {
    if (this.#firstFree < 0) this.#addPage();
    const index = this.#firstFree;
    const page = this.#pages[index >>> PAGE_SHIFT]!;
    this.#firstFree = page.numbers[index & PAGE_MASK]!;
    page.things[index & PAGE_MASK] = thing;
    page.numbers[index & PAGE_MASK] = number;
    this.#count += 1;
    this.#ledger.add(this.#kind, OUTSIDE_SLOT_BYTES);
    return index;
  }

  thing(index: number): T {
    return this.#pages[index >>> PAGE_SHIFT]!.things[index & PAGE_MASK] as T;
  }

  number(index: number): number {
    return this.#pages[index >>> PAGE_SHIFT]!.numbers[index & PAGE_MASK]!;
  }

  setThing(index: number, thing: T): void {
    this.#pages[index >>> PAGE_SHIFT]!.things[index & PAGE_MASK] = thing;
  }

  setNumber(index: number, number: number): void {
    this.#pages[index >>> PAGE_SHIFT]!.numbers[index & PAGE_MASK] = number;
  }

  remove(index: number): void {
    const page = this.#pages[index >>> PAGE_SHIFT]!;
    page.things[index & PAGE_MASK] = undefined;
    page.numbers[index & PAGE_MASK] = this.#firstFree;
    this.#firstFree = index;
    this.#count -= 1;
    this.#ledger.add(this.#kind, -OUTSIDE_SLOT_BYTES);
    if (this.#count > 0) return;
    this.#pages = [];
    this.#firstFree = -1;
  }

  #addPage(): void {
    const first = this.#pages.length << PAGE_SHIFT;
    const numbers = new Float64Array(1 << PAGE_SHIFT);
    for (let i = 0; i < PAGE_MASK; i += 1) numbers[i] = first + i + 1;
    numbers[PAGE_MASK] = this.#firstFree;
    this.#pages.push({
      things: new Array<T | undefined>(1 << PAGE_SHIFT).fill(undefined),
      numbers,
    });
    this.#firstFree = first;
  }
}
