/** Rate at which a counter grows, over the last second or two. */

/** Samples kept: with one every 100 ms the window is 1.6 s, as Redis' is. */
const SAMPLES = 16;
/** Samples of an idle thread are a second apart: those before this window are no part of a rate. */
const WINDOW_US = 2_000_000;

/** Growth of a counter between two readings; one that has become less was set back to zero in between. */
export function growth(before: number, now: number): number {
  return now >= before ? now - before : now;
}

export class Rate {
  readonly #values = new Float64Array(SAMPLES);
  readonly #timesUs = new Float64Array(SAMPLES);
  #count = 0;
  #last = 0;
  /** Growth of the counter in all, also before it was set back. */
  #grown = 0;

  sample(value: number, nowUs: number): void {
    const index = this.#count % SAMPLES;
    this.#grown += growth(this.#last, value);
    this.#last = value;
    this.#values[index] = this.#grown;
    this.#timesUs[index] = nowUs;
    this.#count += 1;
  }

  /** Per second; 0 before there are two samples. */
  get perSecond(): number {
    const kept = Math.min(this.#count, SAMPLES);
    if (kept < 2) return 0;
    const newest = (this.#count - 1) % SAMPLES;
    let back = 2;
    while (back < kept && this.#ageUs(back + 1) <= WINDOW_US) back += 1;
    const oldest = (this.#count - back) % SAMPLES;
    const us = this.#timesUs[newest]! - this.#timesUs[oldest]!;
    const grown = this.#values[newest]! - this.#values[oldest]!;
    return us > 0 ? (grown * 1_000_000) / us : 0;
  }

  /** Returns the microseconds from a sample to the newest one, which is 1 back. */
  #ageUs(back: number): number {
    const newest = (this.#count - 1) % SAMPLES;
    return this.#timesUs[newest]! - this.#timesUs[(this.#count - back) % SAMPLES]!;
  }
}
