/** The documents of the debug API, as far as the pages read them. */

export interface Issue {
  readonly severity: 'warning' | 'critical';
  readonly code: string;
  readonly message: string;
}

export interface Executing {
  readonly command: string;
  readonly key: string | null;
  readonly client_id: number | null;
  readonly elapsed_us: number;
}

export interface ShardStatus {
  readonly id: number;
  readonly state: 'running' | 'stuck' | 'restarting';
  readonly keys: number;
  readonly memory_bytes: number;
  readonly peak_memory_bytes: number;
  readonly ops_total: number;
  readonly ops_per_sec: number;
  readonly queue_depth: number;
  readonly queue_bytes: number;
  readonly busy_percent: number;
  readonly executing: Executing | null;
}

export interface Status {
  readonly frogdb: {
    readonly version: string;
    readonly uptime_secs: number;
    readonly process_id: number;
    readonly timestamp: number;
  };
  readonly cluster: { readonly mode: string; readonly num_shards: number };
  readonly health: {
    readonly status: 'healthy' | 'degraded' | 'unhealthy';
    readonly issues: readonly Issue[];
  };
  readonly clients: {
    readonly connected: number;
    readonly max_clients: number;
    readonly blocked: number;
  };
  readonly memory: {
    readonly used_bytes: number;
    readonly peak_bytes: number;
    readonly limit_bytes: number;
    readonly rss_bytes: number;
    readonly fragmentation_ratio: number;
  };
  readonly persistence: { readonly enabled: boolean; readonly durability_mode: string | null };
  readonly shards: readonly ShardStatus[];
  readonly keyspace: {
    readonly total_keys: number;
    readonly expires: number;
    readonly expired_keys_total: number;
    readonly evicted_keys_total: number;
    readonly hits_total: number;
    readonly misses_total: number;
  };
  readonly commands: {
    readonly total_processed: number;
    readonly ops_per_sec: number;
    readonly errors_total: number;
  };
}

/** What the commands of the last second took; null when there were none. */
export interface LiveLatency {
  readonly count: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly p999_us: number;
  readonly max_us: number;
}

export interface LiveShard {
  readonly ops: number;
  readonly busy_percent: number;
  readonly queue_depth: number;
  readonly keys: number;
  readonly memory_bytes: number;
  readonly execute: LiveLatency | null;
  readonly queue: LiveLatency | null;
  /** Requests of this second by band, the last over the last threshold. */
  readonly bands: readonly number[];
}

/** One second as the server has seen it. Rates are per second. */
export interface LiveSample {
  readonly seq: number;
  readonly time_ms: number;
  readonly clients: number;
  readonly blocked: number;
  readonly errors: number;
  readonly hits: number;
  readonly misses: number;
  readonly expired: number;
  readonly evicted: number;
  readonly received_bytes: number;
  readonly sent_bytes: number;
  readonly used_bytes: number;
  readonly rss_bytes: number;
  readonly main_busy_percent: number;
  readonly ops: number;
  readonly execute: LiveLatency | null;
  readonly queue: LiveLatency | null;
  readonly shards: readonly LiveShard[];
}

export interface Live {
  /** Another one is another process. */
  readonly boot: string;
  readonly status: Status;
  /** Milliseconds; empty when bands are off. */
  readonly band_thresholds_ms: readonly number[];
  readonly samples: readonly LiveSample[];
}

export interface SlowlogEntry {
  readonly id: number;
  readonly timestamp: number;
  readonly duration_us: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly client_addr: string;
  readonly client_name: string;
  readonly shard: number | null;
  readonly queue_us: number;
  readonly durable_us: number;
}

export interface LatencyEvent {
  readonly event: string;
  readonly latest_us: number;
  readonly min_us: number;
  readonly max_us: number;
  readonly avg_us: number;
  readonly samples: number;
}

/** One of the last seconds, minutes or hour; null where nothing was called in it. */
export interface WindowLatency {
  readonly seconds: number;
  readonly calls: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly p999_us: number;
  readonly max_us: number;
}

export const WINDOW_NAMES = ['now', '1m', '5m', '1h'] as const;

export type Windows = Readonly<Record<(typeof WINDOW_NAMES)[number], WindowLatency | null>>;

export interface CommandLatency {
  readonly command: string;
  readonly calls: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly p999_us: number;
  readonly max_us: number;
  readonly windows: Windows;
}

export interface Latency {
  readonly windows: Windows;
  readonly events: readonly LatencyEvent[];
  readonly commands: readonly CommandLatency[];
}

/** Seconds, and the worst microseconds of each, of one latency event, oldest first. */
export interface LatencyHistory {
  readonly event: string;
  readonly samples: readonly { readonly timestamp: number; readonly latency_us: number }[];
}

