/** Contents and activity of each shard. */

import type { ShardStatus } from './status.ts';

export interface ShardStatsDocument {
  readonly shards: readonly ShardStatsReport[];
  /** Shards that did not answer in time: what only they know is null. */
  readonly missing_shards: readonly number[];
}

interface ShardStatsReport extends Omit<ShardStatus, 'id' | 'executing'> {
  readonly shard_id: number;
  /** In memory, and on the disk tier. */
  readonly hot_keys: number | null;
  readonly warm_keys: number | null;
}
