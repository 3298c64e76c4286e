export { Bands } from './bands.ts';
export type { BundleFile, BundleResult, BundleTask } from './bundle-task.ts';
export { MainBands, bandCounts, bandLabels } from './band-counts.ts';
export { countError, errorIndex } from './error-count.ts';
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
  CENSUS_SIZES,
  CENSUS_TYPES,
  CommandField,
  COUNTERS,
  Page,
  Phase,
  type Counter,
  type PageShape,
} from './page.ts';
export { HOT_KEYS, HotKeys, mergeShares, type HotKey, type HotKeysQuestion } from './hot-keys.ts';
export { type HealthLimits } from './health.ts';
export {
  latencyReport,
  latencyVerdict,
  measureLatency,
  type LatencyBaseline,
} from './latency-test.ts';
export { Rate } from './rate.ts';
export {
  collectStatus,
  NO_PERSISTENCE,
  uptimeSeconds,
  type ExecutingReport,
  type ShardStatus,
  type StatusDocument,
  type StatusSource,
} from './status.ts';
export { busyUs, ThreadRates } from './thread-rates.ts';
export { ThreadSamples } from './thread-samples.ts';
export {
  slowEntriesTopic,
  SlowLog,
  slowResetTopic,
  type SlowClient,
  type SlowCommand,
  type SlowEntry,
  type SlowLogSettings,
} from './slow-log.ts';
export {
  PURGE,
  resetStatisticsTopic,
  SHARD_CONTENT,
  topic,
  type ShardContent,
  type Topic,
} from './topic.ts';
