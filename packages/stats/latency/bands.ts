/** Latency bands: numbers of requests by upper bounds of their time in the server, in milliseconds. */

/** Current thresholds; a row of a page counts requests above the previous threshold and up to its own. */
export class Bands {
  enabled: boolean;
  readonly #limitsUs: Float64Array;
  readonly thresholdsMs: readonly number[];

  constructor(enabled: boolean, thresholdsMs: readonly number[]) {
    this.enabled = enabled;
    this.thresholdsMs = thresholdsMs;
    this.#limitsUs = Float64Array.from(thresholdsMs, (ms) => ms * 1_000);
  }

  /** The row that counts a request of `us` microseconds; the last one is over every threshold. */
  rowOf(us: number): number {
    const limits = this.#limitsUs;
    let row = 0;
    while (row < limits.length && us > limits[row]!) row += 1;
    return row;
  }
}
