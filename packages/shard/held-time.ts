/**
 * Processor time of commands. The clock tells how long one took; in that may be time in which other threads had the
 * processor, and the command whose turn it was would seem an expensive one.
 */

/** A command that took less was not put aside: a thread that is, is so for longer. */
export const LOOK_US = 50;

export class HeldTime {
  readonly #runDelayUs: (() => number) | undefined;
  #beforeUs = 0;

  /** `runDelayUs` tells for how long the thread has waited for a processor; without it all time is the command's. */
  constructor(runDelayUs: (() => number) | undefined) {
    this.#runDelayUs = runDelayUs;
    this.begin();
  }

  /** Leaves what the thread has waited so far to no command. */
  begin(): void {
    this.#beforeUs = this.#runDelayUs?.() ?? 0;
  }

  /** Answers for how much of a command's `us` the thread had a processor. */
  of(us: number): number {
    if (us < LOOK_US || this.#runDelayUs === undefined) return us;
    const nowUs = this.#runDelayUs();
    const waitedUs = nowUs - this.#beforeUs;
    this.#beforeUs = nowUs;
    return Math.max(0, us - waitedUs);
  }
}
