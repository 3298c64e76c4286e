/**
 * Memory of one table's entries: pages that entries are written to one after the other.
 *
 * A reference is a page and a distance in it, in words; that of a large entry may be its page alone, so that
 * there can be as many as memory holds. Entries that go leave a gap, and the owner moves what is left of a
 * sparse page elsewhere. The first word of a page is unused, so that no entry has reference 0.
 */
import { errors, isResourceError, type Steps } from '#base';

/** Number of words of a page that a reference can address. */
const OFFSET_BITS = 14;
const OFFSET_MASK = (1 << OFFSET_BITS) - 1;
const WORD_BYTES = 4;
const PAGE_BYTES = WORD_BYTES << OFFSET_BITS;
/** The references of this many pages are a page and a distance: 15 GiB of entries that share pages. */
export const NEAR_PAGES_MAX = 0xf000_0000 / 2 ** OFFSET_BITS;
/** The references of the pages behind are their number alone: an entry each, that begins with the first word. */
const FAR_BASE = 0xf000_0000;
const FAR_MASK = 0x0fff_ffff;
/** The last is left out, so that -1 is no reference. */
const FAR_PAGES_MAX = FAR_MASK;
/** Number of pages from which a new page for a single entry gets a far number, so that near ones are left for shared pages. */
export const NEAR_OWN_PAGES_MAX = 2 ** 14;
/** Larger entries get their own page. */
const SHARED_ENTRY_BYTES_MAX = PAGE_BYTES / 4;
const FIRST_PAGE_BYTES = 256;
/** A new page begins as this part of what there is, so that little of it is unused. */
const GROWTH_PARTS = 8;
/** Bytes that Node keeps beside those of a page: a buffer, three views and our own object (measured). */
const PAGE_OVERHEAD_BYTES = 450;
/** Pages looked at for a sparse one by one call. */
const LOOK_PAGES_MAX = 32;
/** Moving begins when this part of all bytes is gaps. */
const GAP_PARTS = 4;

export class Page {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  readonly view: DataView;
  /** Offset of the next entry. */
  used = WORD_BYTES;
  /** Bytes of entries that are still there. */
  live = 0;

  constructor(size: number) {
    const buffer = new ArrayBuffer(size);
    this.bytes = new Uint8Array(buffer);
    this.words = new Int32Array(buffer);
    this.view = new DataView(buffer);
  }
}

/** Stands where a page was given back. */
const NOWHERE = new Page(WORD_BYTES);

export function pageOf(ref: number): number {
  const page = ref >>> OFFSET_BITS;
  return page < NEAR_PAGES_MAX ? page : NEAR_PAGES_MAX + (ref & FAR_MASK);
}

/** Returns the word at which an entry begins in its page. */
export function wordAt(ref: number): number {
  return ref >>> OFFSET_BITS < NEAR_PAGES_MAX ? ref & OFFSET_MASK : 1;
}

export function refOf(page: number, word: number): number {
  return page < NEAR_PAGES_MAX ? (page << OFFSET_BITS) | word : FAR_BASE | (page - NEAR_PAGES_MAX);
}

export class Arena {
  readonly pages: Page[] = [];
  #current = -1;
  /** Numbers of pages that were given back, and the far ones among them. */
  #vacant: number[] = [];
  #vacantFar: number[] = [];
  #capacity = 0;
  #used = 0;
  #live = 0;
  #hand = 0;

  /** All memory that the pages take. */
  get bytes(): number {
    return this.#capacity;
  }

