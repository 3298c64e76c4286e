/** The counters of a page that say why keys have gone, and their sums. */

import { KEY_FATES } from '#base';
import type { Page } from './page.ts';

/** Shards: keys that have gone, by the number of their fate. */
export const FATE_COUNTERS = [
  'fateExpiredActive',
  'fateExpiredLazy',
  'fateExpiredFields',
  'fateEvicted',
  'fateDeleted',
  'fateOverwritten',
  'fateMoved',
  'fateFlushed',
] as const satisfies readonly string[] & { readonly length: typeof KEY_FATES.length };

/** Returns how many keys have gone for each reason, over all shards. Every surface shows these sums. */
export function fateCounts(
  shards: readonly Page[],
): readonly (readonly [reason: (typeof KEY_FATES)[number], keys: number])[] {
  return KEY_FATES.map((reason, number) => {
    const counter = FATE_COUNTERS[number]!;
    return [reason, shards.reduce((sum, page) => sum + page.get(counter), 0)];
  });
}
