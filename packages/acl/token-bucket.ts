/**
 * Tokens that come at a steady rate, up to those of one second. What is owed (a reply's bytes are known only when it is
 * written) is paid first.
 */

const US_PER_SECOND = 1e6;

export class TokenBucket {
  #perSecond = 0;
  #tokens = 0;
  #sinceUs = 0;

  get perSecond(): number {
    return this.#perSecond;
  }

  /** Sets the rate; 0 for no limit. Another rate begins with a full bucket. */
  set perSecond(value: number) {
    if (value === this.#perSecond) return;
    this.#perSecond = value;
    this.#tokens = value;
    this.#sinceUs = 0;
  }

  get isLimited(): boolean {
    return this.#perSecond > 0;
  }

  /** Available tokens; negative when some are owed. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Adds what has come since the last time; exact, however short that is. `nowUs` is monotonic. */
  refill(nowUs: number): void {
    if (this.#sinceUs > 0) {
      const elapsedUs = Math.max(0, nowUs - this.#sinceUs);
      const come = (elapsedUs * this.#perSecond) / US_PER_SECOND;
      this.#tokens = Math.min(this.#perSecond, this.#tokens + come);
    }
    this.#sinceUs = nowUs;
  }

  /** Takes tokens that are there; false, and takes none, where there are fewer. A full bucket pays for any number. */
  take(count: number): boolean {
    if (count === 0) return true;
    if (this.#tokens < Math.min(count, this.#perSecond)) return false;
    this.#tokens -= count;
    return true;
  }

  /** Takes tokens whether they are there or not. */
  owe(count: number): void {
    this.#tokens -= count;
  }
}
