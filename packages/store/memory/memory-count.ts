/**
 * Exact bytes, kept as memory is taken and given back.
 *
 * Each database keeps a ledger that posts to the store's count as well, so that a database that is
 * dropped whole can be taken out of the count at once.
 */
export const RECORD_BYTES = 0;
export const INDEX_BYTES = 1;
export const BLOB_BYTES = 2;
export const OBJECT_BYTES = 3;
const SEGMENT = 4;
const USED = 5;
const PEAK = 6;
const CELLS = 7;

/** The store's memory in bytes: what live things take, and what was taken from the system for records. */
export class MemoryCount {
  /** Doubles in typed memory: no number is ever boxed by counting. Written by ledgers only. */
  readonly cells = new Float64Array(CELLS);

  /** Records, indexes, blobs and objects. */
  get usedBytes(): number {
    return this.cells[USED]!;
  }
  /** The largest `usedBytes` so far. */
  get peakBytes(): number {
    return this.cells[PEAK]!;
  }
  /** Cells of live records, with what their size class rounds up. */
  get recordBytes(): number {
    return this.cells[RECORD_BYTES]!;
  }
  get indexBytes(): number {
    return this.cells[INDEX_BYTES]!;
  }
  /** Values and keys too large for a record, with their spare capacity. */
  get blobBytes(): number {
    return this.cells[BLOB_BYTES]!;
  }
  /** Values that are JavaScript objects, as their owners count them. */
  get objectBytes(): number {
    return this.cells[OBJECT_BYTES]!;
  }
  /** Segments that hold records, whether their cells are live or free. */
  get segmentBytes(): number {
    return this.cells[SEGMENT]!;
  }
  /** Bytes held for records beyond the live ones. */
  get wasteBytes(): number {
    return this.cells[SEGMENT]! - this.cells[RECORD_BYTES]!;
  }
  /** Resets the peak (CONFIG RESETSTAT). */
  resetPeak(): void {
    this.cells[PEAK] = this.cells[USED]!;
  }
}

/** One database's part of the count. */
export class Ledger {
  readonly #own = new Float64Array(CELLS);
  readonly #total: Float64Array;

  constructor(count: MemoryCount) {
    this.#total = count.cells;
  }

  /** Live bytes of this database's records. */
  get recordBytes(): number {
    return this.#own[RECORD_BYTES]!;
  }
  get indexBytes(): number {
    return this.#own[INDEX_BYTES]!;
  }
  get segmentBytes(): number {
    return this.#own[SEGMENT]!;
  }

  /** Posts bytes taken, or given back when negative. */
  add(kind: number, bytes: number): void {
    const own = this.#own;
    const total = this.#total;
    own[kind] = own[kind]! + bytes;
    total[kind] = total[kind]! + bytes;
    const used = total[USED]! + bytes;
    total[USED] = used;
    if (used > total[PEAK]!) total[PEAK] = used;
  }

  /** Segments are apart: they hold what is counted as records, and are not used by themselves. */
  addSegment(bytes: number): void {
    this.#own[SEGMENT] = this.#own[SEGMENT]! + bytes;
    this.#total[SEGMENT] = this.#total[SEGMENT]! + bytes;
  }

  /** Takes everything that was posted here out of the store's count. */
  close(): void {
    for (let kind = RECORD_BYTES; kind <= OBJECT_BYTES; kind += 1)
      this.add(kind, -this.#own[kind]!);
    this.addSegment(-this.#own[SEGMENT]!);
  }
}
