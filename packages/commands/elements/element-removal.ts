/** HDEL, SREM and ZREM: taking elements out by their names. */

import type { Bytes } from '#base';
import type { Ref } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type CommandHead, type OneShardCommand } from '../definition/definition.ts';
import type { KeyEvent } from '../contexts/events.ts';
import { oneKey } from '../definition/keys.ts';
import { removeIfEmpty, takenAt } from './lookup.ts';

interface RemovalFamily<Value> {
  /** Name of an element. */
  readonly element: 'field' | 'member';
  readonly event: KeyEvent;
  readonly find: (context: ShardContext, args: Arguments) => Value | undefined;
  /** Removes an element; returns true if it existed. */
  readonly remove: (value: Value, bytes: Bytes, at: number, length: number) => boolean;
}

/** Makes the command that removes the elements it names; the key goes with the last. */
export function elementRemoval<Value extends { readonly count: number; readonly ref: Ref }>(
  head: Pick<CommandHead, 'name' | 'summary' | 'since' | 'complexity' | 'group'>,
  { element, event, find, remove }: RemovalFamily<Value>,
): OneShardCommand {
  return oneShard({
    ...head,
    arity: -3,
    flags: ['write', 'fast'],
    keys: oneKey('RW', 'delete'),
    field: 2,
    args: [
      { name: 'key', type: 'key' },
      { name: element, type: 'string', multiple: true },
    ],
    history: [['2.4.0', `Takes several ${element}s.`]],
    run(context, args) {
      const value = find(context, args);
      let removed = 0;
      let isGone = false;
      for (let index = 2; value !== undefined && index < args.count && !isGone; index += 1) {
        if (!remove(value, args.source, args.at(index), args.length(index))) continue;
        removed += 1;
        isGone = removeIfEmpty(context, value);
      }
      if (removed > 0) takenAt(context, args, 1, event, removed, isGone);
      context.reply.integer(removed);
    },
  });
}
