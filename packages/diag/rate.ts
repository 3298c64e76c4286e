/** How fast a counter grows, over the last second or two. */

/** Samples kept: with one every 100 ms the window is 1.6 s, as Redis' is. */
const SAMPLES = 16;

export class Rate {
  readonly #values = new Float64Array(SAMPLES);
  readonly #timesUs = new Float64Array(SAMPLES);
  #count = 0;

  sample(value: number, nowUs: number): void {
    const index = this.#count % SAMPLES;
    this.#values[index] = value;
    this.#timesUs[index] = nowUs;
    this.#count += 1;
  }

  /** Per second; 0 before there are two samples. */
  get perSecond(): number {
    const kept = Math.min(this.#count, SAMPLES);
    if (kept < 2) return 0;
    const newest = (this.#count - 1) % SAMPLES;
    const oldest = (this.#count - kept) % SAMPLES;
    const us = this.#timesUs[newest]! - this.#timesUs[oldest]!;
    // A counter that was reset in between has no rate yet.
    const grown = Math.max(0, this.#values[newest]! - this.#values[oldest]!);
    return us > 0 ? (grown * 1_000_000) / us : 0;
  }
}
