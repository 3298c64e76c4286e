/** Commands that take elements from the first of several keys, at one of two ends: BLPOP, LMPOP and their like. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import {
  oneShard,
  type ArgumentDoc,
  type CommandHead,
  type Group,
  type OneShardCommand,
} from '../definition/definition.ts';
import { countedKeys, keysToEnd } from '../definition/keys.ts';
import { secondsAt } from '../arguments/timeout.ts';

/** A type whose values have two ends; the first is where indexes begin. */
export interface PopFamily<Value extends { readonly count: number }> {
  readonly group: Group;
  /** A number of ValueType. */
  readonly type: number;
  /** Words for the two ends. */
  readonly ends: readonly [string, string];
  /** Commands that take elements from one key, at each of the ends. */
  readonly plain: readonly [string, string];
  /** Number of replies that an element takes. */
  readonly width: number;
  /** The value of argument `index`'s key to write to; undefined when there is none. */
  find(context: ShardContext, args: Arguments, index: number): Value | undefined;
  /** Removes an element and replies with it. */
  popOne(context: ShardContext, value: Value, isFirstEnd: boolean): void;
  /** Removes `count` elements and replies with an array of them. */
  popSeveral(context: ShardContext, value: Value, isFirstEnd: boolean, count: number): void;
  announce(
    context: ShardContext,
    args: Arguments,
    index: number,
    value: Value,
    isFirstEnd: boolean,
    popped: number,
  ): void;
}

type Head = Pick<CommandHead, 'name' | 'summary' | 'complexity'>;

const access = ['access', 'delete'] as const;

/** BLPOP, BZPOPMIN and their like: one element, and the client waits where there is none. */
export function blockingPop<Value extends { readonly count: number }>(
  family: PopFamily<Value>,
  isFirstEnd: boolean,
  head: Head & Pick<CommandHead, 'since' | 'flags'>,
): OneShardCommand {
  return oneShard({
    ...head,
    group: family.group,
    arity: -3,
    keys: keysToEnd('RW', access, 1, 1),
    acrossShards: 'first',
    args: [
      { name: 'key', type: 'key', multiple: true },
      { name: 'timeout', type: 'double' },
    ],
    history: [['6.0.0', 'The timeout accepts fractions of a second.']],
    run(context, args) {
      const last = args.count - 1;
      const timeoutMs = secondsAt(args, last, context.nowMs);
      for (let index = 1; index < last; index += 1) {
        const value = family.find(context, args, index);
        if (value === undefined) continue;
        context.reply.arrayHeader(1 + family.width);
        context.reply.bulk(args.source, args.at(index), args.length(index));
        family.popOne(context, value, isFirstEnd);
        family.announce(context, args, index, value, isFirstEnd, 1);
        if (context.isReplicated)
          context.logAs([family.plain[isFirstEnd ? 0 : 1], args.copy(index)]);
        return;
      }
      wait(context, family.type, timeoutMs);
    },
  });
}

/** LMPOP, ZMPOP, and with `waits` BLMPOP and BZMPOP, which have a timeout before the keys. */
export function multiPop<Value extends { readonly count: number }>(
  family: PopFamily<Value>,
  waits: boolean,
  head: Head,
): OneShardCommand {
  const countAt = waits ? 2 : 1;
  const timeout: readonly ArgumentDoc[] = waits ? [{ name: 'timeout', type: 'double' }] : [];
  return oneShard({
    ...head,
    since: '7.0.0',
    group: family.group,
    arity: -3 - countAt,
    flags: waits ? ['write', 'blocking'] : ['write'],
    keys: countedKeys(countAt, 'RW', access),
    acrossShards: 'first',
    args: [
      ...timeout,
      { name: 'numkeys', type: 'integer' },
      { name: 'key', type: 'key', multiple: true },
      {
        name: 'where',
        type: 'oneof',
        arguments: family.ends.map((token) => {
          return { name: token.toLowerCase(), type: 'pure-token', token };
        }),
      },
      { name: 'count', type: 'integer', token: 'COUNT', optional: true },
    ],
    run(context, args) {
      const request = readMultiPop(args, countAt, family.ends);
      const timeoutMs = waits ? secondsAt(args, 1, context.nowMs) : 0;
      if (popFirst(context, args, family, request)) return;
      if (waits) wait(context, family.type, timeoutMs);
      else context.reply.nilArray();
    },
  });
}

/** The client waits until a value of the type is there to be popped, where it may. */
function wait(context: ShardContext, type: number, timeoutMs: number): void {
  if (context.mayBlock) context.block({ timeoutMs, type });
  else context.reply.nilArray();
}

/** Pops from the first value that there is; false when there is none. */
function popFirst<Value extends { readonly count: number }>(
  context: ShardContext,
  args: Arguments,
  family: PopFamily<Value>,
  { first, end, isFirstEnd, count }: MultiPop,
): boolean {
  for (let index = first; index < end; index += 1) {
    const value = family.find(context, args, index);
    if (value === undefined) continue;
    const popped = Math.min(count, value.count);
    context.reply.arrayHeader(2);
    context.reply.bulk(args.source, args.at(index), args.length(index));
    family.popSeveral(context, value, isFirstEnd, popped);
    family.announce(context, args, index, value, isFirstEnd, popped);
    if (context.isReplicated) {
      const plain = family.plain[isFirstEnd ? 0 : 1];
      context.logAs([plain, args.copy(index), String(popped)]);
    }
    return true;
  }
  return false;
}

const noKeyCount = new CommandError('ERR numkeys should be greater than 0');
const noCount = new CommandError('ERR count should be greater than 0');

interface MultiPop {
  /** Index of the first key, and the one after the last. */
  first: number;
  end: number;
  /** True when the first of the two words for the ends was given. */
  isFirstEnd: boolean;
  count: number;
}

/** Reads the arguments from the number of keys, argument `countAt`, on. */
function readMultiPop(args: Arguments, countAt: number, ends: readonly [string, string]): MultiPop {
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
