/** Limits the lines of an event in the log: a flood costs a few lines, and one with the number of those omitted. */

/** Lines of an event that are written within a window. */
const LINES_MAX = 20;
/** Length of a window in milliseconds. */
const WINDOW_MS = 10_000;

export class LineLimit {
  readonly #linesMax: number;
  readonly #windowMs: number;
  #windowStartMs = -Infinity;
  #lines = 0;
  #omitted = 0;

  constructor(linesMax = LINES_MAX, windowMs = WINDOW_MS) {
    this.#linesMax = linesMax;
    this.#windowMs = windowMs;
  }

  /** True when another line may be written now; otherwise the line counts as omitted. */
  take(nowMs: number): boolean {
    if (this.#isOver(nowMs) && this.#omitted === 0) {
      this.#windowStartMs = nowMs;
      this.#lines = 0;
    }
    if (this.#lines >= this.#linesMax) {
      this.#omitted += 1;
      return false;
    }
    this.#lines += 1;
    return true;
  }

  /** Returns the number of omitted lines once their window is over, and 0 otherwise. Called periodically. */
  takeOmitted(nowMs: number): number {
    if (this.#omitted === 0 || !this.#isOver(nowMs)) return 0;
    const omitted = this.#omitted;
    this.#omitted = 0;
    return omitted;
  }

  /** A clock that was set back ends a window too. */
  #isOver(nowMs: number): boolean {
    return Math.abs(nowMs - this.#windowStartMs) >= this.#windowMs;
  }
}
