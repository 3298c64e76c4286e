/** Ports of the server that commands about it use. `server` implements these; tests imitate them. */

import type { Bytes, CommandError } from '#base';
import type { HotWindowReport } from '#stats';
import type { BundleReport, TraceReport } from '#api-types';
import type { ClientPort, MainContext } from '../../contexts/contexts.ts';
import type { CommandTable } from '../../definition/command-table.ts';
import type { FailoverPort } from './failover-port.ts';
import type { ReplicasPort } from './replicas-port.ts';

/** Settings under Redis' names, as text. */
export interface SettingsPort {
  /** Names and values of the settings that match any of the glob patterns, each once. */
  get(patterns: readonly string[]): readonly (readonly [name: string, value: string])[];
  /**
   * Changes all settings, or none and throws the CommandError to return; returns a promise if asynchronous work is
   * needed, which rejects with the reason. While shards are stopped for the client, `mayWait` is false, and no shard is
   * waited for. The log names the client.
   */
  set(
    pairs: readonly (readonly [name: string, value: string])[],
    mayWait: boolean,
    client: ClientPort,
  ): Promise<void> | undefined;
  /** Resolves when the last change is in effect on all threads and visible in reports. */
  shown(mayWait: boolean): Promise<void>;
  /** Writes changed settings to the file they came from; throws the CommandError to answer. */
  rewrite(): void;
}

/** Replication role of the server, as in ROLE. */
export type RoleReport =
  | { readonly role: 'master' }
  | {
      readonly role: 'slave';
      readonly host: string;
      readonly port: number;
      readonly state: string;
      readonly offset: number;
    };

export interface ReplicationPort {
  readonly role: RoleReport;
  /** Makes the server a replica; false when it is one of that primary. */
  replicaOf(host: string, port: number): boolean;
  /** Makes the server a primary with its current data. */
  replicaOfNone(): void;
  /** Takes over from this server's primary; returns false if the id is not that of its stream. */
  takeOver(id: string): boolean;
  /** Error for replicas that connect while no replication is possible. */
  readonly syncRefusal: CommandError | undefined;
  readonly failover: FailoverPort;
}

interface InfoPort {
  /** The report with these sections, in lower case; the default ones when none is named. */
  render(sections: readonly string[]): string;
}

interface StatusPort {
  /** The status document. */
  json(): string;
}

/** A part of MEMORY STATS: a number of bytes, a share, or a tree of such. */
type MemoryValue = number | { readonly double: number } | MemoryTree;
export type MemoryTree = readonly (readonly [name: string, value: MemoryValue])[];

export interface MemoryPort {
  /** Reads the system's books itself, which holds up everybody for some milliseconds. */
  stats(): MemoryTree;
  /** Has them read by another thread. */
  statsLater(): Promise<MemoryTree>;
  /** Describes what seems wrong, and what to do about it. */
  latencyMonitor(): string;
  allocator(): string;
  /** Makes the shards return unused memory to the system; resolves when they have. */
  purge(): Promise<void>;
}

export type HotKeysMetric = 'cpu' | 'net';

/** Options with which a session of HOTKEYS begins. */
export interface HotKeysStart {
  /** Metrics that keys are ranked by, the first one first. */
  readonly metrics: readonly HotKeysMetric[];
  readonly count: number;
  /** 0: without end. */
  readonly durationMs: number;
  readonly sample: number;
  /** Empty: all. */
  readonly slots: readonly number[];
}

export interface HotKeyEntry {
  readonly key: Bytes;
  readonly calls: number;
  readonly us: number;
  readonly bytes: number;
  /** Most of the key's ranking metric that may belong to other keys. */
  readonly error: number;
}

export interface HotKeysReport {
  readonly options: HotKeysStart;
  readonly state: 'active' | 'stopped';
  readonly startedMs: number;
  readonly elapsedMs: number;
  /** Totals of all commands, and of those with keys. */
  readonly allUs: number;
  readonly allBytes: number;
  readonly keyedUs: number;
  readonly keyedBytes: number;
  /** Processor time of the process during the session. */
  readonly userUs: number;
  readonly systemUs: number;
  /** Totals of the commands with keys in the chosen slots, and of those of them that were looked at. */
  readonly selectedUs: number;
  readonly selectedBytes: number;
  readonly sampledUs: number;
  readonly sampledBytes: number;
  readonly byMetric: Readonly<Record<HotKeysMetric, readonly HotKeyEntry[]>>;
  /** Shards that did not answer in time. */
  readonly missingShards: readonly number[];
}

/** The last whole window. */
export interface HotWindow extends HotWindowReport {
  /** Shards that did not answer in time. */
  readonly missingShards: readonly number[];
}

export interface HotKeysPort {
  /** True when keys are watched all the time. */
  readonly hasWindows: boolean;
  /** Null while no window has been watched from its beginning to its end. */
  window(): Promise<HotWindow | null>;
  readonly state: 'idle' | 'active' | 'stopped';
  readonly isCluster: boolean;
  /** True when this node of a cluster serves the slot. */
  servesSlot(slot: number): boolean;
  start(options: HotKeysStart): void;
  stop(): void;
  reset(): void;
  report(): Promise<HotKeysReport | null>;
}

