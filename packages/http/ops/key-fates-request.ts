/** Request to main for keys that have gone, and its reply. */

import type { KeyDeathReport } from '#api-types';

export interface KeyDeathsQuestion {
  /** Infinity: all. */
  readonly count: number;
  /** Key to report alone, with the emptying of its database; null for all keys. */
  readonly of: { readonly db: number; readonly key: Uint8Array } | null;
}

export interface KeyDeathsAnswer {
  readonly deaths: readonly KeyDeathReport[];
  /** Deaths that are kept. */
  readonly kept: number;
  readonly missing_shards: readonly number[];
}
