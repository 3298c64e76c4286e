export { Bands } from './bands.ts';
export { MainBands, bandCounts, bandLabels } from './band-counts.ts';
export { countError } from './error-count.ts';
export {
  addCounts,
  bucketHigh,
  bucketLow,
  bucketOf,
  cumulativeByPowers,
  HISTOGRAM_BUCKETS,
  percentileUs,
  TICKS_PER_US,
  totalCount,
  type Counts,
} from './histogram.ts';
export { KeptArguments, type ArgumentBytes } from './kept-arguments.ts';
export {
  LATENCY_EVENTS,
  latencyEvent,
  LatencyEvents,
  LatencySeries,
  MAIN_THREAD,
  type LatencyEvent,
  type LatencySample,
  type ThreadShare,
} from './latency-events.ts';
export {
  AT,
  BAND_ROWS_MAX,
  CommandField,
  COUNTERS,
  Page,
  type Counter,
  type PageShape,
} from './page.ts';
export { Rate } from './rate.ts';
export {
  slowEntriesTopic,
  SlowLog,
  slowResetTopic,
  type SlowClient,
  type SlowCommand,
  type SlowEntry,
  type SlowLogSettings,
} from './slow-log.ts';
export { resetStatisticsTopic, topic, type Topic } from './topic.ts';
