/** Time for which received bytes of a stream have waited to be applied. */

/** Bytes that come within this time count as having come when the first of them did. */
const STEP_MS = 50;
/** Most steps that are remembered; what comes then counts as having come with the last. */
const STEPS_MAX = 1_000;

/** Bytes up to an offset, with the moment at which the first of them came. */
interface Step {
  end: number;
  readonly atMs: number;
}

export class ApplyLag {
  readonly #steps: Step[] = [];

  /** Records that bytes up to an offset were received. */
  came(end: number, nowMs: number): void {
    const last = this.#steps.at(-1);
    const isNew =
      last === undefined || (nowMs - last.atMs >= STEP_MS && this.#steps.length < STEPS_MAX);
    if (isNew) this.#steps.push({ end, atMs: nowMs });
    else last.end = end;
  }

  /** Milliseconds for which the oldest byte behind an offset has waited, up to which all is applied; 0 when none waits. */
  waitedMs(applied: number, nowMs: number): number {
    const steps = this.#steps;
    while (steps.length > 0 && steps[0]!.end <= applied) steps.shift();
    return steps.length === 0 ? 0 : Math.max(0, nowMs - steps[0]!.atMs);
  }
}
