/** Sums of the counters of removed keys by reason. */

import type { KEY_FATES } from '#base';
import { KEY_QUANTITIES } from '#quantities';
import type { Page } from './page.ts';

/** Returns the number of removed keys for each reason, over all shards. All surfaces show these sums. */
export function fateCounts(
  shards: readonly Page[],
): readonly (readonly [reason: (typeof KEY_FATES)[number], keys: number])[] {
  return KEY_QUANTITIES.fates.map(({ counter, label: [, reason] }) => [
    reason,
    shards.reduce((sum, page) => sum + page.get(counter), 0),
  ]);
}
