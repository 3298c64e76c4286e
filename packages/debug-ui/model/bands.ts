/** Requests by latency band: rows to show, and how much each deserves a look. */

import type { LiveBands } from './api.ts';

interface BandRow {
  readonly shard: number;
  readonly counts: readonly number[];
  readonly total: number;
}

/** 0: nothing to look at, 3: the most. */
type Heat = 0 | 1 | 2 | 3;

/** A share from which a band has the heat of its index, and the requests that it takes beside. */
const SHARES = [0, 0, 0.001, 0.01];
const REQUESTS = [0, 1, 10, 100];

export function bandRows({ shards }: LiveBands): BandRow[] {
  return shards.map((counts, shard) => ({
    shard,
    counts,
    total: counts.reduce((sum, value) => sum + value, 0),
  }));
}

/** The first band is where requests should be. Another one is as hot as its share, unless they are a few only. */
export function heatOf(band: number, count: number, total: number): Heat {
  if (band === 0 || count === 0) return 0;
  const levels = [3, 2, 1] as const;
  const share = count / total;
  return levels.find((level) => share > SHARES[level]! && count >= REQUESTS[level]!) ?? 0;
}
