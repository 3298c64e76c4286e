/** LPOP, RPOP, LMPOP and those that wait: taking elements from an end. */

import { errors } from '#base';
import { type ListValue, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type CommandHead } from '../definition/definition.ts';
import { replyEach } from '../elements/entries.ts';
import { oneKey } from '../definition/keys.ts';
import { blockingPop, multiPop, type PopFamily } from '../elements/pop-family.ts';
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

const lpop = oneShard({
  ...popHead,
  name: 'LPOP',
  summary: 'Removes and returns one or more elements at the head of a list.',
  run(context, args) {
    pop(context, args, true);
  },
});

const rpop = oneShard({
  ...popHead,
  name: 'RPOP',
  summary: 'Removes and returns one or more elements at the tail of a list.',
  run(context, args) {
    pop(context, args, false);
  },
});

const lists: PopFamily<ListValue> = {
  group: 'list',
  type: ValueType.list,
  ends: ['LEFT', 'RIGHT'],
  plain: ['LPOP', 'RPOP'],
  width: 1,
  find: listToWrite,
  popOne: popEnd,
  popSeveral,
  announce(context, args, index, _list, isHead, popped) {
    announceRemoved(context, args, popEvent(isHead), popped, index);
  },
};

const lmpop = multiPop(lists, false, {
  name: 'LMPOP',
  summary: 'Removes and returns elements at an end of the first list that is not empty.',
  complexity: 'O(N+M) for N keys and M elements in the reply.',
});

const blmpop = multiPop(lists, true, {
  name: 'BLMPOP',
  summary:
    'Removes and returns elements at an end of the first list that is not empty; blocks until there is one.',
  complexity: 'O(N+M) for N keys and M elements in the reply.',
});

const blpop = blockingPop(lists, true, {
  name: 'BLPOP',
  summary:
    'Removes and returns the head of the first list that is not empty; blocks until there is one.',
  since: '2.0.0',
  complexity: 'O(N) for N keys.',
  flags: ['write', 'blocking'],
});

const brpop = blockingPop(lists, false, {
  name: 'BRPOP',
  summary:
    'Removes and returns the tail of the first list that is not empty; blocks until there is one.',
  since: '2.0.0',
  complexity: 'O(N) for N keys.',
  flags: ['write', 'blocking'],
});

export const listPopping = [lpop, rpop, lmpop, blpop, brpop, blmpop];

function popEnd({ reply }: ShardContext, list: ListValue, isHead: boolean): void {
  list.seek(isHead ? 0 : -1);
  writeElement(reply, list);
  list.remove(isHead);
}

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
  const popped = Math.min(wanted, list.count);
  if (hasCount) popSeveral(context, list, isHead, popped);
  else popEnd(context, list, isHead);
  announceRemoved(context, args, popEvent(isHead), popped);
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
    if (more) replyEach(reply, list, count);
  } else {
    for (let left = count; more && left > 0; left -= 1) {
      writeElement(reply, list);
      more = list.prev();
    }
  }
  list.removeRange(isHead ? 0 : list.count - count, count);
}
