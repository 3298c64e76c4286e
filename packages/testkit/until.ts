/** Waiting for what comes in its own time: never a fixed pause, which is too short on a busy machine. */

import { setTimeout as pause } from 'node:timers/promises';

/** Time between two looks: a tenth of what was waited already, within these. Each look costs the server a command. */
const LOOK_MS_MIN = 5;
const LOOK_MS_MAX = 100;
const LOOK_SHARE = 0.1;
/** Longer than anything takes on a machine with twenty other processes that compute. */
const PATIENCE_MS = 90_000;

/** Ends when the condition holds. Throws with `what` was awaited when it does not come to hold in time. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const startedMs = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > patienceMs) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await pause(Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, waitedMs * LOOK_SHARE)));
  }
}
