/**
 * One reading of everything that is counted: what INFO and other reports are rendered from.
 *
 * Large because it is one reading: each field is a value that several reports show, taken at the same moment.
 */

import type { ResidentParts } from '#base';
import { type ClientPort, databaseCountOf } from '#commands';
import type { Settings } from '#config';
import type { Counter } from '#quantities';
import {
  type CommandField,
  type Counts,
  durabilityReport,
  type DurabilityReport,
  fragmentation,
  type Fragmentation,
  HISTOGRAM_BUCKETS,
  type LatencyBaseline,
  type LogFigure,
  type LogFigures,
  mergeExecutions,
  type NamedPages,
  type Page,
  type Rate,
  sumOfLogs,
  type ThreadRates,
  uptimeSeconds,
  usedMemory,
} from '#stats';
import type { Replication } from '#replication';

export interface Rates {
  readonly main: ThreadRates;
  readonly shards: readonly ThreadRates[];
  readonly bytesRead: Rate;
  readonly bytesWritten: Rate;
}

interface ServerMetricsOptions {
  readonly settings: Settings;
  readonly main: Page;
  readonly shards: readonly Page[];
  /** Pages of all threads, by the thread's name. */
  readonly threads: NamedPages;
  readonly clients: readonly ClientPort[];
  readonly rates: Rates;
  readonly runId: string;
  readonly replication: Replication;
  readonly nowMs: number;
  readonly nowUs: number;
  readonly rssBytes: number;
  readonly resident: ResidentParts | undefined;
  /** Results of the latency test at the start, if there was one. */
  readonly baseline: LatencyBaseline | undefined;
  readonly linkBytes: number;
  /** Records of the logs that are not written to a file yet. */
  readonly logBufferBytes: number;
  readonly executable: string;
  /** Interface that main waits for sockets with. */
  readonly multiplexingApi: string;
  readonly logs: readonly LogFigures[];
}

export class ServerMetrics {
  readonly settings: Settings;
  readonly main: Page;
  readonly shards: readonly Page[];
  /** Pages of the threads by their names in INFO, such as `shard0`. */
  readonly threads: NamedPages;
  readonly clients: readonly ClientPort[];
  readonly rates: Rates;
  readonly runId: string;
  readonly replication: Replication;
  readonly nowMs: number;
  readonly nowUs: number;
  readonly uptimeSeconds: number;
  readonly rssBytes: number;
  /** The most that `usedBytes` of all shards has been together. */
  readonly peakBytes: number;
  readonly resident: ResidentParts | undefined;
  readonly baseline: LatencyBaseline | undefined;
  readonly linkBytes: number;
  readonly logBufferBytes: number;
  readonly executable: string;
  readonly multiplexingApi: string;
  readonly durability: DurabilityReport;
  /** A figure of all logs together. */
  readonly logTotals: (figure: LogFigure) => number;

  constructor(options: ServerMetricsOptions) {
    this.settings = options.settings;
    this.main = options.main;
    this.shards = options.shards;
    this.threads = options.threads.map(([name, page]) => [name.replace('-', ''), page]);
    this.clients = options.clients;
    this.rates = options.rates;
    this.runId = options.runId;
    this.replication = options.replication;
    this.nowMs = options.nowMs;
    this.nowUs = options.nowUs;
    this.uptimeSeconds = uptimeSeconds(options.main, options.nowUs);
    this.rssBytes = options.rssBytes;
    this.peakBytes = Math.max(options.main.get('peakBytes'), this.usedBytes);
    this.resident = options.resident;
    this.baseline = options.baseline;
    this.linkBytes = options.linkBytes;
    this.logBufferBytes = options.logBufferBytes;
    this.executable = options.executable;
    this.multiplexingApi = options.multiplexingApi;
    const mode = options.settings.string('persistence.durability-mode');
    this.durability = durabilityReport({ ...options, mode });
    this.logTotals = (figure) => sumOfLogs(options.logs, figure);
  }

  get shardCount(): number {
    return this.shards.length;
  }

  /** Bytes of the sources of scripts that EVALSHA knows. */
  get scriptBytes(): number {
    return this.main.get('scriptSourceBytes');
  }

  /** Bytes of the sources of libraries, which every shard has. */
  get libraryBytes(): number {
    return Math.max(...this.shards.map((page) => page.get('libraryBytes')));
  }

  /** A counter over all shards. */
  total(counter: Counter): number {
    return this.shards.reduce((sum, page) => sum + page.get(counter), 0);
  }

  /** A command's count over all threads. */
  command(id: number, field: keyof typeof CommandField): number {
    const inShards = this.shards.reduce((sum, page) => sum + page.command(id, field), 0);
    return inShards + this.main.command(id, field);
  }

  /** A command's histogram of execution, over all threads. */
  histogram(id: number): Counts {
    const counts = new Float64Array(HISTOGRAM_BUCKETS);
    mergeExecutions([this.main, ...this.shards], id, counts);
    return counts;
  }

  /** Keys of all databases on all shards. */
  get keyCount(): number {
    let count = 0;
    for (const page of this.shards) {
      for (let index = 0; index < this.databases; index += 1) count += page.keys(index);
    }
    return count;
  }

  get databases(): number {
    return databaseCountOf(this.settings);
  }

  /** Memory that maxmemory limits. */
  get usedBytes(): number {
    return usedMemory(this.main, this.shards);
  }

  /** Ratio of resident memory to used memory. */
  get fragmentation(): Fragmentation {
    return fragmentation(this.rssBytes, this.main, this.shards);
  }

  /** Memory of records, and memory allocated for them; both include the empty server, as in Redis. */
  get allocator(): { readonly allocated: number; readonly active: number } {
    const startup = this.main.get('startupBytes');
    const allocated = startup + this.total('recordBytes');
    return { allocated, active: Math.max(allocated, startup + this.total('segmentBytes')) };
  }

  /** Memory that clients take. */
  get clientBytes(): number {
    return this.main.get('clientMemoryBytes');
  }

  /** Memory of the connections of replicas, and of what is kept for them beside the backlog, a part of what they share. */
  get replicaBytes(): number {
    const kept = Math.max(0, this.main.get('replicationBytes') - this.main.get('backlogBytes'));
    return this.clients.reduce(
      (sum, { roles, memoryBytes }) => (roles.isReplica ? sum + memoryBytes : sum),
      kept,
    );
  }
}
