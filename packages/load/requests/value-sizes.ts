/** Sizes of values: one, a range, or sizes with weights. */

import type { RandomNumbers } from './random.ts';

/** Sizes from `least` to `most` bytes, each as likely, with the weight of the whole range. */
interface SizeRange {
  readonly least: number;
  readonly most: number;
  readonly weight: number;
}

export type ValueSizes = readonly SizeRange[];

/** As of `proto-max-bulk-len` by default. */
const VALUE_BYTES_MAX = 512 * 1024 * 1024;
const FORM = /^(\d+)(?:-(\d+))?(?::(\d+(?:\.\d+)?))?$/;

/**
 * Reads `64`, `16-1024`, or a list of both with weights, as in `64:90,4096-8192:10`. Throws an Error that names the mistake.
 */
export function readValueSizes(text: string): ValueSizes {
  const parts = text.split(',').map((part) => {
    const [, least = '', most = least, weight = '1'] = FORM.exec(part.trim()) ?? [];
    if (least === '') {
      throw new Error(
        `--value-size ${text}: "${part}" is not BYTES, FROM-TO or either with :WEIGHT`,
      );
    }
    return { least: Number(least), most: Number(most), weight: Number(weight) };
  });
  for (const { least, most, weight } of parts) {
    if (most < least)
      throw new Error(`--value-size ${text}: ${least}-${most} ends before it begins`);
    if (most > VALUE_BYTES_MAX) {
      throw new Error(`--value-size ${text}: a value has at most ${VALUE_BYTES_MAX} bytes`);
    }
    if (weight <= 0) throw new Error(`--value-size ${text}: a weight is above 0`);
  }
  return parts;
}

/** Largest size that there is. */
export function largestValue(sizes: ValueSizes): number {
  return sizes.reduce((largest, { most }) => Math.max(largest, most), 0);
}

/** Returns the size if all values have the same. */
export function fixedSize(sizes: ValueSizes): number | undefined {
  const [first, ...others] = sizes;
  if (first === undefined || first.least !== first.most) return undefined;
  const isFixed = others.every(({ least, most }) => least === first.least && most === first.least);
  return isFixed ? first.least : undefined;
}

/** Draws a size. */
export function drawSize(sizes: ValueSizes, random: RandomNumbers): number {
  const total = sizes.reduce((sum, { weight }) => sum + weight, 0);
  let left = random.fraction() * total;
  for (const { least, most, weight } of sizes) {
    left -= weight;
    if (left < 0) return least + random.below(most - least + 1);
  }
  return sizes[0]!.least;
}
