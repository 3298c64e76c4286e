/** Counts of random elements, as SRANDMEMBER, HRANDFIELD and their like take them. */

import { CommandError, errors, INT64_MAX, INT64_MIN, parseInteger64 } from '#base';
import type { Arguments } from '../arguments/arguments.ts';

const LONG_MIN = -INT64_MAX;
const beyondLong = new CommandError(
  `ERR value is out of range, value must between ${LONG_MIN.toString()} and ${INT64_MAX.toString()}`,
);

/**
 * Most elements that a negative count may ask for: they are answered with repetitions, so nothing but
 * this keeps one short command from taking all memory. Redis has no such limit.
 */
const REPEATED_MAX = 100_000_000;

/** The count that argument `index` gives, rounded beyond 53 bits. */
export function elementCount(args: Arguments, index: number): number {
  const count = args.integerAt(index);
  if (Number.isNaN(count)) {
    const large = parseInteger64(args.source, args.at(index), args.length(index));
    if (large === undefined) throw errors.notInteger;
    if (large === INT64_MIN) throw beyondLong;
    return Number(large);
  }
  return count;
}

/** Refuses a negative count that asks for too many elements. */
export function demandRepeatable(count: number): void {
  if (count < -REPEATED_MAX) throw errors.outOfRange;
}
