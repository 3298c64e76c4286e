/** Numbers with a fraction as Redis reads them: long doubles. */

import {
  type Bytes,
  type CommandError,
  latin1,
  LONG_DOUBLE_BYTES_MAX,
  type LongDouble,
  parseLongDouble,
} from '#base';

/** The number that a text spells, else throws `error`. */
export function longDoubleOf(
  bytes: Bytes,
  at: number,
  length: number,
  error: CommandError,
): LongDouble {
  const number =
    length > LONG_DOUBLE_BYTES_MAX ? undefined : parseLongDouble(latin1(bytes, at, length));
  if (number === undefined) throw error;
  return number;
}
