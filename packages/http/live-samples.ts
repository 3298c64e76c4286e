/** A sample as it is kept, and what is told of it. */

import type { LiveLatency, LivePart, LiveSample, LiveTotals } from '#documents';

export interface KeptSample {
  readonly seq: number;
  readonly time_ms: number;
  readonly totals: LiveTotals;
  readonly shards: readonly KeptShard[];
}

export interface KeptShard {
  readonly ops: number;
  readonly busyPercent: number;
  readonly execute: LiveLatency | null;
  readonly queue: LiveLatency | null;
  /** Requests of this second by band, the last over the last threshold; empty while bands are off. */
  readonly bands: readonly number[];
}

/** The parts that are drawn; `shard` is whose times stand in the totals, null for all shards'. */
export function shownSample(
  { seq, time_ms, totals, shards }: KeptSample,
  parts: ReadonlySet<LivePart>,
  shard: number | null,
): LiveSample {
  const timesOf = shard === null ? totals : shards[shard]!;
  const { execute, queue } = timesOf;
  return {
    seq,
    time_ms,
    totals: parts.has('totals') ? { ...totals, execute, queue } : null,
    shards: parts.has('shard-samples') ? shards.map(shownShard) : [],
  };
}

function shownShard({ ops, busyPercent, execute, queue }: KeptShard): LiveSample['shards'][number] {
  return {
    ops,
    busy_percent: busyPercent,
    execute_p99_us: execute?.p99_us ?? null,
    queue_p99_us: queue?.p99_us ?? null,
  };
}
