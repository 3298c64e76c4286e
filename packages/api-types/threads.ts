/** Usage of each thread: busy time, memory and pauses. */

export interface ThreadsDocument {
  /** Time of the reading, as Unix milliseconds: shares are made of two readings. */
  readonly time_ms: number;
  readonly threads: readonly ThreadReport[];
}

/** Times and counts are since the start. */
export interface ThreadReport {
  readonly thread: string;
  /** Time in which it did not wait for work. */
  readonly busy_us: number;
  /** Time on a processor, its own and the kernel's. */
  readonly cpu_us: number;
  readonly heap_used_bytes: number;
  readonly heap_bytes: number;
  /** Number of garbage collections. */
  readonly collections: number;
  readonly collection_total_us: number;
  readonly collection_max_us: number;
  /** A shard's loop is late by as much as its rounds last. */
  readonly loop_delay_p50_us: number;
  readonly loop_delay_p99_us: number;
  readonly loop_delay_max_us: number;
}
