/**
 * CPU time of commands. The wall-clock duration of a command may include time in which other threads had the CPU, or in
 * which this one waited for the kernel, and would make a cheap command look expensive.
 */

/** A command that took less was not put aside: a thread that is, is so for longer. */
const LOOK_US = 50;
/** A look takes some microseconds: turns that begin sooner after the last one do without. */
const FRESH_US = 1_000;

export class CommandCpu {
  readonly #threadUs: (() => number) | undefined;
  #beforeUs = 0;
  /** The clock at the last look of `begin`. */
  #begunUs = -Infinity;
  /** Time of commands since then that were too short to look. */
  #shortUs = 0;

  /** `threadUs` returns the CPU time of the thread; without it all time counts for the command. */
  constructor(threadUs: (() => number) | undefined) {
    this.#threadUs = threadUs;
    this.begin(0);
  }

  /** Leaves what the thread has used so far to no command, within a millisecond. `nowUs` is the clock's. */
  begin(nowUs: number): void {
    if (nowUs - this.#begunUs < FRESH_US) return;
    this.#begunUs = nowUs;
    this.#beforeUs = this.#threadUs?.() ?? 0;
    this.#shortUs = 0;
  }

  /** Returns the part of a command's `us` in which the thread had a CPU. */
  of(us: number): number {
    if (this.#threadUs === undefined) return us;
    if (us < LOOK_US) {
      this.#shortUs += us;
      return us;
    }
    const nowUs = this.#threadUs();
    const usedUs = nowUs - this.#beforeUs - this.#shortUs;
    this.#beforeUs = nowUs;
    this.#shortUs = 0;
    return Math.min(us, Math.max(0, usedUs));
  }
}
