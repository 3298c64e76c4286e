/** Keys that take the most time and traffic. */

/** Findings of a session; without one there are no keys, and its figures are null. */
export interface HotKeysDocument {
  readonly state: 'idle' | 'active' | 'stopped';
  readonly metrics: readonly ('cpu' | 'net')[];
  readonly count: number | null;
  readonly sample_ratio: number | null;
  readonly duration_ms: number | null;
  readonly collection_duration_ms: number | null;
  readonly total_cpu_time_us: number | null;
  readonly total_net_bytes: number | null;
  readonly missing_shards: readonly number[];
  readonly keys: readonly {
    readonly key: string;
    /** True when the key is not UTF-8, so that each character of `key` stands for a byte. */
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
    readonly start_time_ms: number;
    readonly seconds: number;
    readonly sample_ratio: number;
    readonly samples: number;
    readonly ops_per_sec: number;
    readonly floor_per_sec: number;
    readonly missing_shards: readonly number[];
    readonly keys: readonly {
      readonly key: string;
      /** True when the key is not UTF-8, so that each character of `key` stands for a byte. */
      readonly binary: boolean;
      readonly db: number;
      readonly ops_per_sec: number;
      readonly reads_per_sec: number;
      readonly writes_per_sec: number;
      readonly error_per_sec: number;
    }[];
  } | null;
}
