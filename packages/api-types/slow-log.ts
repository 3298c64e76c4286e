/** The slow commands, and those with a large request or reply. */

export interface SlowlogDocument {
  readonly kind: 'slow' | 'large-request' | 'large-reply';
  /** Newest first. */
  readonly entries: readonly SlowlogReport[];
  /** Shards that did not answer in time: entries are missing that are newer than those they published last. */
  readonly missing_shards: readonly number[];
  /** True when the main thread did not reply: entries of its own commands are missing. */
  readonly main_missing: boolean;
}

export interface SlowlogReport {
  readonly id: number;
  readonly timestamp: number;
  readonly duration_us: number;
  /** Size of the request or of the reply; null in the slow log. */
  readonly size_bytes: number | null;
  readonly command: string;
  readonly args: readonly string[];
  readonly client_addr: string;
  readonly client_name: string;
  /** Null: main's own. */
  readonly shard: number | null;
  readonly queue_us: number;
  readonly durable_us: number;
  /** For values of the warm tier. */
  readonly fetch_us: number;
}
