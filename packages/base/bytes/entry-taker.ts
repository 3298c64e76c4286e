/** Receiver of listpack entries, many at a time, from where they lie. */

import type { Bytes } from './byte-array.ts';

export interface EntryTaker {
  /**
   * Takes up to `count` entries, the first of which begins at `at` and the last of which ends before `end`. Answers how
   * many: fewer where there is no room for more, and none where one by one is as good.
   */
  take(bytes: Bytes, at: number, end: number, count: number): number;
  /** Offset of the first entry that was not taken. */
  readonly next: number;
}
