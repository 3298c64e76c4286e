/** Sums of the counters that say why keys have gone. */

import { KEY_FATES } from '#base';
import { FATE_COUNTERS } from './fate-counters.ts';
import type { Page } from './page.ts';

/** Returns how many keys have gone for each reason, over all shards. Every surface shows these sums. */
export function fateCounts(
  shards: readonly Page[],
): readonly (readonly [reason: (typeof KEY_FATES)[number], keys: number])[] {
  return KEY_FATES.map((reason, number) => {
    const counter = FATE_COUNTERS[number]!;
    return [reason, shards.reduce((sum, page) => sum + page.get(counter), 0)];
  });
}
