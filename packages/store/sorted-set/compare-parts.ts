import type { Bytes } from '#base';

/** The order of two byte strings where they stand, as memcmp has it; a prefix comes first. */
export function compareParts(
  a: Bytes,
  aAt: number,
  aLength: number,
  b: Bytes,
  bAt: number,
  bLength: number,
): number {
  const shared = aLength < bLength ? aLength : bLength;
  for (let index = 0; index < shared; index += 1) {
    const difference = a[aAt + index]! - b[bAt + index]!;
    if (difference !== 0) return difference;
  }
  return aLength - bLength;
}
