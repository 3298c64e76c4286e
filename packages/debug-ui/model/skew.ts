/** Unevenness of work across shards. */

interface Skew {
  readonly mean: number;
  readonly greatest: number;
  /** The shard with the most. */
  readonly index: number;
  /** Work of the busiest shard as a multiple of the mean; 1 is even. */
  readonly ratio: number;
}

/** Null where there is nothing to compare. */
export function skewOf(values: readonly number[]): Skew | null {
  if (values.length < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (mean <= 0) return null;
  const greatest = Math.max(...values);
  return { mean, greatest, index: values.indexOf(greatest), ratio: greatest / mean };
}

/** Describes a spread in words; when the greatest value is less than `least`, it is too little to compare. */
export function skewInWords({ ratio, index, greatest }: Skew, least: number): string {
  if (greatest < least) return 'too little to compare';
  return ratio < 1.1 ? 'even' : `shard ${index} has ${ratio.toFixed(1)}× the mean`;
}

/** From here on an uneven spread is worth a word. */
export const SKEW_NOTABLE = 1.5;
