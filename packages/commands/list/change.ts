/** LSET, LINSERT, LREM and LTRIM: changes inside a list. */

import { errors } from '#base';
import type { ListValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import { oneShard } from '../definition/definition.ts';
import { elementCount } from '../elements/element-count.ts';
import { oneKey } from '../definition/keys.ts';
import { changedAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';
import { indexRange } from './index-range.ts';
import { announceRemoved, listToWrite } from './lookup.ts';

const lset = oneShard({
  name: 'LSET',
  summary: 'Replaces the element at an index.',
  since: '1.0.0',
  complexity: 'O(N) for N nodes between the element and the nearer end.',
  group: 'list',
  arity: 4,
  flags: ['write', 'denyoom'],
  keys: oneKey('RW', 'update'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'index', type: 'integer' },
    { name: 'element', type: 'string' },
  ],
  run(context, args) {
    const list = listToWrite(context, args);
    if (list === undefined) throw errors.noSuchKey;
    const index = args.roundedAt(2);
    list.expect(args.length(3), 1);
    if (!list.seek(index)) throw errors.indexOutOfRange;
    list.replace(args.source, args.at(3), args.length(3));
    list.shrink();
    changedAt(context, args, 1, events.lset);
    context.reply.ok();
  },
});

const linsert = oneShard({
  name: 'LINSERT',
  summary: 'Inserts an element before or after the first that equals another.',
  since: '2.2.0',
  complexity: 'O(N) for N elements before the one that is looked for.',
  group: 'list',
  arity: 5,
  flags: ['write', 'denyoom'],
  keys: oneKey('RW', 'insert'),
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'where',
      type: 'oneof',
      arguments: [
        { name: 'before', type: 'pure-token', token: 'BEFORE' },
        { name: 'after', type: 'pure-token', token: 'AFTER' },
      ],
    },
    { name: 'pivot', type: 'string' },
    { name: 'element', type: 'string' },
  ],
  run(context, args) {
    const { reply } = context;
    const isAfter = args.spellsAt(2, 'AFTER');
    if (!isAfter && !args.spellsAt(2, 'BEFORE')) throw errors.syntax;
    const list = listToWrite(context, args);
    if (list === undefined) {
      reply.integer(0);
      return;
    }
    list.expect(args.length(4), 1);
    if (!seekEqual(list, args, 3)) {
      reply.integer(-1);
      return;
    }
    list.insert(args.source, args.at(4), args.length(4), isAfter);
    changedAt(context, args, 1, events.linsert);
    reply.integer(list.count);
  },
});

const lrem = oneShard({
  name: 'LREM',
  summary:
    'Removes elements that equal a value: all of them, or a number from the head or the tail.',
  since: '1.0.0',
  complexity: 'O(N) for N elements.',
  group: 'list',
  arity: 4,
  flags: ['write'],
  keys: oneKey('RW', 'delete'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'count', type: 'integer' },
    { name: 'element', type: 'string' },
  ],
  run(context, args) {
    const count = elementCount(args, 2);
    const list = listToWrite(context, args);
    const removed = list === undefined ? 0 : removeEqual(list, args, count);
    if (removed > 0) announceRemoved(context, args, events.lrem, removed);
    context.reply.integer(removed);
  },
});

const ltrim = oneShard({
  name: 'LTRIM',
  summary: 'Removes all elements outside of a range of indexes.',
  since: '1.0.0',
  complexity: 'O(N) for N nodes that go.',
  group: 'list',
  arity: 4,
  flags: ['write'],
  keys: oneKey('RW', 'delete'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'start', type: 'integer' },
    { name: 'stop', type: 'integer' },
  ],
  run(context, args) {
    const start = args.roundedAt(2);
    const stop = args.roundedAt(3);
    const list = listToWrite(context, args);
    if (list !== undefined) {
      const { first, count } = indexRange(start, stop, list.count);
      const removed = list.count - count;
      list.removeRange(first + count, list.count - first - count);
      list.removeRange(0, first);
      announceRemoved(context, args, events.ltrim, removed);
    }
    context.reply.ok();
  },
});

export const listChanges = [lset, linsert, lrem, ltrim];

/** Steps to the first element that equals argument `index`. */
function seekEqual(list: ListValue, args: Arguments, index: number): boolean {
  const at = args.at(index);
  const length = args.length(index);
  for (let more = list.seek(0); more; more = list.next()) {
    if (list.equals(args.source, at, length)) return true;
  }
  return false;
}

/** Removes elements that equal argument 3: all for a count of 0, from the tail for a negative one. */
function removeEqual(list: ListValue, args: Arguments, count: number): number {
  const at = args.at(3);
  const length = args.length(3);
  const isForward = count >= 0;
  const most = count === 0 ? Infinity : Math.abs(count);
  let removed = 0;
  let more = list.seek(isForward ? 0 : -1);
  while (more && removed < most) {
    if (list.equals(args.source, at, length)) {
      more = list.remove(isForward);
      removed += 1;
    } else {
      more = isForward ? list.next() : list.prev();
    }
  }
  return removed;
}
