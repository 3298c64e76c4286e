/** LPUSH, RPUSH and their forms for lists that exist. */

import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type CommandHead } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { changedAt } from '../elements/lookup.ts';
import { listToWrite, newList, pushEvent } from './lookup.ts';

const pushHead = {
  complexity: 'O(N) for N elements that are added.',
  group: 'list',
  arity: -3,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', 'insert'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'element', type: 'string', multiple: true },
  ],
} as const satisfies Partial<CommandHead>;

const lpush = oneShard({
  ...pushHead,
  name: 'LPUSH',
  summary: 'Adds elements at the head of a list, one by one.',
  since: '1.0.0',
  history: [['2.4.0', 'Accepts several elements.']],
  run(context, args) {
    push(context, args, true, false);
  },
});

const rpush = oneShard({
  ...pushHead,
  name: 'RPUSH',
  summary: 'Adds elements at the tail of a list, one by one.',
  since: '1.0.0',
  history: [['2.4.0', 'Accepts several elements.']],
  run(context, args) {
    push(context, args, false, false);
  },
});

const lpushx = oneShard({
  ...pushHead,
  name: 'LPUSHX',
  summary: 'Adds elements at the head of a list if it exists.',
  since: '2.2.0',
  history: [['4.0.0', 'Accepts several elements.']],
  run(context, args) {
    push(context, args, true, true);
  },
});

const rpushx = oneShard({
  ...pushHead,
  name: 'RPUSHX',
  summary: 'Adds elements at the tail of a list if it exists.',
  since: '2.2.0',
  history: [['4.0.0', 'Accepts several elements.']],
  run(context, args) {
    push(context, args, false, true);
  },
});

export const listPushing = [lpush, rpush, lpushx, rpushx];

function push(context: ShardContext, args: Arguments, isHead: boolean, onlyOld: boolean): void {
  const existing = listToWrite(context, args);
  if (existing === undefined && onlyOld) {
    context.reply.integer(0);
    return;
  }
  const list = existing ?? newList(context, args);
  list.push(args, 2, args.count, isHead);
  changedAt(context, args, 1, pushEvent(isHead), args.count - 2);
  context.reply.integer(list.count);
}