  /** True when there are enough gaps to empty a page. */
  get isSparse(): boolean {
    return (this.#used - this.#live) * GAP_PARTS > this.#used && this.#used > FIRST_PAGE_BYTES;
  }

  /** Room for an entry. What is in it is zero. */
  take(size: number): number {
    if (size > SHARED_ENTRY_BYTES_MAX) return this.#takeFrom(this.#addPage(size, true), size);
    const index = this.#current;
    if (index < 0) return this.#open(size);
    const page = this.pages[index]!;
    if (page.used + size <= page.bytes.length) return this.#takeFrom(index, size);
    if (page.bytes.length === PAGE_BYTES) return this.#open(size);
    this.#grow(index, page, size);
    return page.used + size <= this.pages[index]!.bytes.length
      ? this.#takeFrom(index, size)
      : this.#open(size);
  }

  /** Allocates an entry; returns 0 if there is no memory. */
  takeIfAny(size: number): number {
    try {
      return this.take(size);
    } catch (error) {
      if (error === errors.outOfResources || isResourceError(error)) return 0;
      throw error;
    }
  }

  /** An entry's room is not needed any more. Its bytes stay until the page goes. */
  release(ref: number, size: number): void {
    const index = pageOf(ref);
    const page = this.pages[index]!;
    page.live -= size;
    this.#live -= size;
    if (page.live === 0 && index !== this.#current) this.drop(index);
  }

  /**
   * A page with gaps, whose entries the owner takes elsewhere before it drops the page; -1 when the
   * next ones are dense. New entries do not go there.
   */
  sparsePage(): number {
    const { pages } = this;
    for (let looked = 0; looked < Math.min(LOOK_PAGES_MAX, pages.length); looked += 1) {
      this.#hand = (this.#hand + 1) % pages.length;
      const page = pages[this.#hand]!;
      if (page === NOWHERE || (page.used - page.live) * GAP_PARTS <= page.used) continue;
      if (this.#hand === this.#current) this.#current = -1;
      return this.#hand;
    }
    return -1;
  }

  /** Gives a page back. */
  drop(index: number): void {
    const page = this.pages[index]!;
    this.#capacity -= page.bytes.length + PAGE_OVERHEAD_BYTES;
    this.#used -= page.used - WORD_BYTES;
    this.#live -= page.live;
    this.pages[index] = NOWHERE;
    this.#vacate(index);
  }

  /** A copy that shares nothing with this one. */
  *copy(): Steps<Arena> {
    const copy = new Arena();
    for (const page of this.pages) {
      if (page === NOWHERE) copy.#vacate(copy.pages.length);
      copy.pages.push(page === NOWHERE ? NOWHERE : copyOf(page, page.bytes.length));
      yield;
    }
    copy.#current = this.#current;
    copy.#capacity = this.#capacity;
    copy.#used = this.#used;
    copy.#live = this.#live;
    return copy;
  }

  /** Bytes of a page up to where the next entry goes; 0 when it was given back. */
  usedIn(index: number): number {
    const page = this.pages[index]!;
    return page === NOWHERE ? 0 : page.used;
  }

  /** Puts a page of known contents behind the others; undefined leaves its number unused. */
  adopt(bytes: Uint8Array | undefined, live: number): void {
    if (bytes === undefined) {
      this.#vacate(this.pages.length);
      this.pages.push(NOWHERE);
      return;
    }
    const page = new Page(bytes.length);
    page.bytes.set(bytes);
    page.used = bytes.length;
    page.live = live;
    this.pages.push(page);
    this.#capacity += bytes.length + PAGE_OVERHEAD_BYTES;
    this.#used += bytes.length - WORD_BYTES;
    this.#live += live;
  }

  #open(size: number): number {
    const wanted = Math.max(FIRST_PAGE_BYTES, Math.floor(this.#capacity / GROWTH_PARTS), 2 * size);
    this.#current = this.#addPage(Math.min(wanted, PAGE_BYTES) - WORD_BYTES, false);
    return this.#takeFrom(this.#current, size);
  }

  #takeFrom(index: number, size: number): number {
    const page = this.pages[index]!;
    const at = page.used;
    page.used = at + size;
    page.live += size;
    this.#used += size;
    this.#live += size;
    return refOf(index, at / WORD_BYTES);
  }

  /** Makes the page larger, as far as pages go. */
  #grow(index: number, page: Page, size: number): void {
    const old = page.bytes.length;
    const wanted = Math.max(old + old / 2, page.used + size);
    const capacity = Math.min(Math.ceil(wanted / WORD_BYTES) * WORD_BYTES, PAGE_BYTES);
    this.pages[index] = copyOf(page, capacity);
    this.#capacity += capacity - old;
  }

  /** A page with so much room. One that is `own` has one entry. */
  #addPage(room: number, own: boolean): number {
    const capacity = Math.ceil(room / WORD_BYTES) * WORD_BYTES + WORD_BYTES;
    const page = new Page(capacity);
    const index = own ? this.#ownNumber() : this.#nearNumber();
    this.pages[index] = page;
    this.#capacity += capacity + PAGE_OVERHEAD_BYTES;
    return index;
  }

  #nearNumber(): number {
    const index = this.#vacant.pop() ?? this.pages.length;
    if (index >= NEAR_PAGES_MAX) throw errors.outOfResources;
    return index;
  }

  #ownNumber(): number {
    const { pages } = this;
    if (this.#vacantFar.length > 0) return this.#vacantFar.pop()!;
    if (pages.length < NEAR_OWN_PAGES_MAX) return this.#nearNumber();
    // The near numbers that are left are for pages that entries share.
    for (let index = pages.length; index < NEAR_PAGES_MAX; index += 1) {
      pages.push(NOWHERE);
      this.#vacant.push(index);
    }
    if (pages.length - NEAR_PAGES_MAX >= FAR_PAGES_MAX) throw errors.outOfResources;
    return pages.length;
  }

  #vacate(index: number): void {
    if (index < NEAR_PAGES_MAX) this.#vacant.push(index);
    else this.#vacantFar.push(index);
  }
}

function copyOf(page: Page, capacity: number): Page {
  const copy = new Page(capacity);
  copy.bytes.set(page.bytes.subarray(0, page.used));
  copy.used = page.used;
  copy.live = page.live;
  return copy;
}
