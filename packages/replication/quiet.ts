/** Waits until nothing is done any more that replicas would be told of: then the end of the stream is that of the data. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Router } from '#router';
import { settingsAppliedCall } from '#stats';
import type { Primary } from './protocol/primary/primary.ts';

/** Between two looks. */
const LOOK_MS = 2;
/**
 * Rounds through all shards in which nothing happens before nothing is believed to be under way: a command that was woken asks
 * for its keys, they are lent, it is run.
 */
const QUIET_ROUNDS = 3;

/** Server whose writes are held back, by its role or by a pause. */
interface HeldServer {
  readonly router: Pick<Router, 'shardCalls' | 'isBusy'>;
  readonly primary: Pick<Primary, 'offset' | 'isSettled'>;
}

/** Settles with true when all is quiet, and with false when it is not wanted any more before. */
export async function untilQuiet(
  { router, primary }: HeldServer,
  isWanted: () => boolean,
): Promise<boolean> {
  let quiet = 0;
  while (isWanted()) {
    const { offset } = primary;
    // Each shard has done all that came before, and what it tells of that is here.
    const reports = await router.shardCalls.ask(settingsAppliedCall, null);
    const hasAll = reports.every(({ missing }) => !missing);
    const isQuiet = hasAll && !router.isBusy && primary.isSettled && primary.offset === offset;
    quiet = isQuiet ? quiet + 1 : 0;
    if (quiet === QUIET_ROUNDS) return isWanted();
    if (!isQuiet) await sleep(LOOK_MS);
  }
  return false;
}
