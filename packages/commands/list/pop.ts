/** LPOP, RPOP, LMPOP and those that wait: taking elements from an end. */

import { errors } from '#base';
import { ValueType, type ListValue } from '#store';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { oneShard, type CommandHead, type OneShardCommand } from '../definition.ts';
import { replyEach } from '../entries.ts';
import { countedKeys, keysToEnd, oneKey } from '../keys.ts';
import { readMultiPop, type MultiPop } from '../multi-pop.ts';
import { secondsAt } from '../timeout.ts';
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
  summary: 'Removes one or more elements from the head of a list and answers them.',
  run(context, args) {
    pop(context, args, true);
  },
});

const rpop = oneShard({
  ...popHead,
  name: 'RPOP',
  summary: 'Removes one or more elements from the tail of a list and answers them.',
  run(context, args) {
    pop(context, args, false);
  },
});

const multiPopArgs = [
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
] as const satisfies CommandHead['args'];

const lmpop = oneShard({
  name: 'LMPOP',
  summary: 'Removes elements from an end of the first list that is not empty.',
  since: '7.0.0',
  complexity: 'O(N+M) for N keys and M elements in the reply.',
  group: 'list',
  arity: -4,
  flags: ['write'],
  keys: countedKeys(1, 'RW', ['access', 'delete']),
  acrossShards: 'first',
  args: [...multiPopArgs],
  run(context, args) {
    if (!popFirst(context, args, readMultiPop(args, 1, ['LEFT', 'RIGHT']))) {
      context.reply.nilArray();
    }
  },
});

const blockingPopHead = {
  since: '2.0.0',
  complexity: 'O(N) for N keys.',
  group: 'list',
  arity: -3,
  flags: ['write', 'blocking'],
  keys: keysToEnd('RW', ['access', 'delete'], 1, 1),
  acrossShards: 'first',
  args: [
    { name: 'key', type: 'key', multiple: true },
    { name: 'timeout', type: 'double' },
  ],
  history: [['6.0.0', 'The timeout may have a fraction.']],
} as const satisfies Partial<CommandHead> & Pick<OneShardCommand, 'acrossShards'>;

const blpop = oneShard({
  ...blockingPopHead,
  name: 'BLPOP',
  summary: 'Removes the head of the first list that is not empty, or waits for one.',
  run(context, args) {
    blockingPop(context, args, true);
  },
});

const brpop = oneShard({
  ...blockingPopHead,
  name: 'BRPOP',
  summary: 'Removes the tail of the first list that is not empty, or waits for one.',
  run(context, args) {
    blockingPop(context, args, false);
  },
});

const blmpop = oneShard({
  name: 'BLMPOP',
  summary: 'Removes elements from an end of the first list that is not empty, or waits for one.',
  since: '7.0.0',
  complexity: 'O(N+M) for N keys and M elements in the reply.',
  group: 'list',
  arity: -5,
  flags: ['write', 'blocking'],
  keys: countedKeys(2, 'RW', ['access', 'delete']),
  acrossShards: 'first',
  args: [{ name: 'timeout', type: 'double' }, ...multiPopArgs],
  run(context, args) {
    const request = readMultiPop(args, 2, ['LEFT', 'RIGHT']);
    const timeoutMs = secondsAt(args, 1, context.nowMs);
    if (popFirst(context, args, request)) return;
    waitForList(context, timeoutMs);
  },
});

export const listPopping = [lpop, rpop, lmpop, blpop, brpop, blmpop];

/** The client waits until a list is there to be popped, where it may. */
function waitForList(context: ShardContext, timeoutMs: number): void {
  if (context.mayBlock) context.block({ timeoutMs, type: ValueType.list });
  else context.reply.nilArray();
}

function blockingPop(context: ShardContext, args: Arguments, isHead: boolean): void {
  const last = args.count - 1;
  const timeoutMs = secondsAt(args, last, context.nowMs);
  for (let index = 1; index < last; index += 1) {
    const list = listToWrite(context, args, index);
    if (list === undefined) continue;
    const { reply } = context;
    reply.arrayHeader(2);
    reply.bulk(args.source, args.at(index), args.length(index));
    popEnd(context, list, isHead);
    announceRemoved(context, args, popEvent(isHead), 1, index);
    return;
  }
  waitForList(context, timeoutMs);
}

/** Pops from the first list that there is; false when there is none. */
function popFirst(
  context: ShardContext,
  args: Arguments,
  { first, end, isFirstEnd, count }: MultiPop,
): boolean {
  for (let index = first; index < end; index += 1) {
    const list = listToWrite(context, args, index);
    if (list === undefined) continue;
    context.reply.arrayHeader(2);
    context.reply.bulk(args.source, args.at(index), args.length(index));
    const popped = Math.min(count, list.count);
    popSeveral(context, list, isFirstEnd, popped);
    announceRemoved(context, args, popEvent(isFirstEnd), popped, index);
    return true;
  }
  return false;
}

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
