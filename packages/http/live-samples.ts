/** A sample as it is kept, and what is told of it. */

import type { LivePart, LiveSample, LiveShards, LiveTimes, LiveTotals } from '#documents';

export interface KeptSample {
  readonly seq: number;
  readonly time_ms: number;
  readonly totals: LiveTotals;
  readonly times: LiveTimes;
  readonly shards: readonly KeptShard[];
}

export interface KeptShard {
  readonly ops: number;
  readonly busyPercent: number;
  readonly times: LiveTimes;
  /** Requests of this second by band, the last over the last threshold; empty while bands are off. */
  readonly bands: readonly number[];
}

/** The parts that are drawn; `shard` is whose times they are, null for all shards'. */
export function shownSample(
  { seq, time_ms, totals, times, shards }: KeptSample,
  parts: ReadonlySet<LivePart>,
  shard: number | null,
): LiveSample {
  return {
    seq,
    time_ms,
    totals: parts.has('totals') ? totals : null,
    times: parts.has('times') ? (shard === null ? times : shards[shard]!.times) : null,
    shards: parts.has('shard-samples') ? shownShards(shards) : null,
  };
}

function shownShards(shards: readonly KeptShard[]): LiveShards {
  return {
    ops: shards.map(({ ops }) => ops),
    busy_percent: shards.map(({ busyPercent }) => busyPercent),
    execute_p99_us: shards.map(({ times }) => times.execute?.p99_us ?? null),
    queue_p99_us: shards.map(({ times }) => times.queue?.p99_us ?? null),
  };
}