/** Diagnostic bundles; what cannot be done rejects with the reason. */
export interface BundlesPort {
  generate(): Promise<BundleReport>;
  list(): Promise<readonly BundleReport[]>;
}

/** Fields of an event: those that every one has (`time_us`, `thread`, `event`), then those of its kind. */
export type FlightEntryReport = Readonly<Record<string, number | string | null>>;

interface FlightPort {
  /** The latest events of all threads, or of one, oldest first. */
  newest(count: number, thread?: string): readonly FlightEntryReport[];
}

export interface ThreadsPort {
  /** `main`, `shard-0` and so on, `ops`. */
  readonly names: readonly string[];
  /** Returns a .cpuprofile file (JSON) of `seconds`. Rejects with the error text. */
  profile(thread: string, seconds: number): Promise<Bytes>;
  heap(thread: string): Promise<HeapReport>;
}

/** Figures of a thread's heap, in V8's names: bytes, and a few counts. */
export interface HeapReport {
  readonly figures: Readonly<Record<string, number>>;
  readonly spaces: readonly {
    readonly space: string;
    readonly figures: Readonly<Record<string, number>>;
  }[];
}

/** State of tracing; counts since the start. */
export interface TraceStatus {
  /** 1 or 0. */
  readonly enabled: number;
  readonly 'sampling-rate': string;
  readonly 'sampled-total': number;
  readonly 'dropped-busy-total': number;
  readonly 'dropped-queue-total': number;
  readonly 'dropped-collector-total': number;
  readonly 'spans-exported-total': number;
  readonly queued: number;
  readonly recent: number;
  /** unknown, working or failing. */
  readonly collector: string;
}

/** Traces; a request that fails rejects with the reason. */
export interface TracesPort {
  status(): Promise<TraceStatus>;
  /** The latest, newest first. */
  recent(count: number): Promise<readonly TraceReport[]>;
}

export interface StatisticsPort {
  /** Sets the counters back that CONFIG RESETSTAT is about, in order with the commands. */
  reset(): Promise<void>;
}

export interface ShutdownOptions {
  /** `default`: save when the configuration says so. */
  save: 'default' | 'always' | 'never';
  /** Stops without waiting for replicas or work in flight. */
  now: boolean;
  /** Stops even if saving fails. */
  force: boolean;
}

export interface ProcessPort {
  /**
   * Begins to end the process; throws the CommandError to answer when it cannot. `aborted` is called when the end is called
   * off.
   */
  shutdown(options: ShutdownOptions, aborted: () => void): void;
  /** Aborts a shutdown; returns false if there was none. */
  abortShutdown(): boolean;
  /** Blocks main, and with it every client. */
  freeze(seconds: number): void;
}

interface TimersPort {
  /** Calls back once, after that many milliseconds. */
  after(ms: number, callback: () => void): void;
}

interface LogPort {
  warning(message: string): void;
}

/** Filter of one monitor. Fields that are empty or 0 do not narrow it. */
export interface MonitorFilter {
  /** Globs, of which one must fit one of the arguments as they are shown. */
  readonly patterns: readonly Bytes[];
  /** Names in lower case: of commands, subcommands (`client|list`) or containers. */
  readonly commands: readonly string[];
  readonly users: readonly string[];
  readonly ids: readonly number[];
  /** Shows one of this many commands. */
  readonly sample: number;
  /** Ends after this many lines. */
  readonly lines: number;
  /** Ends after this many milliseconds. */
  readonly forMs: number;
}

export interface MonitorsPort {
  /** Starts to send commands of all clients to the client. */
  start(client: ClientPort, filter: MonitorFilter): void;
}

/** Snapshots. */
export interface SavingPort {
  readonly isSaving: boolean;
  /** Unix milliseconds. */
  readonly lastSaveMs: number;
  /** Takes one; rejects with why it is not on disk. */
  save(): Promise<void>;
  /** Begins one; while one is under way it is `busy`, or with `schedule` one follows it. */
  saveInBackground(schedule: boolean): 'started' | 'scheduled' | 'busy';
  /** Starts a snapshot at the end of the current transaction. */
  saveLater(): void;
}

/** Context of a handler of this family. */
export interface ServerContext extends MainContext {
  readonly commands: CommandTable;
  readonly settings: SettingsPort;
  readonly replication: ReplicationPort;
  readonly replicas: ReplicasPort;
  readonly info: InfoPort;
  readonly status: StatusPort;
  readonly memory: MemoryPort;
  readonly hotKeys: HotKeysPort;
  readonly bundles: BundlesPort;
  readonly threads: ThreadsPort;
  readonly flight: FlightPort;
  readonly traces: TracesPort;
  readonly statistics: StatisticsPort;
  readonly process: ProcessPort;
  readonly timers: TimersPort;
  readonly log: LogPort;
  readonly monitors: MonitorsPort;
  /** Undefined without persistence. */
  readonly saving: SavingPort | undefined;
  /** Start of the server, in Unix milliseconds. */
  readonly startedMs: number;
  /** Version of Redis with whose commands and replies this server is compatible. */
  readonly redisVersion: string;
}
