/** Reads the timeout of blocking commands. */

import { CommandError, errors } from '#base';
import type { Arguments } from './arguments.ts';
import { longDoubleOf } from './long-double.ts';

const INT64_LIMIT = 2 ** 63;
const notFloat = new CommandError('ERR timeout is not a float or out of range');
const outOfRange = new CommandError('ERR timeout is out of range');

/** Argument `index` in milliseconds; 0 = without end. */
export function millisecondsAt(args: Arguments, index: number, nowMs: number): number {
  return checked(args.roundedAt(index, errors.timeoutNotInteger), nowMs);
}

/** Argument `index`, in seconds with a fraction, as milliseconds; 0 = without end. */
export function secondsAt(args: Arguments, index: number, nowMs: number): number {
  const timeoutMs = realAt(args, index) * 1_000;
  if (timeoutMs >= INT64_LIMIT) throw outOfRange;
  return checked(Math.ceil(timeoutMs), nowMs);
}

/** Argument `index` as a number; Redis reads a `long double`, whose range is wider than a double's. */
function realAt(args: Arguments, index: number): number {
  const integer = args.integerAt(index);
  if (!Number.isNaN(integer)) return integer;
  const { negative, mantissa, power, infinite } = longDoubleOf(
    args.source,
    args.at(index),
    args.length(index),
    notFloat,
  );
  if (infinite) return negative ? -Infinity : Infinity;
  if (mantissa === 0n) return 0;
  // However short, it is a wait with an end.
  const magnitude = Math.max(Number(mantissa) * 2 ** power, Number.MIN_VALUE);
  return negative ? -magnitude : magnitude;
}

function checked(timeoutMs: number, nowMs: number): number {
  if (timeoutMs < 0) throw errors.timeoutNegative;
  if (timeoutMs + nowMs >= INT64_LIMIT) throw outOfRange;
  return timeoutMs;
}
