/** Sizes of requests, for the log of large ones. */

import type { ArgumentBytes } from './kept-arguments.ts';

/** Most bytes that RESP adds to an argument, and to a command: a type byte, a length of ten digits, line ends. */
export const RESP_OVERHEAD_MAX = 16;
/** A type byte, and the ends of two lines. */
const ARGUMENT_FRAMING = 5;
/** A type byte, and the end of a line. */
const COMMAND_FRAMING = 3;

/** Returns the bytes of a command as a RESP array of bulk strings; 0 if there are fewer than `least`. */
export function requestBytesFrom(args: ArgumentBytes, least: number): number {
  if (least === Infinity) return 0;
  const { count } = args;
  let bytes = 0;
  for (let index = 0; index < count; index += 1) bytes += args.length(index);
  if (bytes + RESP_OVERHEAD_MAX * (count + 1) < least) return 0;
  bytes += COMMAND_FRAMING + digitsOf(count);
  for (let index = 0; index < count; index += 1) {
    bytes += ARGUMENT_FRAMING + digitsOf(args.length(index));
  }
  return bytes < least ? 0 : bytes;
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let rest = value; rest >= 10; rest /= 10) digits += 1;
  return digits;
}
