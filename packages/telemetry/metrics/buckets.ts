/** The buckets of exported histograms, made from the far finer ones of the pages. */

import { bucketOf, type Counts, HISTOGRAM_BUCKETS, TICKS_PER_US } from '#stats';

/** Upper bounds in seconds; +Inf follows the last one. */
export const BUCKET_SECONDS = [
  ...[0.00001, 0.00005, 0.0001, 0.00025, 0.0005],
  ...[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
  ...[1, 2.5, 5, 10],
] as const;

/** As `le` shows them. */
export const BUCKET_LABELS: readonly string[] = [...BUCKET_SECONDS.map(String), '+Inf'];

/** Number of a page's buckets below each bound; the one that holds the bound counts as below. */
const ENDS: readonly number[] = [
  ...BUCKET_SECONDS.map((seconds) => bucketOf(seconds * 1e6 * TICKS_PER_US) + 1),
  HISTOGRAM_BUCKETS,
];

/** Cumulative counts, one for each label. */
export function cumulativeCounts(counts: Counts): number[] {
  let sum = 0;
  let index = 0;
  return ENDS.map((end) => {
    for (; index < end; index += 1) sum += counts[index]!;
    return sum;
  });
}
