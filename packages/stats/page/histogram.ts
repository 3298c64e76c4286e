/**
 * Log-linear histograms of time, after Gil Tene's HdrHistogram: 64 buckets for each power of two, so
 * that a value read back is at most 0.8 % off.
 *
 * Values are ticks: sixteenths of a microsecond, up to 67 s.
 */

/** Ticks in a microsecond. */
export const TICKS_PER_US = 16;

const SUB_BITS = 6;
const SUB_COUNT = 1 << SUB_BITS;
const TICKS_MAX = 2 ** 30 - 1;

/** Buckets of one histogram. */
export const HISTOGRAM_BUCKETS = (30 - SUB_BITS + 1) * SUB_COUNT;

const WORD_MAX = 2 ** 31 - 1;

/** A time in ticks as a 32-bit word: what is longer than 134 s is whole microseconds, as a negative number. */
export function ticksToWord(ticks: number): number {
  return ticks <= WORD_MAX
    ? Math.trunc(ticks)
    : -Math.min(Math.round(ticks / TICKS_PER_US), WORD_MAX);
}

/** The time that `ticksToWord` has written. */
export function ticksFromWord(word: number): number {
  return word >= 0 ? word : -word * TICKS_PER_US;
}

/** The bucket that counts a value of `ticks`. */
export function bucketOf(ticks: number): number {
  const value = ticks > TICKS_MAX ? TICKS_MAX : ticks | 0;
  if (value < SUB_COUNT) return value < 0 ? 0 : value;
  const exponent = 31 - Math.clz32(value);
  return ((exponent - SUB_BITS + 1) << SUB_BITS) | ((value >> (exponent - SUB_BITS)) & 63);
}

/** The least value that bucket `index` counts, in ticks. */
export function bucketLow(index: number): number {
  if (index < SUB_COUNT) return index;
  const exponent = (index >> SUB_BITS) + SUB_BITS - 1;
  return (SUB_COUNT + (index & (SUB_COUNT - 1))) * 2 ** (exponent - SUB_BITS);
}

/** The greatest value that bucket `index` counts, in ticks. */
export function bucketHigh(index: number): number {
  return bucketLow(index + 1) - 1;
}

/** The counts of one histogram: a window into a page. */
export type Counts = Float64Array;

export function totalCount(counts: Counts): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}

/**
 * The value below or at which `fraction` (0 to 1) of all lie, in microseconds: the middle of its
 * bucket. 0 when the histogram is empty.
 */
export function percentileUs(counts: Counts, fraction: number): number {
  const total = totalCount(counts);
  if (total === 0) return 0;
  const wanted = Math.max(1, Math.ceil(total * fraction));
  let seen = 0;
  for (let index = 0; index < counts.length; index += 1) {
    seen += counts[index]!;
    if (seen >= wanted) return (bucketLow(index) + bucketHigh(index)) / 2 / TICKS_PER_US;
  }
  return bucketHigh(counts.length - 1) / TICKS_PER_US;
}

/** The greatest value counted, in microseconds: the end of its bucket. 0 when the histogram is empty. */
export function greatestUs(counts: Counts): number {
  const last = counts.findLastIndex((count) => count > 0);
  return last < 0 ? 0 : bucketHigh(last) / TICKS_PER_US;
}

/** Adds `source` to `target`. */
export function addCounts(target: Counts, source: Counts): void {
  for (let index = 0; index < target.length; index += 1) {
    target[index] = target[index]! + source[index]!;
  }
}

/** Powers of two of microseconds that a histogram reaches: 2^26 us is the 67 s that it counts up to. */
const POWERS = 27;

/**
 * Counts what took less than 1, 2, 4, ... microseconds, each power only where that adds any. Buckets end at powers of
 * two, so the counts are exact.
 */
export function cumulativeByPowers(
  counts: Counts,
): readonly (readonly [us: number, count: number])[] {
  const steps: [us: number, count: number][] = [];
  let count = 0;
  let before = 0;
  let bucket = 0;
  for (let power = 0; power < POWERS; power += 1) {
    const us = 2 ** power;
    const end = power === POWERS - 1 ? counts.length : bucketOf(us * TICKS_PER_US);
    for (; bucket < end; bucket += 1) count += counts[bucket]!;
    if (count > before) steps.push([us, count]);
    before = count;
  }
  return steps;
}
