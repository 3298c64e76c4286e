/** Times at which the stream reached an offset, to convert a lag in bytes to milliseconds. */

/** Samples kept: some minutes of them. */
const SAMPLES_MAX = 2_048;

interface Sample {
  readonly offset: number;
  readonly ms: number;
}

export class OffsetTimes {
  #samples: Sample[] = [];

  /** The stream ends at an offset now. */
  note(offset: number, nowMs: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && last.offset >= offset) return;
    this.#samples.push({ offset, ms: nowMs });
    if (this.#samples.length > 2 * SAMPLES_MAX) this.#samples = this.#samples.slice(SAMPLES_MAX);
  }

  /** Milliseconds since there has been more than an offset; 0 where there is no more. The oldest sample is all that is known. */
  lagMs(offset: number, nowMs: number): number {
    let low = 0;
    let high = this.#samples.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#samples[middle]!.offset > offset) high = middle;
      else low = middle + 1;
    }
    const first = this.#samples[low];
    return first === undefined ? 0 : Math.max(0, nowMs - first.ms);
  }

  clear(): void {
    this.#samples = [];
  }
}
