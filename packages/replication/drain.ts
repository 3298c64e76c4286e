/** Waits until no write is in flight: the stream then contains all changes of the data. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Router } from '#router';
import { settingsAppliedCall } from '#stats';
import type { Primary } from './protocol/primary/primary.ts';

/** Between two looks. */
const LOOK_MS = 2;
/**
 * Number of idle rounds through all shards after which no command is in flight: an unblocked command requests its keys in
 * one, they are lent in the next, and it is executed in the third.
 */
const DRAINED_ROUNDS = 3;

/** Server whose writes are suspended, by its role or by a pause. */
interface HeldServer {
  readonly router: Pick<Router, 'shardCalls' | 'isBusy'>;
  readonly primary: Pick<Primary, 'offset' | 'isSettled'>;
}

/** Settles with true when the server is drained, and with false when that is not wanted any more before. */
export async function untilDrained(
  { router, primary }: HeldServer,
  isWanted: () => boolean,
): Promise<boolean> {
  let drainedRounds = 0;
  while (isWanted()) {
    const { offset } = primary;
    // Each shard has done all that came before, and its feed of that is here.
    const reports = await router.shardCalls.ask(settingsAppliedCall, null);
    const hasAll = reports.every(({ missing }) => !missing);
    const isDrained = hasAll && !router.isBusy && primary.isSettled && primary.offset === offset;
    drainedRounds = isDrained ? drainedRounds + 1 : 0;
    if (drainedRounds === DRAINED_ROUNDS) return isWanted();
    if (!isDrained) await sleep(LOOK_MS);
  }
  return false;
}
