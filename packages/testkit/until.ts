/** Waiting for what comes in its own time: never a fixed pause, which is too short on a busy machine. */

import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 10;
const PATIENCE_MS = 30_000;

/** Ends when the condition holds. Throws with `what` was awaited when it does not come to hold in time. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await pause(LOOK_MS);
  }
}
