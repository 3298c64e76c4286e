/** Moments at which fields end. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';

/** The latest moment that the end of a field can be set to: Redis keeps 46 bits of milliseconds. */
const FIELD_END_MS_MAX = 2 ** 46 - 1;

const negativeTime = new CommandError('ERR invalid expire time, must be >= 0');

/** Reads a time at argument `index`; returns milliseconds of Unix time. */
export function fieldEnd(
  args: Arguments,
  index: number,
  unitMs: number,
  baseMs: number,
  command: string,
): number {
  const value = args.roundedAt(index);
  if (value < 0) throw negativeTime;
  if (value * unitMs > FIELD_END_MS_MAX - baseMs) throw errors.invalidExpire(command);
  return value * unitMs + baseMs;
}
