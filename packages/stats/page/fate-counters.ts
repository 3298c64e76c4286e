/** The counters of a page that say why keys have gone. */

import type { KEY_FATES } from '#base';

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
