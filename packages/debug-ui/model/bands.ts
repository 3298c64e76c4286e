/** Requests by latency band, added up over samples. */

import type { LiveSample } from './api.ts';

export interface BandRow {
  readonly counts: readonly number[];
  readonly total: number;
}

/** One row for each shard. Samples from before the thresholds were changed have another number of bands: left out. */
export function sumBands(samples: readonly LiveSample[], bandCount: number): BandRow[] {
  const shardCount = samples.at(-1)?.shards.length ?? 0;
  return Array.from({ length: shardCount }, (_, shard) => {
    const counts = new Array<number>(bandCount).fill(0);
    for (const sample of samples) {
      const bands = sample.shards[shard]?.bands ?? [];
      if (bands.length !== bandCount) continue;
      bands.forEach((value, index) => (counts[index]! += value));
    }
    return { counts, total: counts.reduce((sum, value) => sum + value, 0) };
  });
}
