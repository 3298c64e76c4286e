/** Numbers of scripts as arguments of commands: integers as they are, others with 17 digits as C's `%.17g` prints them. */

import { formatDoublePrecisely } from '#base';

/** Doubles from here on hold no integer of 64 bits. */
const INT64_END = 2 ** 63;

export function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '0' : String(value);
  if (Number.isNaN(value)) return '-nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Number.isInteger(value) && value >= -INT64_END && value < INT64_END) {
    return BigInt(value).toString();
  }
  return formatDoublePrecisely(value);
}
