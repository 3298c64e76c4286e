/** Results of `bench` as a document: the form of `--json`, from which text, CSV and the page are made. */

import { cpus } from 'node:os';
import { bucketHigh, bucketLow, percentileUs, TICKS_PER_US, totalCount } from '#stats';
import { VERSION } from '#config';
import { placeText } from '#net';
import type { BenchOptions } from '../options/bench-options.ts';
import type { BenchRun } from '../run/bench-run.ts';
import type { LoadResult } from '../run/load-run.ts';
import type { PhaseUse } from '../run/phases.ts';
import { cpuUsPerCommand, type ServerUse } from '../run/server-use.ts';
import { warningsOf } from './warnings.ts';

/** Fractions that are reported, by their names. */
const PERCENTILES = {
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  'p99.9': 0.999,
  'p99.99': 0.9999,
} as const;

type Percentile = keyof typeof PERCENTILES;

/** Latency in microseconds; percentiles are at most 0.8 % off, mean and maximum are of the buckets' middles and exact. */
export type LatencyDocument = Readonly<Record<Percentile | 'mean' | 'max', number>>;

interface CommandDocument {
  readonly commands: number;
  readonly errors: number;
  readonly latency_us: LatencyDocument;
  /** Time in which the server executed it, on average, by its own figures; null if unknown. */
  readonly execution_us: number | null;
}

interface ServerDocument {
  readonly address: string;
  readonly server: string;
  readonly commands: number | null;
  readonly cpu_us: number | null;
  readonly cpu_us_per_command: number | null;
  readonly by_command: Readonly<Record<string, { calls: number; execution_us: number }>>;
  readonly threads: readonly { readonly name: string; readonly cpu_us: number }[];
  readonly shards: ServerUse['shards'];
  readonly missing: readonly string[];
}

export interface RunDocument {
  /** Index in `servers`. */
  readonly server: number;
  /** From 1. */
  readonly round: number;
  readonly started_at: string;
  readonly seconds: number;
  readonly commands: number;
  readonly commands_per_sec: number;
  readonly warmup_commands: number;
  readonly errors: { readonly total: number; readonly by_code: Readonly<Record<string, number>> };
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly latency_us: LatencyDocument;
  readonly by_command: Readonly<Record<string, CommandDocument>>;
  /** Upper ends of the histogram's buckets in microseconds, each with the number of commands up to there. */
  readonly distribution: readonly (readonly [us: number, commands: number])[];
  readonly series: readonly SeriesDocument[];
  readonly redirects: { readonly moved: number; readonly ask: number };
  readonly connections_lost: number;
  readonly loss_reasons: readonly string[];
  readonly unanswered: number;
  readonly unsent: number;
  readonly interrupted: boolean;
  readonly generator: {
    readonly threads: readonly { cpu_percent: number | null; wait_percent: number | null }[];
    /** Times by which commands were sent late for no fault of the server; null in a closed loop. */
    readonly late_us: { readonly p50: number; readonly p99: number; readonly max: number } | null;
  };
  readonly nodes: readonly ServerDocument[];
  readonly cpu_us_per_command: number | null;
  /** Phases of the commands inside of svc, by --metrics. */
  readonly phases: readonly PhaseDocument[];
  readonly warnings: readonly string[];
}

interface PhaseDocument {
  readonly phase: string;
  /** Thread, shard or command that it is of; empty for all. */
  readonly of: string;
  readonly count: number;
  readonly mean_us: number;
  /** Bound that 99 of a hundred were within; null beyond the last bound. */
  readonly p99_within_us: number | null;
}

export interface SeriesDocument {
  readonly second: number;
  readonly commands: number;
  readonly errors: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly 'p99.9_us': number;
  readonly max_us: number;
}

/** Figures that servers are compared by. */
export interface ComparedFigures {
  readonly commands_per_sec: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly 'p99.9_us': number;
  readonly cpu_us_per_command: number | null;
}

