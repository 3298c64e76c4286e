/** A timer for any time, also longer than the 24 days that `setTimeout` can count. */

const STEP_MS_MAX = 2 ** 31 - 1;

export class LongTimer {
  #timer: NodeJS.Timeout | undefined;

  /** Calls back once, after `ms`. What waits for it does not keep a process alive that ends. */
  constructor(ms: number, callback: () => void) {
    this.#arm(ms, callback);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #arm(ms: number, callback: () => void): void {
    const stepMs = Math.min(ms, STEP_MS_MAX);
    this.#timer = setTimeout(() => {
      if (ms > stepMs) this.#arm(ms - stepMs, callback);
      else callback();
    }, stepMs).unref();
  }
}
