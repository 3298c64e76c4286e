/** LPOP, RPOP and LMPOP: taking elements from an end. */

import { errors } from '#base';
import type { ListValue } from '#store';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { oneShard, type CommandHead } from '../definition.ts';
import { countedKeys, oneKey } from '../keys.ts';
import { readMultiPop } from '../multi-pop.ts';
import { announceRemoved, listToWrite, popEvent } from './lookup.ts';
import { writeElement } from './read.ts';

const popHead = {
  since: '1.0.0',
  complexity: 'O(N) for N elements in the reply.',
  group: 'list',
  arity: -2,
  flags: ['write', 'fast'],
  keys: oneKey('RW', ['access', 'delete']),
  args: [
    { name: 'key', type: 'key' },
    { name: 'count', type: 'integer', since: '6.2.0', optional: true },
  ],
  history: [['6.2.0', 'Takes a count.']],
} as const satisfies Partial<CommandHead>;

export const lpop = oneShard({
  ...popHead,
  name: 'LPOP',
  summary: 'Removes one or more elements from the head of a list and answers them.',
  run(context, args) {
    pop(context, args, true);
  },
});

export const rpop = oneShard({
  ...popHead,
  name: 'RPOP',
  summary: 'Removes one or more elements from the tail of a list and answers them.',
  run(context, args) {
    pop(context, args, false);
  },
});

export const lmpop = oneShard({
  name: 'LMPOP',
  summary: 'Removes elements from an end of the first list that is not empty.',
  since: '7.0.0',
  complexity: 'O(N+M) for N keys and M elements in the reply.',
  group: 'list',
  arity: -4,
  flags: ['write'],
  keys: countedKeys(1, 'RW', ['access', 'delete']),
  args: [
    { name: 'numkeys', type: 'integer' },
    { name: 'key', type: 'key', multiple: true },
    {
      name: 'where',
      type: 'oneof',
      arguments: [
        { name: 'left', type: 'pure-token', token: 'LEFT' },
        { name: 'right', type: 'pure-token', token: 'RIGHT' },
      ],
    },
    { name: 'count', type: 'integer', token: 'COUNT', optional: true },
  ],
  run(context, args) {
    const { first, end, isFirstEnd, count } = readMultiPop(args, ['LEFT', 'RIGHT']);
    for (let index = first; index < end; index += 1) {
      const list = listToWrite(context, args, index);
      if (list === undefined) continue;
      context.reply.arrayHeader(2);
      context.reply.bulk(args.source, args.at(index), args.length(index));
      popSeveral(context, list, isFirstEnd, Math.min(count, list.count));
      announceRemoved(context, args, popEvent(isFirstEnd), index);
      return;
    }
    context.reply.nilArray();
  },
});

export const listPopping = [lpop, rpop, lmpop];

function pop(context: ShardContext, args: Arguments, isHead: boolean): void {
  const { reply } = context;
  if (args.count > 3) throw errors.wrongArguments(isHead ? 'lpop' : 'rpop');
  const hasCount = args.count === 3;
  const wanted = hasCount ? args.roundedAt(2, errors.notPositive) : 1;
  if (wanted < 0) throw errors.notPositive;
  const list = listToWrite(context, args);
  if (list === undefined) {
    if (hasCount) reply.nilArray();
    else reply.nil();
    return;
  }
  if (wanted === 0) {
    reply.arrayHeader(0);
    return;
  }
  if (hasCount) {
    popSeveral(context, list, isHead, Math.min(wanted, list.count));
  } else {
    list.seek(isHead ? 0 : -1);
    writeElement(reply, list);
    list.remove(isHead);
  }
  announceRemoved(context, args, popEvent(isHead));
}

function popSeveral(
  { reply }: ShardContext,
  list: ListValue,
  isHead: boolean,
  count: number,
): void {
  reply.arrayHeader(count);
  let more = list.seek(isHead ? 0 : -1);
  if (isHead) {
    if (more) list.each(count, (bytes, at, length) => reply.bulk(bytes, at, length));
  } else {
    for (let left = count; more && left > 0; left -= 1) {
      writeElement(reply, list);
      more = list.prev();
    }
  }
  list.removeRange(isHead ? 0 : list.count - count, count);
}
