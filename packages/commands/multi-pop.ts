/** Common arguments of LMPOP and ZMPOP: how many keys, which end, how many elements. */

import { CommandError, errors } from '#base';
import type { Arguments } from './arguments.ts';

const noKeyCount = new CommandError('ERR numkeys should be greater than 0');
const noCount = new CommandError('ERR count should be greater than 0');

export interface MultiPop {
  /** Index of the first key, and the one behind the last. */
  first: number;
  end: number;
  /** True when the first of the two words for the ends was given. */
  isFirstEnd: boolean;
  count: number;
}

/** Reads the arguments from the number of keys, argument `countAt`, on; `ends` are the words for the two ends. */
export function readMultiPop(
  args: Arguments,
  countAt: number,
  ends: readonly [string, string],
): MultiPop {
  const keys = args.roundedAt(countAt, noKeyCount);
  if (keys < 1) throw noKeyCount;
  const first = countAt + 1;
  const end = first + keys;
  if (end >= args.count) throw errors.syntax;
  args.position = end;
  const isFirstEnd = args.takes(ends[0]);
  if (!isFirstEnd && !args.takes(ends[1])) throw errors.syntax;
  let count = -1;
  while (args.more) {
    if (count !== -1 || args.left < 2 || !args.takes('COUNT')) throw errors.syntax;
    count = args.roundedAt(args.next(), noCount);
    if (count < 1) throw noCount;
  }
  return { first, end, isFirstEnd, count: count === -1 ? 1 : count };
}
