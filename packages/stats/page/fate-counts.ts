/** Sums of the counters that say why keys have gone. */

import type { KEY_FATES } from '#base';
import { KEY_QUANTITIES } from '#quantities';
import type { Page } from './page.ts';

/** Returns how many keys have gone for each reason, over all shards. Every surface shows these sums. */
export function fateCounts(
  shards: readonly Page[],
): readonly (readonly [reason: (typeof KEY_FATES)[number], keys: number])[] {
  return KEY_QUANTITIES.fates.map(({ counter, label: [, reason] }) => [
    reason,
    shards.reduce((sum, page) => sum + page.get(counter), 0),
  ]);
}