export interface BenchDocument {
  readonly generator: {
    readonly version: string;
    readonly node: string;
    readonly processors: number;
  };
  readonly options: BenchOptions['given'];
  readonly servers: readonly string[];
  readonly runs: readonly RunDocument[];
  /** Median of each figure over the rounds, by server, and the first server's divided by the other's. */
  readonly comparison: {
    readonly medians: readonly ComparedFigures[];
    readonly ratios: ComparedFigures;
  } | null;
  readonly failure: string | null;
}

/** Makes the document. */
export function benchDocument(
  options: BenchOptions,
  runs: readonly BenchRun[],
  failure: string | undefined,
): BenchDocument {
  const documents = runs.map((run) => runDocument(run, options));
  const servers = options.places.map(placeText);
  return {
    generator: { version: VERSION, node: process.version, processors: cpus().length },
    options: options.given,
    servers,
    runs: documents,
    comparison: comparisonOf(servers.length, documents),
    failure: failure ?? null,
  };
}

function runDocument(
  { server, round, load, use, phases }: BenchRun,
  options: BenchOptions,
): RunDocument {
  const isOpen = options.plan.rate > 0;
  return {
    server,
    round: round + 1,
    started_at: new Date(load.startedAtMs).toISOString(),
    seconds: load.seconds,
    commands: load.commands,
    commands_per_sec: perSecond(load),
    warmup_commands: load.warmupCommands,
    errors: { total: load.errorCount, by_code: load.errors },
    bytes_in: load.bytesIn,
    bytes_out: load.bytesOut,
    latency_us: latencyDocument(load.latency, load.maxUs),
    by_command: commandDocuments(load, use, options),
    distribution: distributionOf(load.latency),
    series: load.series.map((point) => ({
      second: point.second,
      commands: point.commands,
      errors: point.errors,
      bytes_in: point.bytesIn,
      bytes_out: point.bytesOut,
      p50_us: point.p50Us,
      p99_us: point.p99Us,
      'p99.9_us': point.p999Us,
      max_us: point.maxUs,
    })),
    redirects: { moved: load.moved, ask: load.asked },
    connections_lost: load.connectionsLost,
    loss_reasons: load.lossReasons,
    unanswered: load.unanswered,
    unsent: load.unsent,
    interrupted: load.isInterrupted,
    generator: {
      threads: load.threads.map(({ cpuPercent, waitPercent }) => ({
        cpu_percent: orNull(cpuPercent),
        wait_percent: orNull(waitPercent),
      })),
      late_us: isOpen ? lateDocument(load.late) : null,
    },
    nodes: use.map((each) => serverDocument(each, use.length === 1 ? load.commands : 0)),
    cpu_us_per_command: cpuUsPerCommand(use, load.commands) ?? null,
    phases: phaseDocuments(phases, options),
    warnings: warningsOf(load, options.plan),
  };
}

/** Leaves out the execution of commands that are not of the load: the server was asked for its figures, too. */
function phaseDocuments(phases: readonly PhaseUse[], { plan }: BenchOptions): PhaseDocument[] {
  const names = plan.commands.map(({ template }) => template.name.toLowerCase());
  const isOfLoad = ({ phase, of }: PhaseUse): boolean =>
    phase !== 'execution' || names.includes(of.split('|')[0] ?? '');
  return phases.filter(isOfLoad).map(({ phase, of, count, meanUs, p99WithinUs }) => ({
    phase,
    of,
    count,
    mean_us: meanUs,
    p99_within_us: orNull(p99WithinUs),
  }));
}

function commandDocuments(
  { byCommand }: LoadResult,
  use: readonly ServerUse[],
  { plan }: BenchOptions,
): RunDocument['by_command'] {
  const verbs = new Map(plan.commands.map(({ name, template }) => [name, template.name]));
  return Object.fromEntries(
    byCommand.map(({ name, commands, errors, latency, maxUs }) => [
      name,
      {
        commands,
        errors,
        latency_us: latencyDocument(latency, maxUs),
        execution_us: executionUs(use, verbs.get(name) ?? name),
      },
    ]),
  );
}

