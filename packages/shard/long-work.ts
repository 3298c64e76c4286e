/** What takes long, in slices between batches of commands. */

import type { Steps } from '#base';

/** Most microseconds of one slice: as much as a batch of commands takes. */
const SLICE_US = 500;

interface Work {
  /** Goes on by a step; true when it is done. */
  readonly step: () => boolean;
  /** Told the microseconds that it has taken. */
  readonly done: (spentUs: number) => void;
  spentUs: number;
}

export class LongWork {
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

  /** Does the first steps at once, nearly always all of them; `done` is told what they have made. */
  run<Result>(steps: Steps<Result>, done: (made: Result) => void): void {
    const work = workOf(steps, done);
    if (this.#advance(work)) work.done(work.spentUs);
    else this.#queue.push(work);
  }

  /** Does all steps later. */
  later<Result>(steps: Steps<Result>, done: (made: Result, spentUs: number) => void): void {
    this.#queue.push(workOf(steps, done));
  }

  /** Goes on for a while. */
  slice(): void {
    const [work] = this.#queue;
    if (work === undefined || !this.#advance(work)) return;
    this.#queue.shift();
    work.done(work.spentUs);
  }

  /** Answers whether it is done. */
  #advance(work: Work): boolean {
    const startUs = this.#nowUs();
    let isDone = work.step();
    while (!isDone && this.#nowUs() - startUs < SLICE_US) isDone = work.step();
    work.spentUs += this.#nowUs() - startUs;
    return isDone;
  }
}

function workOf<Result>(steps: Steps<Result>, done: (made: Result, spentUs: number) => void): Work {
  let made: Result | undefined;
  return {
    step() {
      const step = steps.next();
      if (step.done !== true) return false;
      made = step.value;
      return true;
    },
    done(spentUs) {
      done(made as Result, spentUs);
    },
    spentUs: 0,
  };
}
