/** Work in steps: whoever runs it may do something else between two of them. */

/** Runs for well under a millisecond from one `yield` to the next; what it makes is returned. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Runs all steps one after the other; answers what they have made. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
