/** Long work, done in slices between batches of commands. */

import { isResourceError, type Steps } from '#base';

/** Most microseconds of one slice: as much as a batch of commands takes. */
const SLICE_US = 500;

interface Work {
  /** Performs a step; returns true when the work is done. */
  readonly step: () => boolean;
  /** Called at the end with the microseconds spent. */
  readonly done: (spentUs: number) => void;
  spentUs: number;
}

export class IncrementalWork {
  readonly #nowUs: () => number;
  /** In the order in which it came; the first is worked at. */
  readonly #queue: Work[] = [];

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs;
  }

  /** False nearly always. */
  get isActive(): boolean {
    return this.#queue.length > 0;
  }

  /**
   * Performs the first steps at once, usually all of them; `done` receives the result. `failed` is called if memory was
   * exhausted; without it, that is thrown like any other error.
   */
  run<Result>(steps: Steps<Result>, done: (made: Result) => void, failed?: () => void): void {
    const work = workOf(steps, done, failed);
    if (this.#advance(work)) work.done(work.spentUs);
    else this.#queue.push(work);
  }

  /** Does all steps at once. */
  now<Result>(steps: Steps<Result>, done: (made: Result) => void, failed?: () => void): void {
    const work = workOf(steps, done, failed);
    while (!work.step());
    work.done(0);
  }

  /** Does all steps later. */
  later<Result>(
    steps: Steps<Result>,
    done: (made: Result, spentUs: number) => void,
    failed?: () => void,
  ): void {
    this.#queue.push(workOf(steps, done, failed));
  }

  /** Performs a slice of work. */
  slice(): void {
    const [work] = this.#queue;
    if (work === undefined || !this.#advance(work)) return;
    this.#queue.shift();
    work.done(work.spentUs);
  }

  /** Performs a step; returns true when the work is done. */
  #advance(work: Work): boolean {
    const startUs = this.#nowUs();
    let isDone = work.step();
    while (!isDone && this.#nowUs() - startUs < SLICE_US) isDone = work.step();
    work.spentUs += this.#nowUs() - startUs;
    return isDone;
  }
}

function workOf<Result>(
  steps: Steps<Result>,
  done: (made: Result, spentUs: number) => void,
  failed?: () => void,
): Work {
  let made: Result | undefined;
  let hasFailed = false;
  return {
    step() {
      try {
        const step = steps.next();
        if (step.done !== true) return false;
        made = step.value;
      } catch (error) {
        if (failed === undefined || !isResourceError(error)) throw error;
        hasFailed = true;
      }
      return true;
    },
    done(spentUs) {
      if (hasFailed) failed?.();
      else done(made as Result, spentUs);
    },
    spentUs: 0,
  };
}
