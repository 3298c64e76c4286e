/** Rows of a page for the configured key prefixes: a row of fields for each, and one more for the other keys. */

import { KEY_PREFIXES_MAX } from '#base';

/** Fields of a row of a key prefix; the last two are of a walk over all keys. */
export const PrefixField = {
  ops: 0,
  hits: 1,
  misses: 2,
  inputBytes: 3,
  outputBytes: 4,
  keys: 5,
  memoryBytes: 6,
} as const;
export const PREFIX_FIELDS = 7;
/** One row more, for keys with none of the prefixes. */
export const PREFIX_ROWS = KEY_PREFIXES_MAX + 1;
