/**
 * Figures of each script and function: counted by each shard for itself, and added up by main.
 *
 * Times are counted in the buckets of the histograms of commands, four of them together: a percentile is at most 3 % off,
 * and a thousand scripts take 2 MiB.
 */

import {
  bucketHigh,
  bucketLow,
  bucketOf,
  HISTOGRAM_BUCKETS,
  TICKS_PER_US,
} from '../page/histogram.ts';
import { shardCall } from '../calls/shard-calls.ts';

/** Bits of a bucket's number that do not count here. */
const COARSE_BITS = 2;
const BUCKETS = HISTOGRAM_BUCKETS >> COARSE_BITS;

/** Figures of one script or function that add up. */
interface ScriptSums {
  /** Runs that have ended. */
  readonly calls: number;
  readonly errors: number;
  /** Microseconds of all runs together, and of the longest. */
  readonly us: number;
  readonly usMax: number;
  /** Keys that were declared. */
  readonly keys: number;
  /** Commands that were called. */
  readonly commands: number;
  /** Commands among them that main had to run. */
  readonly callsOnMain: number;
  /** Number of runs for which the other shards stopped. */
  readonly barrierRuns: number;
  /** Runs that SCRIPT KILL or FUNCTION KILL has stopped. */
  readonly killed: number;
}

interface ScriptName {
  /** The script's digest, or the function's library and name with a dot between them. */
  readonly name: string;
  readonly isFunction: boolean;
  /** Bytes of the source; those of the whole library for a function. */
  readonly sourceBytes: number;
}

/** Figures of one script or function on one shard. */
export interface ScriptFigures extends ScriptName, ScriptSums {
  /** Histogram of the times: buckets that are not empty, and their counts by turns. */
  readonly times: readonly number[];
}

/** Figures of one script or function over all shards; times are whole microseconds. */
export interface ScriptReport extends ScriptName, ScriptSums {
  readonly usP50: number;
  readonly usP99: number;
}

/** Returns the statistics of all scripts and functions that a shard has recorded. */
export const SCRIPT_STATS = shardCall<null, readonly ScriptFigures[]>('script-stats');

/** Returns the functions of a shard that do not write, by their names in lower case. */
export const READ_ONLY_FUNCTIONS = shardCall<null, readonly string[]>('read-only-functions');

/** Returns the functions of a shard that keep no state between calls, by their names in lower case. */
export const STATELESS_FUNCTIONS = shardCall<null, readonly string[]>('stateless-functions');

/** Histogram of how long one script has run. */
export class ScriptTimes {
  readonly #counts = new Uint32Array(BUCKETS);

  add(us: number): void {
    this.#counts[bucketOf(us * TICKS_PER_US) >> COARSE_BITS]! += 1;
  }

  /** Buckets that are not empty, and their counts by turns. */
  get times(): readonly number[] {
    const times: number[] = [];
    for (const [bucket, count] of this.#counts.entries()) if (count > 0) times.push(bucket, count);
    return times;
  }
}

/** Adds up the figures of all shards; the script that has run longest, all runs together, comes first. */
export function mergeScripts(shards: readonly (readonly ScriptFigures[])[]): ScriptReport[] {
  const merged = new Map<string, ScriptFigures[]>();
  for (const figures of shards.flat()) {
    const parts = merged.get(figures.name);
    if (parts === undefined) merged.set(figures.name, [figures]);
    else parts.push(figures);
  }
  return [...merged.values()].map(reportOf).sort((a, b) => b.us - a.us);
}

function reportOf(parts: readonly ScriptFigures[]): ScriptReport {
  const { name, isFunction, sourceBytes } = parts.at(-1)!;
  const sum = (of: (part: ScriptFigures) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  const usMax = parts.reduce((most, part) => Math.max(most, part.usMax), 0);
  const counts = new Float64Array(BUCKETS);
  for (const { times } of parts) {
    for (let at = 0; at < times.length; at += 2) counts[times[at]!]! += times[at + 1]!;
  }
  return {
    name,
    isFunction,
    sourceBytes,
    calls: sum(({ calls }) => calls),
    errors: sum(({ errors }) => errors),
    us: Math.round(sum(({ us }) => us)),
    usMax: Math.round(usMax),
    keys: sum(({ keys }) => keys),
    commands: sum(({ commands }) => commands),
    callsOnMain: sum(({ callsOnMain }) => callsOnMain),
    barrierRuns: sum(({ barrierRuns }) => barrierRuns),
    killed: sum(({ killed }) => killed),
    usP50: Math.round(Math.min(usMax, percentileUs(counts, 0.5))),
    usP99: Math.round(Math.min(usMax, percentileUs(counts, 0.99))),
  };
}

/** The time below or at which `fraction` of all lie: the middle of its bucket. */
function percentileUs(counts: Float64Array, fraction: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const wanted = Math.max(1, Math.ceil(total * fraction));
  let seen = 0;
  const bucket = counts.findIndex((count) => (seen += count) >= wanted);
  if (bucket < 0) return 0;
  const first = bucket << COARSE_BITS;
  const last = first + (1 << COARSE_BITS) - 1;
  return (bucketLow(first) + bucketHigh(last)) / 2 / TICKS_PER_US;
}