export interface ClientEntry {
  readonly id: number;
  readonly addr: string;
  readonly name: string;
  readonly user: string;
  readonly lib_name: string;
  readonly lib_ver: string;
  readonly age_secs: number;
  readonly idle_secs: number;
  readonly flags: string;
  readonly db: number;
  readonly commands_total: number;
  readonly bytes_recv: number;
  readonly bytes_sent: number;
  readonly output_buffer_bytes: number;
}

export interface ConfigEntry {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  readonly mutable: boolean;
  readonly description: string;
}

export interface HotKey {
  readonly key: string;
  /** Each character of the key stands for a byte. */
  readonly binary: boolean;
  readonly access_count: number;
  readonly total_cpu_time_us: number;
  readonly total_net_bytes: number;
  readonly error: number;
}

export interface HotKeysReport {
  readonly state: 'idle' | 'active' | 'stopped';
  readonly metrics: readonly string[];
  readonly count: number;
  readonly sample_ratio: number;
  readonly duration_ms: number;
  readonly collection_duration_ms: number;
  readonly total_cpu_time_us: number;
  readonly total_net_bytes: number;
  readonly keys: readonly HotKey[];
}

export interface HotWindowKey {
  readonly key: string;
  /** Each character of the key stands for a byte. */
  readonly binary: boolean;
  readonly db: number;
  readonly ops_per_sec: number;
  readonly reads_per_sec: number;
  readonly writes_per_sec: number;
  readonly error_per_sec: number;
}

export interface HotWindowReport {
  readonly enabled: boolean;
  /** Null until there was a whole window. */
  readonly window: {
    readonly seconds: number;
    readonly sample_ratio: number;
    readonly samples: number;
    readonly ops_per_sec: number;
    readonly floor_per_sec: number;
    readonly keys: readonly HotWindowKey[];
  } | null;
}

/** A key that has gone; no key: all of a database on that shard. */
export interface KeyDeath {
  readonly id: number;
  readonly unix_time_ms: number;
  readonly db: number;
  readonly shard: number;
  readonly reason: string;
  readonly key: string | null;
  /** Each character of the key stands for a byte. */
  readonly binary: boolean;
  /** The key is the beginning of a longer one. */
  readonly cut: boolean;
  readonly key_bytes: number | null;
  readonly keys: number;
  /** Null, as the client: the shard did it by itself. */
  readonly command: string | null;
  readonly client_addr: string | null;
  readonly client_name: string | null;
  readonly user: string | null;
}

export interface KeyFates {
  readonly recording: {
    readonly enabled: boolean;
    readonly setting: string;
    readonly max_len: number;
    readonly overwritten: boolean;
    readonly overwritten_setting: string;
  };
  readonly counts: Readonly<Record<string, number>>;
  /** Null when main was late. */
  readonly kept: number | null;
  readonly deaths: readonly KeyDeath[];
  readonly missing_shards?: readonly number[];
}

/** What was notable in a thread, with the fields of its kind. */
export interface FlightEntry {
  readonly time_us: number;
  readonly thread: string;
  readonly event: string;
  readonly [field: string]: number | string | null;
}

export interface Flight {
  readonly threads: readonly {
    readonly thread: string;
    readonly recorded: number;
    readonly kept: number;
  }[];
  readonly entries: readonly FlightEntry[];
}

/** Keys with one prefix; the empty one stands for keys with none. */
export interface PrefixReport {
  readonly prefix: string;
  readonly ops: number;
  readonly hits: number;
  readonly misses: number;
  readonly input_bytes: number;
  readonly output_bytes: number;
  /** Null until they have been counted. */
  readonly keys: number | null;
  readonly memory_bytes: number | null;
}

export interface Prefixes {
  readonly prefixes: readonly PrefixReport[];
}

export interface SpanReport {
  readonly span_id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly start_us: number;
  readonly duration_us: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

export interface TraceReport {
  readonly trace_id: string;
  readonly spans: readonly SpanReport[];
}

export interface BundleEntry {
  readonly id: string;
  readonly created_at: string | number;
  readonly size_bytes: number;
  readonly expires_at: string | number;
}

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value?: number;
  readonly count?: number;
  readonly sum?: number;
  /** Cumulative. */
  readonly buckets?: readonly { readonly le: string; readonly count: number }[];
}

export interface Metric {
  readonly name: string;
  readonly samples: readonly MetricSample[];
}

/** Of one thread. A shard's loop is late by as much as its rounds last. */
export interface Pauses {
  readonly thread: string;
  readonly collections: number;
  readonly collection_total_us: number;
  readonly collection_max_us: number;
  readonly loop_delay_p99_us: number;
  readonly loop_delay_max_us: number;
}
