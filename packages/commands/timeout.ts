/** How long a client is ready to wait, as blocking commands are told. */

import { CommandError, errors } from '#base';
import type { Arguments } from './arguments.ts';

const INT64_LIMIT = 2 ** 63;
const notFloat = new CommandError('ERR timeout is not a float or out of range');
const outOfRange = new CommandError('ERR timeout is out of range');

/** Argument `index` in milliseconds; 0 = without end. */
export function millisecondsAt(args: Arguments, index: number, nowMs: number): number {
  return checked(args.roundedAt(index, errors.timeoutNotInteger), nowMs);
}

/** Argument `index`, in seconds with a fraction, as milliseconds; 0 = without end. */
export function secondsAt(args: Arguments, index: number, nowMs: number): number {
  const timeoutMs = args.doubleAt(index, notFloat) * 1_000;
  if (timeoutMs >= INT64_LIMIT) throw outOfRange;
  return checked(Math.ceil(timeoutMs), nowMs);
}

function checked(timeoutMs: number, nowMs: number): number {
  if (timeoutMs < 0) throw errors.timeoutNegative;
  if (timeoutMs + nowMs >= INT64_LIMIT) throw outOfRange;
  return timeoutMs;
}