/** Returns the mean execution time of a command on all nodes. */
function executionUs(use: readonly ServerUse[], name: string): number | null {
  const found = use.flatMap(({ byCommand }) => byCommand[name.toLowerCase()] ?? []);
  const calls = found.reduce((sum, each) => sum + each.calls, 0);
  return calls > 0 ? found.reduce((sum, each) => sum + each.us, 0) / calls : null;
}

function perSecond({ commands, seconds }: LoadResult): number {
  return seconds > 0 ? commands / seconds : 0;
}

function orNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function latencyDocument(counts: Float64Array, maxUs: number): LatencyDocument {
  const entries = Object.entries(PERCENTILES).map(([name, fraction]) => {
    // A bucket may reach beyond the greatest value in it.
    return [name, Math.min(percentileUs(counts, fraction), maxUs)] as const;
  });
  return {
    ...(Object.fromEntries(entries) as Record<Percentile, number>),
    mean: meanUs(counts),
    max: maxUs,
  };
}

function meanUs(counts: Float64Array): number {
  const total = totalCount(counts);
  let sum = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0) sum += count * ((bucketHigh(bucket) + bucketLow(bucket)) / 2 / TICKS_PER_US);
  }
  return total > 0 ? sum / total : 0;
}

function distributionOf(counts: Float64Array): [number, number][] {
  const points: [number, number][] = [];
  let sum = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count === 0) continue;
    sum += count;
    points.push([bucketHigh(bucket) / TICKS_PER_US, sum]);
  }
  return points;
}

function lateDocument(late: Float64Array): { p50: number; p99: number; max: number } {
  return {
    p50: percentileUs(late, 0.5),
    p99: percentileUs(late, 0.99),
    max: percentileUs(late, 1),
  };
}

function serverDocument(use: ServerUse, sent: number): ServerDocument {
  return {
    address: use.address,
    server: use.server,
    commands: use.commands ?? null,
    cpu_us: use.cpuUs ?? null,
    cpu_us_per_command: cpuUsPerCommand([use], sent) ?? null,
    by_command: Object.fromEntries(
      Object.entries(use.byCommand).map(([name, { calls, us }]) => [
        name,
        { calls, execution_us: us },
      ]),
    ),
    threads: use.threads.map(({ name, cpuUs }) => ({ name, cpu_us: cpuUs })),
    shards: use.shards,
    missing: use.missing,
  };
}

function comparisonOf(servers: number, runs: readonly RunDocument[]): BenchDocument['comparison'] {
  if (servers < 2) return null;
  const [first, second] = Array.from({ length: servers }, (_, server) =>
    mediansOf(runs.filter((run) => run.server === server)),
  );
  if (first === undefined || second === undefined) return null;
  const cpu = [first.cpu_us_per_command, second.cpu_us_per_command] as const;
  return {
    medians: [first, second],
    ratios: {
      commands_per_sec: first.commands_per_sec / second.commands_per_sec,
      p50_us: first.p50_us / second.p50_us,
      p99_us: first.p99_us / second.p99_us,
      'p99.9_us': first['p99.9_us'] / second['p99.9_us'],
      cpu_us_per_command: cpu[0] === null || cpu[1] === null ? null : cpu[0] / cpu[1],
    },
  };
}

function mediansOf(runs: readonly RunDocument[]): ComparedFigures | undefined {
  if (runs.length === 0) return undefined;
  const of = (pick: (run: RunDocument) => number): number => median(runs.map(pick));
  const cpu = runs.flatMap(({ cpu_us_per_command: us }) => (us === null ? [] : [us]));
  return {
    commands_per_sec: of((run) => run.commands_per_sec),
    p50_us: of((run) => run.latency_us.p50),
    p99_us: of((run) => run.latency_us.p99),
    'p99.9_us': of((run) => run.latency_us['p99.9']),
    cpu_us_per_command: cpu.length === 0 ? null : median(cpu),
  };
}

/** Median of an odd number of values; of an even number the mean of the two in the middle. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >>> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}
