/** A sample as it is kept, and what is told of it. */

import type { LivePart, LiveSample, LiveTimes, LiveTotals } from '#documents';

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
    shards: parts.has('shard-samples') ? shards.map(shownShard) : [],
  };
}

function shownShard({ ops, busyPercent, times }: KeptShard): LiveSample['shards'][number] {
  return {
    ops,
    busy_percent: busyPercent,
    execute_p99_us: times.execute?.p99_us ?? null,
    queue_p99_us: times.queue?.p99_us ?? null,
  };
}
