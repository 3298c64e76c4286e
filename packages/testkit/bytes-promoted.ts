/** Garbage that V8 takes for alive: what collections of the nursery carry into the old generation. */

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Until then code is compiled, and what stays is made. */
const WARM_ROUNDS = 50;

/** Returns the growth of the old generation in bytes over a number of rounds, each with a collection of the nursery. */
export async function bytesPromoted(
  rounds: number,
  act: () => void | Promise<void>,
): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as (options?: { readonly type: string }) => void;
  for (let round = 0; round < WARM_ROUNDS; round += 1) await act();
  collect();
  const before = oldBytes();
  for (let round = 0; round < rounds; round += 1) {
    await act();
    collect({ type: 'minor' });
  }
  return oldBytes() - before;
}

function oldBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space');
  return space?.space_used_size ?? 0;
}
