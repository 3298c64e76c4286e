/** The ends of ranges by score and by member, and where they lie in a sorted set. */

import { type Bytes, CommandError, parseDouble } from '#base';
import type { SortedSetValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';

const notFloatRange = new CommandError('ERR min or max is not a float');
const notLexRange = new CommandError('ERR min or max not valid string range item');

const OPEN_PAREN = 0x28;
const OPEN_BRACKET = 0x5b;
const PLUS = 0x2b;
const MINUS = 0x2d;

/** Ranks from `first` up to, but not including, `end`. One object serves all commands. */
interface Ranks {
  first: number;
  end: number;
}

const ranksScratch: Ranks = { first: 0, end: 0 };

/** One end of a range by score. */
interface ScoreBound {
  score: number;
  exclusive: boolean;
}

/** One end of a range by member: before all (-1), behind all (1), or at these bytes (0). */
interface LexBound {
  side: -1 | 0 | 1;
  bytes: Bytes;
  exclusive: boolean;
}

/** A range of a sorted set, wherever its members may lie. */
export interface Range {
  ranksIn(set: SortedSetValue): Ranks;
}

/** The range by score that two arguments give. */
export function scoreRange(args: Arguments, minIndex: number, maxIndex: number): Range {
  const min = scoreBound(args, minIndex);
  const max = scoreBound(args, maxIndex);
  return {
    ranksIn(set) {
      ranksScratch.first = set.countBelow(min.score, min.exclusive);
      ranksScratch.end = set.countBelow(max.score, !max.exclusive);
      return atLeastEmpty();
    },
  };
}

/** The range by member that two arguments give: for members that all have one score. */
export function lexRange(args: Arguments, minIndex: number, maxIndex: number): Range {
  const min = lexBound(args, minIndex);
  const max = lexBound(args, maxIndex);
  return {
    ranksIn(set) {
      const { count } = set;
      ranksScratch.first =
        min.side === 0 ? set.countBefore(min.bytes, min.exclusive) : sideRank(min, count);
      ranksScratch.end =
        max.side === 0 ? set.countBefore(max.bytes, !max.exclusive) : sideRank(max, count);
      return atLeastEmpty();
    },
  };
}

/** The range by rank that two arguments give; negative ranks count from the end. */
export function rankRange(args: Arguments, startIndex: number, stopIndex: number): Range {
  const start = args.roundedAt(startIndex);
  const stop = args.roundedAt(stopIndex);
  return {
    ranksIn({ count }) {
      ranksScratch.first = start < 0 ? Math.max(count + start, 0) : start;
      ranksScratch.end = Math.min(stop < 0 ? count + stop : stop, count - 1) + 1;
      return atLeastEmpty();
    },
  };
}

function atLeastEmpty(): Ranks {
  if (ranksScratch.end < ranksScratch.first) ranksScratch.end = ranksScratch.first;
  return ranksScratch;
}

function sideRank({ side }: LexBound, count: number): number {
  return side < 0 ? 0 : count;
}

/** Reads the argument as C's strtod does: nothing at all is 0, and a zero byte ends the text. */
function scoreBound(args: Arguments, index: number): ScoreBound {
  const exclusive = args.length(index) > 0 && args.source[args.at(index)] === OPEN_PAREN;
  const text = args.latin1(index).slice(exclusive ? 1 : 0);
  const [shown = ''] = text.split('\0', 1);
  if (shown === '') return { score: 0, exclusive };
  const score = parseDouble(shown.replace(/^[ \t\n\v\f\r]+/, ''));
  if (Number.isNaN(score)) throw notFloatRange;
  return { score, exclusive };
}

function lexBound(args: Arguments, index: number): LexBound {
  const bytes = args.view(index);
  const [first] = bytes;
  // A zero byte ends what is looked at.
  const isSingleByte = bytes.length === 1 || bytes[1] === 0;
  if (first === PLUS && isSingleByte) return { side: 1, bytes, exclusive: true };
  if (first === MINUS && isSingleByte) return { side: -1, bytes, exclusive: true };
  if (first !== OPEN_PAREN && first !== OPEN_BRACKET) throw notLexRange;
  return { side: 0, bytes: bytes.subarray(1), exclusive: first === OPEN_PAREN };
}
