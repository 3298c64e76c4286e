/** Stored samples, and their JSON form. */

import type {
  LiveColumns,
  LivePart,
  LiveReplication,
  LiveSample,
  LiveShards,
  LiveTimes,
  LiveTotals,
} from '#api-types';

export interface KeptSample {
  readonly seq: number;
  readonly time_ms: number;
  readonly totals: LiveTotals;
  readonly times: LiveTimes;
  readonly shards: readonly KeptShard[];
  readonly replication: LiveReplication;
}

export interface KeptShard {
  readonly ops: number;
  readonly busyPercent: number;
  readonly times: LiveTimes;
  /** Requests of this second by band, the last over the last threshold; empty while bands are off. */
  readonly bands: readonly number[];
}

/** The parts that are drawn; `shard` is whose times they are, null for all shards'. */
export function shownSamples(
  samples: readonly KeptSample[],
  parts: ReadonlySet<LivePart>,
  shard: number | null,
): LiveColumns {
  const shown = samples.map((sample) => shownSample(sample, parts, shard));
  const columns = (name: 'totals' | 'times' | 'shards' | 'replication'): unknown =>
    columnsOf(shown.map((sample) => sample[name] as Cell));
  return {
    first_seq: shown[0]?.seq ?? null,
    first_time_ms: shown[0]?.time_ms ?? null,
    after_ms: shown.map(({ time_ms }, index) => time_ms - (shown[index - 1]?.time_ms ?? time_ms)),
    totals: columns('totals') as LiveColumns['totals'],
    times: columns('times') as LiveColumns['times'],
    shards: columns('shards') as LiveColumns['shards'],
    replication: columns('replication') as LiveColumns['replication'],
  };
}

type Cell = null | number | readonly Cell[] | { readonly [name: string]: Cell };

/** Turns a list of values into one value of lists, as deep as they are; null where all are null. */
export function columnsOf(values: readonly Cell[]): Cell {
  const known = values.find((value) => value !== null) ?? null;
  if (typeof known !== 'object' || known === null) return known === null ? null : values;
  const column = (name: string): Cell =>
    columnsOf(values.map((value) => (value as Record<string, Cell> | null)?.[name] ?? null));
  if (Array.isArray(known)) return known.map((_, index) => column(String(index)));
  return Object.fromEntries(Object.keys(known).map((name) => [name, column(name)]));
}

function shownSample(
  { seq, time_ms, totals, times, shards, replication }: KeptSample,
  parts: ReadonlySet<LivePart>,
  shard: number | null,
): LiveSample {
  return {
    seq,
    time_ms,
    totals: parts.has('totals') ? totals : null,
    times: parts.has('times') ? (shard === null ? times : shards[shard]!.times) : null,
    shards: parts.has('shard-samples') ? shownShards(shards) : null,
    replication: parts.has('replication') ? replication : null,
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
