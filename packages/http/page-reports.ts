/** What the debug pages ask of main, beside what programs ask too. */

/** Null when it is done; else why it is not, in the words of the command that does the same. */
export type ActionAnswer = string | null;

export interface HotKeysOptions {
  readonly metrics: readonly ('cpu' | 'net')[];
  readonly count: number;
  readonly durationMs: number;
  readonly sample: number;
}

export interface HotKeysDocument {
  readonly state: 'active' | 'stopped';
  readonly metrics: readonly ('cpu' | 'net')[];
  readonly count: number;
  readonly sample_ratio: number;
  readonly duration_ms: number;
  readonly collection_duration_ms: number;
  readonly total_cpu_time_us: number;
  readonly total_net_bytes: number;
  readonly missing_shards: number;
  readonly keys: readonly {
    readonly key: string;
    /** Whether it is no UTF-8, so that each character of `key` stands for a byte. */
    readonly binary: boolean;
    readonly access_count: number;
    readonly total_cpu_time_us: number;
    readonly total_net_bytes: number;
    readonly error: number;
  }[];
}

/** The hottest keys of the last whole window. */
export interface HotWindowDocument {
  readonly enabled: boolean;
  /** Null while it is off, and until there was a whole one. */
  readonly window: {
    readonly start_unix_ms: number;
    readonly seconds: number;
    readonly sample_ratio: number;
    readonly samples: number;
    readonly ops_per_sec: number;
    readonly floor_per_sec: number;
    readonly missing_shards: number;
    readonly keys: readonly {
      readonly key: string;
      /** Whether it is no UTF-8, so that each character of `key` stands for a byte. */
      readonly binary: boolean;
      readonly db: number;
      readonly ops_per_sec: number;
      readonly reads_per_sec: number;
      readonly writes_per_sec: number;
      readonly error_per_sec: number;
    }[];
  } | null;
}

export interface LatencyHistoryReport {
  readonly event: string;
  readonly samples: readonly { readonly timestamp: number; readonly latency_us: number }[];
}

export interface PageReports {
  'latency-history': { question: null; answer: readonly LatencyHistoryReport[] };
  /** Null without a session. */
  'hot-keys': { question: null; answer: HotKeysDocument | null };
  'hot-window': { question: null; answer: HotWindowDocument };
  'hot-keys-start': { question: HotKeysOptions; answer: ActionAnswer };
  'hot-keys-stop': { question: null; answer: ActionAnswer };
  'hot-keys-reset': { question: null; answer: ActionAnswer };
  'kill-client': { question: { id: number }; answer: ActionAnswer };
  'set-setting': { question: { name: string; value: string }; answer: ActionAnswer };
  'slowlog-reset': { question: null; answer: ActionAnswer };
  'key-fates-reset': { question: null; answer: ActionAnswer };
  'latency-reset': { question: null; answer: ActionAnswer };
}
