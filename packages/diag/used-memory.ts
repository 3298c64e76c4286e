/** Memory that `maxmemory` limits, as every surface tells it. */

import type { Page } from './page.ts';

/** Bytes of the keys of all shards and of what clients take: buffers, queues, watches, subscriptions. */
export function usedMemory(main: Page, shards: readonly Page[]): number {
  let total = main.get('clientMemoryBytes');
  for (const page of shards) total += page.get('usedBytes');
  return total;
}
