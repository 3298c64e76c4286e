/** Time of a record: a double, as the two words of it, since its place is not always a multiple of 8. */

import { Record } from '#persistence';
import type { Frame } from '../frames/frame.ts';

const doublesScratch = new Float64Array(1);
const halvesScratch = new Int32Array(doublesScratch.buffer);

/** Returns the Unix milliseconds at which the record was made. */
export function timeOf({ words, word }: Frame): number {
  halvesScratch[0] = words[word + Record.timeAt]!;
  halvesScratch[1] = words[word + Record.timeAt + 1]!;
  return doublesScratch[0]!;
}

/** Writes the Unix milliseconds of the record at `at`. V8 calls a builtin to write a double by a DataView. */
export function setTime(view: DataView, at: number, nowMs: number): void {
  doublesScratch[0] = nowMs;
  view.setInt32(at + 4 * Record.timeAt, halvesScratch[0]!, true);
  view.setInt32(at + 4 * Record.timeAt + 4, halvesScratch[1]!, true);
}
