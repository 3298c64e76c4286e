/** Delay before something that has failed is tried again: it doubles with each failure up to a limit. */
export class RetryDelay {
  readonly #firstMs: number;
  readonly #mostMs: number;
  #ms: number;

  constructor(firstMs: number, mostMs: number) {
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
    this.#ms = firstMs;
  }

  /** Returns the delay in milliseconds after another failure. */
  next(): number {
    const ms = this.#ms;
    this.#ms = Math.min(2 * ms, this.#mostMs);
    return ms;
  }

  /** Starts over, after a success. */
  reset(): void {
    this.#ms = this.#firstMs;
  }
}
