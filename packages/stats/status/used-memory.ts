/** Memory that counts for `maxmemory`, and resident memory, as shown on all surfaces. */

import { AT } from '../page/counters.ts';
import type { Page } from '../page/page.ts';

/** Bytes of the keys of all shards and of what clients take: buffers, queues, watches, subscriptions. */
export function usedMemory(main: Page, shards: readonly Page[]): number {
  // Asked for with each write where there is a limit.
  let total = main.values[AT.clientMemoryBytes]!;
  for (const { values } of shards) total += values[AT.usedBytes]!;
  return total;
}

/** Ratio of resident memory to used memory. */
export interface Fragmentation {
  /** As much is resident as is in use where it is 1. */
  readonly ratio: number;
  /** Resident bytes that are not in use; negative where memory in use was not touched yet. */
  readonly bytes: number;
}

/**
 * Memory in use is `usedMemory` and what an empty server takes. In Redis `used_memory` has both; here it has the
 * first alone, because `maxmemory` does not limit the second.
 */
export function fragmentation(
  rssBytes: number,
  main: Page,
  shards: readonly Page[],
): Fragmentation {
  const inUse = main.get('startupBytes') + usedMemory(main, shards);
  return { ratio: inUse > 0 ? rssBytes / inUse : 1, bytes: rssBytes - inUse };
}
