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
  type Counter,
  type PageShape,
} from './page.ts';
export { Rate } from './rate.ts';
export { topic, type Topic } from './topic.ts';
