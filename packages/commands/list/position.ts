/** LPOS: where elements are. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import { oneShard } from '../definition/definition.ts';
import { elementCount } from '../elements/element-count.ts';
import { oneKey } from '../definition/keys.ts';
import { listToRead } from './lookup.ts';

const lpos = oneShard({
  name: 'LPOS',
  summary: 'Returns the indexes of elements that equal a value.',
  since: '6.0.6',
  complexity: 'O(N) for N elements, or up to MAXLEN elements.',
  group: 'list',
  arity: -3,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'element', type: 'string' },
    { name: 'rank', type: 'integer', token: 'RANK', optional: true },
    { name: 'num-matches', type: 'integer', token: 'COUNT', optional: true },
    { name: 'len', type: 'integer', token: 'MAXLEN', optional: true },
  ],
  run(context, args) {
    const { reply } = context;
    const options = readOptions(args);
    const list = listToRead(context, args);
    const found: number[] = [];
    const isForward = options.rank > 0;
    const skipped = Math.abs(options.rank) - 1;
    const most = options.count === 0 ? Infinity : (options.count ?? 1);
    let matches = 0;
    let looked = 0;
    let more = list?.seek(isForward ? 0 : -1) === true;
    while (list !== undefined && more && looked < options.lengthMax) {
      if (list.equals(args.source, args.at(2), args.length(2))) {
        matches += 1;
        if (matches > skipped) found.push(isForward ? looked : list.count - 1 - looked);
        if (found.length === most) break;
      }
      looked += 1;
      more = isForward ? list.next() : list.prev();
    }
    if (options.count === undefined) {
      const [first] = found;
      if (first === undefined) reply.nil();
      else reply.integer(first);
      return;
    }
    reply.arrayHeader(found.length);
    for (const index of found) reply.integer(index);
  },
});

export const listSearching = [lpos];

interface Options {
  /** Rank of the first match that counts; from the end when negative. */
  rank: number;
  /** Undefined without COUNT; 0 for all. */
  count: number | undefined;
  lengthMax: number;
}

const zeroRank = new CommandError(
  "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
);
const negativeCount = new CommandError("ERR COUNT can't be negative");
const negativeLength = new CommandError("ERR MAXLEN can't be negative");

function readOptions(args: Arguments): Options {
  const options: Options = { rank: 1, count: undefined, lengthMax: Infinity };
  args.position = 3;
  while (args.more) {
    if (args.left < 2) throw errors.syntax;
    if (args.takes('RANK')) {
      options.rank = elementCount(args, args.next());
      if (options.rank === 0) throw zeroRank;
    } else if (args.takes('COUNT')) {
      options.count = args.roundedAt(args.next(), negativeCount);
      if (options.count < 0) throw negativeCount;
    } else if (args.takes('MAXLEN')) {
      const length = args.roundedAt(args.next(), negativeLength);
      if (length < 0) throw negativeLength;
      options.lengthMax = length === 0 ? Infinity : length;
    } else {
      throw errors.syntax;
    }
  }
  return options;
}
