/**
 * Collecting garbage on purpose. Large buffers are freed by V8's collector alone, and nothing makes it run in a thread
 * that sleeps.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Frees what the calling thread no longer refers to: some 5 to 20 ms for a small heap, and 0.1 ms for each MiB freed. */
export function collectGarbage(): void {
  collect ??= collector();
  collect();
}

/** V8's own function, which it shows to contexts that are made while it is told to. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as () => void;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
