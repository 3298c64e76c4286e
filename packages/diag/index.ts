export { Bands } from './bands.ts';
export { countError } from './error-count.ts';
export {
  addCounts,
  bucketHigh,
  bucketLow,
  bucketOf,
  HISTOGRAM_BUCKETS,
  percentileUs,
  TICKS_PER_US,
  totalCount,
  type Counts,
} from './histogram.ts';
export {
  AT,
  BAND_ROWS_MAX,
  CommandField,
  COUNTERS,
  Page,
  Phase,
  type Counter,
  type PageShape,
} from './page.ts';
export { type HealthLimits } from './health.ts';
export { Rate } from './rate.ts';
export {
  collectStatus,
  NO_PERSISTENCE,
  uptimeSeconds,
  type ExecutingReport,
  type StatusDocument,
  type StatusSource,
} from './status.ts';
export { busyUs, ThreadRates } from './thread-rates.ts';
export { topic, type Topic } from './topic.ts';
