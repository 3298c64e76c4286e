/** One row of the table of quantities: a number of a page, and its name on each surface that shows it. */

/** Forms of microseconds in INFO: whole milliseconds or microseconds, or milliseconds with three decimal places. */
export type InfoForm = 'whole-ms' | 'whole-us' | 'exact-ms';

export interface Quantity {
  /** Name on the page. Two rows may name the same counter, if main and the shards count different things with it. */
  readonly counter: string;
  /** Threads that write it: main, the shards, main and the shards together, or each thread for itself. */
  readonly by: 'main' | 'shards' | 'all' | 'each';
  /** A counter only grows, but for CONFIG RESETSTAT. */
  readonly kind: 'counter' | 'gauge';
  /** Microseconds are shown as seconds by metrics. */
  readonly unit?: 'us' | 'bytes';
  /** True when CONFIG RESETSTAT sets it back. */
  readonly resets?: true;
  /** Reports the maximum over all threads instead of the sum. */
  readonly over?: 'greatest';
  /** True when two readings differ because reading changes it, or because it changes constantly. */
  readonly moves?: true;
  /** Help of the metric, one sentence. */
  readonly help?: string;
  /** True where a shard's store counts it: `store.stats.add`. */
  readonly inStore?: true;
  /** True for a row with the names of an earlier release, which are kept for one release beside the row with the new ones. */
  readonly isFormer?: true;
  /** Line of INFO. */
  readonly info?: string;
  readonly infoAs?: InfoForm;
  /** Path in the status document: `keyspace.hits_total`. */
  readonly status?: string;
  /** Field of each shard in the status document. */
  readonly shards?: string;
  /** Metric; several rows may be samples of one, distinguished by their label. */
  readonly metric?: string;
  readonly label?: readonly [name: string, value: string];
  /** True when the metric has a sample for each shard instead of the sum. */
  readonly perShard?: true;
  /** Its name in redis_exporter. */
  readonly exporter?: string;
  /** Field of the live samples, as a rate per second. */
  readonly live?: string;
}

/** One figure of the logs, of which each shard has its own. */
export interface LogQuantity extends Pick<
  Quantity,
  'kind' | 'unit' | 'moves' | 'help' | 'info' | 'status' | 'metric'
> {
  readonly figure: string;
}
