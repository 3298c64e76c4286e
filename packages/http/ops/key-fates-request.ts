/** What is asked of main for keys that have gone, and what it answers. */

import type { KeyDeathReport } from '#api-types';

export interface KeyDeathsQuestion {
  /** Infinity: all. */
  readonly count: number;
  /** Of this key alone, and of its database when that was emptied. */
  readonly of: { readonly db: number; readonly key: Uint8Array } | null;
}

export interface KeyDeathsAnswer {
  readonly deaths: readonly KeyDeathReport[];
  /** Deaths that are kept. */
  readonly kept: number;
  readonly missing_shards: readonly number[];
}
