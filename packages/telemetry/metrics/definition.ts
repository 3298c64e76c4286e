/**
 * Definition of a metric: its name, what it means, and where its value is read. The table of these is the source of the
 * exposition in both formats, the JSON of the debug API, and the reference.
 */

import type {
  ClusterUpdate,
  Counts,
  DurabilityReport,
  LogFigures,
  NamedPages,
  Page,
  PageShape,
} from '#stats';
import type { Health, MetricKind, ReplicationState, Unit } from '#api-types';
import type { LabelledCounts } from './user-series.ts';
import type { Exemplar } from '../traces/exemplars.ts';
import type { TraceFigures } from '../traces/trace-store.ts';

/** Sources of all metrics at the time of a scrape. */
export interface MetricSource {
  readonly main: Page;
  readonly shards: readonly Page[];
  /** Pages of all threads that have one, and of the front threads alone, by the thread's name. */
  readonly threads: NamedPages;
  readonly fronts: NamedPages;
  /** Figures of each shard's log; empty without persistence. */
  readonly logs: readonly LogFigures[];
  readonly durability: DurabilityReport;
  readonly shape: PageShape;
  /** Counts of users under a bounded set of labels. */
  readonly users: readonly LabelledCounts[];
  /** Latest state of replicas and primary from main; undefined before the first one. */
  readonly replication: ReplicationState | undefined;
  /** Latest state of the cluster from main; undefined without a cluster. */
  readonly cluster: ClusterUpdate | undefined;
  /** Names of commands, by the ids that pages count by. */
  readonly commandNames: readonly string[];
  readonly version: string;
  readonly nowUs: number;
  readonly wallMs: number;
  readonly settings: {
    readonly maxClients: number;
    readonly memoryLimitBytes: number;
    /** There is an eviction policy. */
    readonly evicts: boolean;
    readonly slowLogLengthMax: number;
    readonly tracksLatency: boolean;
    /** Key prefixes that are counted. */
    readonly prefixes: readonly string[];
    readonly bands: { readonly isEnabled: boolean; readonly thresholdsMs: readonly number[] };
  };
  /** Content of each shard's request ring. */
  readonly queues: readonly { readonly frames: number; readonly bytes: number }[];
  readonly process: {
    readonly rssBytes: number;
    readonly userUs: number;
    readonly systemUs: number;
  };
  /** The id that the next entry of the slow log gets. */
  readonly slowLogUpcoming: number;
  /** Labels of an instance in redis_exporter, with their values. */
  readonly instance: Readonly<Record<string, string>>;
  readonly health: Health;
  /** Figures behind the verdict that no page has. */
  readonly verdict: VerdictFigures;
  /** The ops thread itself. */
  readonly ops: OpsFigures;
  /** Returns the latest trace in each bucket of a command's durations. */
  readonly exemplarsOf: (command: number) => readonly (Exemplar | undefined)[] | undefined;
}

/** Figures behind the verdict, by thread where they are of one. */
export interface VerdictFigures {
  /** Times since the start of the thread, as the system counts them. */
  readonly threadTimes: ReadonlyMap<string, { readonly waitUs: number }>;
  readonly stalledUs: ReadonlyMap<string, number>;
  /** Room on the disk of the data folder; undefined without persistence. */
  readonly room: { readonly freeBytes: number; readonly freeShare: number } | undefined;
}

/** Figures of the ops thread itself. */
interface OpsFigures {
  readonly connections: number;
  readonly connectionsRefused: number;
  /** HTTP requests, by class of the status code. */
  readonly answered: Readonly<Record<string, number>>;
  /** Duration of the last scrape. */
  readonly scrapeSeconds: number;
  readonly logLinesDropped: number;
  readonly traces: TraceFigures;
  /** Metrics pushes to a collector: accepted and failed ones. */
  readonly metricPushes: { readonly exported: number; readonly failed: number };
}

/** Receiver of a metric's values; label values come in the order of its labels. */
export interface Samples {
  value(value: number, ...labels: readonly string[]): void;
  /** `counts` are those of a page, in ticks. */
  histogram(counts: Counts, sumSeconds: number, ...labels: readonly string[]): void;
  /** Sets the exemplars of the next histogram's buckets, where they are shown. */
  exemplars(exemplars: BucketExemplars): void;
}

export interface MetricDefinition {
  readonly name: string;
  readonly kind: MetricKind;
  readonly unit: Unit;
  readonly labels: readonly string[];
  /** One sentence. */
  readonly help: string;
  /** Source of the value, in words. */
  readonly source: string;
  read(source: MetricSource, samples: Samples): void;
}

/** Exemplars by the buckets of a histogram. */
export type BucketExemplars = readonly (Exemplar | undefined)[] | undefined;

export type Head = Omit<MetricDefinition, 'kind' | 'unit' | 'labels' | 'source' | 'read'> & {
  readonly unit?: Unit;
  readonly labels?: readonly string[];
};

type Read = MetricDefinition['read'];

/** A metric with its own reader. */
export function metric(kind: MetricKind, head: Head, source: string, read: Read): MetricDefinition {
  return { unit: '', labels: [], ...head, kind, source, read };
}

export function sumOf(pages: readonly Page[], of: (page: Page) => number): number {
  return pages.reduce((sum, page) => sum + of(page), 0);
}

/** Keys, or what else is counted by database, of one page. */
export function overDatabases({ databases }: PageShape, of: (index: number) => number): number {
  let sum = 0;
  for (let index = 0; index < databases; index += 1) sum += of(index);
  return sum;
}
