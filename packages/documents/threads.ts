/** How long each thread stood still since the start. */

export interface ThreadPauses {
  readonly thread: string;
  readonly collections: number;
  readonly collection_total_us: number;
  readonly collection_max_us: number;
  /** A shard's loop is late by as much as its rounds last. */
  readonly loop_delay_p50_us: number;
  readonly loop_delay_p99_us: number;
  readonly loop_delay_max_us: number;
}
