/** Times of fetches of warm values: counts by time, for recent percentiles. */

/** Rows: below 2 us, 4 us, and so on, with four to each power of two. */
const ROWS_PER_OCTAVE = 4;
const OCTAVES = 28;
const ROWS = ROWS_PER_OCTAVE * OCTAVES;
/** Number of fetches at which all counts are halved, so that old ones lose weight. */
const COUNT_MAX = 16_384;

export class FetchTimes {
  readonly #counts = new Uint32Array(ROWS);
  #count = 0;
  /** Since the start, or CONFIG RESETSTAT. */
  totalUs = 0;
  mostUs = 0;

  add(us: number): void {
    this.totalUs += us;
    if (us > this.mostUs) this.mostUs = us;
    const row = Math.min(ROWS - 1, Math.floor(Math.log2(Math.max(1, us)) * ROWS_PER_OCTAVE));
    this.#counts[row]! += 1;
    this.#count += 1;
    if (this.#count >= COUNT_MAX) this.#fade();
  }

  /** Upper bound in microseconds of the fastest `percent` percent of fetches. */
  percentile(percent: number): number {
    let left = (this.#count * percent) / 100;
    if (left === 0) return 0;
    for (let row = 0; row < ROWS; row += 1) {
      left -= this.#counts[row]!;
      if (left <= 0) return Math.min(this.mostUs, 2 ** ((row + 1) / ROWS_PER_OCTAVE));
    }
    return this.mostUs;
  }

  reset(): void {
    this.#counts.fill(0);
    this.#count = 0;
    this.totalUs = 0;
    this.mostUs = 0;
  }

  #fade(): void {
    this.#count = 0;
    for (let row = 0; row < ROWS; row += 1) {
      this.#counts[row]! >>>= 1;
      this.#count += this.#counts[row]!;
    }
  }
}
