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

/**
 * V8's own gc function, which contexts created after a flag was set can see. The flag applies to the whole process, and
 * stays set: another thread may be about to create a context.
 */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('globalThis.gc');
  return typeof gc === 'function' ? (gc as () => void) : nothing;
}

function nothing(): void {
  // Without it, memory comes back when V8 collects by itself.
}
