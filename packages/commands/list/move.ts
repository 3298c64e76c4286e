/** LMOVE, RPOPLPUSH and those that wait: an element from an end of one list to an end of another. */

import { errors } from '#base';
import { ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type CommandHead } from '../definition/definition.ts';
import { allOf, keySpec } from '../definition/keys.ts';
import { changedAt } from '../elements/lookup.ts';
import { secondsAt } from '../arguments/timeout.ts';
import {
  announceRemoved,
  listToWrite,
  newTarget,
  popEvent,
  pushEvent,
  targetToWrite,
} from './lookup.ts';

const keys = allOf(keySpec(1, 'RW', ['access', 'delete']), keySpec(2, 'RW', 'insert'));

const endArgs = [
  {
    name: 'wherefrom',
    type: 'oneof',
    arguments: [
      { name: 'left', type: 'pure-token', token: 'LEFT' },
      { name: 'right', type: 'pure-token', token: 'RIGHT' },
    ],
  },
  {
    name: 'whereto',
    type: 'oneof',
    arguments: [
      { name: 'left', type: 'pure-token', token: 'LEFT' },
      { name: 'right', type: 'pure-token', token: 'RIGHT' },
    ],
  },
] as const satisfies CommandHead['args'];

const lmove = oneShard({
  name: 'LMOVE',
  summary: 'Moves an element from an end of one list to an end of another; returns the element.',
  since: '6.2.0',
  complexity: 'O(1)',
  group: 'list',
  arity: 5,
  flags: ['write', 'denyoom'],
  keys,
  args: [{ name: 'source', type: 'key' }, { name: 'destination', type: 'key' }, ...endArgs],
  run(context, args) {
    const isFromHead = isHeadAt(args, 3);
    const isToHead = isHeadAt(args, 4);
    if (!moveElement(context, args, isFromHead, isToHead)) context.reply.nil();
  },
});

const rpoplpush = oneShard({
  name: 'RPOPLPUSH',
  summary: 'Moves the last element of a list to the head of another; returns the element.',
  since: '1.2.0',
  complexity: 'O(1)',
  group: 'list',
  arity: 3,
  flags: ['write', 'denyoom'],
  keys,
  args: [
    { name: 'source', type: 'key' },
    { name: 'destination', type: 'key' },
  ],
  deprecated: { since: '6.2.0', replacedBy: '`LMOVE` with `RIGHT` and `LEFT`' },
  run(context, args) {
    if (!moveElement(context, args, false, true)) context.reply.nil();
  },
});

const blmove = oneShard({
  name: 'BLMOVE',
  summary:
    'Moves an element from an end of one list to an end of another; blocks until there is one.',
  since: '6.2.0',
  complexity: 'O(1)',
  group: 'list',
  arity: 6,
  flags: ['write', 'denyoom', 'blocking'],
  keys,
  args: [
    { name: 'source', type: 'key' },
    { name: 'destination', type: 'key' },
    ...endArgs,
    { name: 'timeout', type: 'double' },
  ],
  run(context, args) {
    const isFromHead = isHeadAt(args, 3);
    const isToHead = isHeadAt(args, 4);
    const timeoutMs = secondsAt(args, 5, context.nowMs);
    if (!moveElement(context, args, isFromHead, isToHead)) waitForSource(context, timeoutMs);
  },
});

const brpoplpush = oneShard({
  name: 'BRPOPLPUSH',
  summary: 'Moves the last element of a list to the head of another; blocks until there is one.',
  since: '2.2.0',
  complexity: 'O(1)',
  group: 'list',
  arity: 4,
  flags: ['write', 'denyoom', 'blocking'],
  keys,
  args: [
    { name: 'source', type: 'key' },
    { name: 'destination', type: 'key' },
    { name: 'timeout', type: 'double' },
  ],
  history: [['6.0.0', 'The timeout accepts fractions of a second.']],
  deprecated: { since: '6.2.0', replacedBy: '`BLMOVE` with `RIGHT` and `LEFT`' },
  run(context, args) {
    const timeoutMs = secondsAt(args, 3, context.nowMs);
    if (!moveElement(context, args, false, true)) waitForSource(context, timeoutMs);
  },
});

export const listMoving = [lmove, rpoplpush, blmove, brpoplpush];

/** Lets the client wait for the source alone, of the command's two keys. */
function waitForSource(context: ShardContext, timeoutMs: number): void {
  if (context.mayBlock) context.block({ timeoutMs, type: ValueType.list, keyCount: 1 });
  else context.reply.nil();
}

function isHeadAt(args: Arguments, index: number): boolean {
  if (args.spellsAt(index, 'LEFT')) return true;
  if (args.spellsAt(index, 'RIGHT')) return false;
  throw errors.syntax;
}

/** Argument 1 is the source and argument 2 the target, which may be the same; false when there is no source. */
function moveElement(
  context: ShardContext,
  args: Arguments,
  isFromHead: boolean,
  isToHead: boolean,
): boolean {
  const { reply } = context;
  const source = listToWrite(context, args, 1);
  if (source === undefined) return false;
  const existing = args.areSame(1, 2) ? source : targetToWrite(context, args, 2);
  source.seek(isFromHead ? 0 : -1);
  source.read();
  const element = source.bytes.slice(source.at, source.at + source.length);
  source.remove(isFromHead);
  const target = existing ?? newTarget(context, args, 2);
  const pieces = { source: element, at: () => 0, length: () => element.length };
  target.push(pieces, 0, 1, isToHead);
  // One change, counted where the element is taken.
  changedAt(context, args, 2, pushEvent(isToHead), 0);
  announceRemoved(context, args, popEvent(isFromHead), 1);
  // What is pushed, the shard of the target logs.
  context.logOwn(isFromHead ? 'LPOP' : 'RPOP', args.copy(1));
  if (context.isReplicated) {
    const ends = [isFromHead ? 'LEFT' : 'RIGHT', isToHead ? 'LEFT' : 'RIGHT'];
    context.logAs(['LMOVE', args.copy(1), args.copy(2), ...ends]);
  }
  reply.bulk(element);
  return true;
}
