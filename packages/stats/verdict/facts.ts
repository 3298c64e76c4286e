/**
 * Facts of the last seconds from which the server's limits are judged: differences of pages, and what the system counts
 * of the threads. Plain data, so that causes are pure functions of it.
 */

/** A thread in the window. Shares are of the window's time, from 0 to 1. */
export interface ThreadFacts {
  /** `main`, `shard-0`, `front-0`, `ops`. */
  readonly name: string;
  /** Processor time. */
  readonly runShare: number;
  /** Time for which the thread was runnable, but had no processor. */
  readonly waitShare: number;
  readonly collectionShare: number;
  /** Longest garbage collection of the window, in milliseconds; 0 unless it is the longest since the start. */
  readonly collectionMsMax: number;
}

/** Command that a thread runs now. */
export interface RunningFacts {
  readonly thread: string;
  readonly command: string;
  readonly seconds: number;
  readonly client: number | null;
  readonly key: string | null;
  /** Digest of a script, or a function's name. */
  readonly script: string | null;
  /** Line of the script that runs; 0 where it is unknown. */
  readonly line: number;
}

/** Command that took most of a shard's time in the window. */
export interface CommandFacts {
  readonly name: string;
  /** Share of the window. */
  readonly share: number;
  readonly calls: number;
  readonly meanMs: number;
  /** Script seen running in the window. */
  readonly script: string | null;
}

/** Key with most of a shard's sampled command time. */
interface KeyFacts {
  readonly key: string;
  /** Share of the sampled time of the shard's commands. */
  readonly share: number;
}

export interface ShardFacts {
  readonly shard: number;
  readonly commands: number;
  readonly topCommand: CommandFacts | null;
  readonly topKey: KeyFacts | null;
  readonly queueMsP99: number;
  readonly executeMsP99: number;
  /** Requests that the percentiles are of. */
  readonly requests: number;
}

/** Machine beneath the process. Shares are of the window; null where the system does not count it. */
export interface MachineFacts {
  readonly processors: number;
  /** Threads of the server that execute commands. */
  readonly threads: number;
  /** Share of time in which the cgroup's processor limit stopped the server. */
  readonly throttledShare: number | null;
  /** Share of time in which all tasks waited for memory (pressure stall information, `full`). */
  readonly memoryStallShare: number | null;
  /** Share of time in which some task waited for input or output. */
  readonly ioStallShare: number | null;
  /** Segments sent again, of those sent; 0 with few. */
  readonly retransmittedShare: number;
  /** Use of the fullest network interface whose speed is known; null without one. */
  readonly interface: { readonly name: string; readonly share: number } | null;
}

export interface ClientFacts {
  readonly connected: number;
  /** Client that sent most commands, and its share of all. */
  readonly busiest: { readonly id: number; readonly share: number } | null;
  /** Client with the longest output buffer. */
  readonly slowest: { readonly id: number; readonly bytes: number } | null;
}

export interface MemoryFacts {
  readonly usedBytes: number;
  /** 0: no limit. */
  readonly limitBytes: number;
  readonly refusedPerSecond: number;
  readonly evictedPerSecond: number;
  /** Share of look-ups that found a key, in the last minute; null with few. */
  readonly hitShare: number | null;
  /** The highest of the last quarter of an hour; null with few. */
  readonly hitShareBefore: number | null;
}

export interface DiskFacts {
  readonly folder: string;
  /** Null where it is unknown. */
  readonly freeBytes: number | null;
  readonly freeShare: number | null;
  /** Code of the error with which the log failed, as `ENOSPC`; empty without an error. */
  readonly logError: string;
  readonly snapshotError: string;
  readonly refusesWrites: boolean;
  readonly syncs: number;
  readonly syncMsMean: number;
  /** Share of the window in which the log was being synced. */
  readonly syncShare: number;
  readonly lagMs: number;
  readonly lagLimitMs: number;
  readonly mode: string;
}

export interface ReplicationFacts {
  readonly lacksReplicas: boolean;
  readonly replicas: number;
  readonly replicasSeen: number;
  readonly replicaLagMs: number;
  readonly unappliedMs: number;
  /** Null with a link, and on a primary. */
  readonly linkDownMs: number | null;
}

export interface TierFacts {
  readonly isOn: boolean;
  readonly fault: string;
  readonly fetchesPerSecond: number;
  /** Share of look-ups that went to the disk. */
  readonly fetchShare: number;
  readonly fetchMsP99: number;
}

export interface Facts {
  /** Length of the window. */
  readonly seconds: number;
  readonly threads: readonly ThreadFacts[];
  readonly running: readonly RunningFacts[];
  readonly shards: readonly ShardFacts[];
  readonly machine: MachineFacts;
  readonly clients: ClientFacts;
  readonly memory: MemoryFacts;
  readonly disk: DiskFacts;
  readonly replication: ReplicationFacts;
  readonly tier: TierFacts;
  /** Share of the window in which shards paused for transactions and scripts. */
  readonly barrierShare: number;
  readonly barriersPerSecond: number;
}
