/** Request to main for removed keys, and its reply. */

import type { RemovedKeyReport } from '#api-types';

export interface RemovedKeysQuestion {
  /** Infinity: all. */
  readonly count: number;
  /** Key to report alone, with the emptying of its database; null for all keys. */
  readonly of: { readonly db: number; readonly key: Uint8Array } | null;
}

export interface RemovedKeysAnswer {
  readonly removed_keys: readonly RemovedKeyReport[];
  /** Removed keys that are kept. */
  readonly kept: number;
  readonly missing_shards: readonly number[];
}
