/** Flags of V8 that hold for all threads of the server. */

import { setFlagsFromString } from 'node:v8';

/**
 * Sets them, before any thread is started: V8 takes a code cache only where the flags are those it was made with.
 *
 * The data is not on V8's heaps, which are small: marking them is soon done. By other threads at the same time it takes
 * processors from the shards, and from itself: beside the copy of a large value, which makes garbage of pages, a command
 * waits 6 ms at the median of the longest waits, and 9 ms where marking is concurrent (two processors, two shards).
 *
 * `base/memory/garbage.ts` needs the second one, and would set it in the midst of a thread's life.
 */
export function setV8Flags(): void {
  setFlagsFromString('--no-concurrent-marking');
  setFlagsFromString('--expose-gc');
}
