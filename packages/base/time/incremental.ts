/** Incremental work in steps: its caller may do other work between two of them. */

import type { Bytes } from '../bytes/byte-array.ts';

/** Runs for well under a millisecond from one `yield` to the next; what it makes is returned. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Runs all steps; returns their result. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Bytes that are copied between two steps. */
const PIECE_BYTES = 256 * 1024;

/** Hands on bytes, as many between two steps as are copied in no time. */
export function* inSteps(source: Bytes, take: (part: Bytes, at: number) => void): Steps<void> {
  for (let from = 0; from < source.length; from += PIECE_BYTES) {
    take(source.subarray(from, from + PIECE_BYTES), from);
    if (from + PIECE_BYTES < source.length) yield;
  }
}

/** Bytes in their own memory. */
export function* copyOfBytes(source: Bytes): Steps<Bytes> {
  const copy = new Uint8Array(source.length);
  yield* inSteps(source, (part, at) => {
    copy.set(part, at);
  });
  return copy;
}
