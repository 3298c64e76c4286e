/** Pages of a file: which are in use, and where there is room for a run of them. */

const WORD_BITS = 32;
const WORD_BITS_SHIFT = 5;
const WORDS_MIN = 1_024;
/** Words that one search looks at before the file is made longer instead: some 0.1 ms. */
const SEARCH_WORDS_MAX = 65_536;
/** A file of which a part as large as this is free, as one divided by it, is searched before it is made longer. */
const SPARSE_SHARE = 4;
/** Runs longer than this are not noted when they are freed: they are found by the search. */
const NOTED_PAGES_MAX = 64;
/** Noted places in all; beyond it they are forgotten, and found by the search. */
const NOTED_MAX = 1_048_576;

export class FilePages {
  /** A bit for each page, set when it is in use. */
  #bits = new Uint32Array(WORDS_MIN);
  /** Page after the last one that was ever in use since the file was empty. */
  #end = 0;
  #used = 0;
  /** Places, by length, at which a run of pages was freed; they may have been taken since. */
  #noted: number[][] = [];
  #notedCount = 0;
  /** Word at which the next search begins. */
  #searched = 0;

  /** Count of pages in use. */
  get used(): number {
    return this.#used;
  }

  /** Count of pages that the file has. */
  get end(): number {
    return this.#end;
  }

  /** Takes `count` pages in a row; returns the first. */
  take(count: number): number {
    let page = this.#takeNoted(count);
    if (page < 0 && this.#isSparse) page = this.#search(count);
    if (page < 0) {
      page = this.#end;
      this.#grow(page + count);
    }
    this.#mark(page, count, true);
    this.#used += count;
    return page;
  }

  free(page: number, count: number): void {
    this.#mark(page, count, false);
    this.#used -= count;
    if (this.#used === 0) {
      this.#end = 0;
      this.#searched = 0;
      this.#forget();
      return;
    }
    this.#note(page, count);
  }

  /** Gives up free pages at the end, if they are a good part of the file; true when they were. */
  trim(): boolean {
    if (!this.#isSparse) return false;
    let end = this.#end;
    while (end > 0 && !this.#isUsed(end - 1)) end -= 1;
    if ((this.#end - end) * SPARSE_SHARE < this.#end) return false;
    this.#end = end;
    return true;
  }

  /** True when a good part of the file is free. */
  get #isSparse(): boolean {
    return (this.#end - this.#used) * SPARSE_SHARE > this.#end;
  }

  /** Takes the shortest recorded free run that is long enough; the rest of it is recorded again. */
  #takeNoted(count: number): number {
    for (let length = count; length <= NOTED_PAGES_MAX; length += 1) {
      const places = this.#noted[length];
      while (places !== undefined && places.length > 0) {
        const page = places.pop()!;
        this.#notedCount -= 1;
        if (!this.#isFree(page, length)) continue;
        if (length > count) this.#note(page + count, length - count);
        return page;
      }
    }
    return -1;
  }

  #note(page: number, count: number): void {
    if (count > NOTED_PAGES_MAX) return;
    if (this.#notedCount >= NOTED_MAX) this.#forget();
    (this.#noted[count] ??= []).push(page);
    this.#notedCount += 1;
  }

  #forget(): void {
    this.#noted = [];
    this.#notedCount = 0;
  }

  /** Looks for free pages in a row from where the last search ended, for a while. */
  #search(count: number): number {
    const words = (this.#end + WORD_BITS - 1) >>> WORD_BITS_SHIFT;
    let free = 0;
    for (let nth = 0; nth < Math.min(words, SEARCH_WORDS_MAX); nth += 1) {
      if (this.#searched >= words) {
        this.#searched = 0;
        free = 0;
      }
      const word = this.#bits[this.#searched]!;
      const first = this.#searched * WORD_BITS;
      this.#searched += 1;
      if (word === 0xffffffff) {
        free = 0;
        continue;
      }
      for (let bit = 0; bit < WORD_BITS; bit += 1) {
        free = (word >>> bit) & 1 ? 0 : free + 1;
        if (free < count) continue;
        const page = first + bit + 1 - count;
        if (page + count > this.#end) break;
        this.#searched = page >>> WORD_BITS_SHIFT;
        return page;
      }
    }
    return -1;
  }

  #isUsed(page: number): boolean {
    return ((this.#bits[page >>> WORD_BITS_SHIFT]! >>> (page % WORD_BITS)) & 1) === 1;
  }

  #isFree(page: number, count: number): boolean {
    if (page + count > this.#end) return false;
    for (let at = page; at < page + count; at += 1) if (this.#isUsed(at)) return false;
    return true;
  }

  #mark(page: number, count: number, isUsed: boolean): void {
    for (let at = page; at < page + count; at += 1) {
      const word = at >>> WORD_BITS_SHIFT;
      const bit = 1 << (at % WORD_BITS);
      if (isUsed) this.#bits[word]! |= bit;
      else this.#bits[word]! &= ~bit;
    }
  }

  #grow(end: number): void {
    this.#end = end;
    const words = (end + WORD_BITS - 1) >>> WORD_BITS_SHIFT;
    if (words <= this.#bits.length) return;
    const longer = new Uint32Array(Math.max(words, this.#bits.length * 2));
    longer.set(this.#bits);
    this.#bits = longer;
  }
}
