/** Removing keys, and counting those that are there. */

import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { byKey, type ArgumentDoc } from '../definition/definition.ts';
import { keysToEnd } from '../definition/keys.ts';
import { sum } from '../definition/merge.ts';
import { events } from '../contexts/events.ts';
import { changedAt, findToRead, peekToRead } from '../elements/lookup.ts';

const someKeys: readonly ArgumentDoc[] = [{ name: 'key', type: 'key', multiple: true }];

const del = byKey({
  name: 'DEL',
  summary: 'Removes keys; returns the number of keys removed.',
  since: '1.0.0',
  complexity: 'O(N) for N keys, and O(M) for a collection of M elements.',
  group: 'generic',
  arity: -2,
  flags: ['write'],
  keys: keysToEnd('RM', 'delete'),
  args: someKeys,
  run: removeAll,
  merge: sum,
});

const unlink = byKey({
  name: 'UNLINK',
  summary: 'Removes keys; the memory of large values may be freed later.',
  since: '4.0.0',
  complexity: 'O(1) for each key.',
  group: 'generic',
  arity: -2,
  flags: ['write', 'fast'],
  keys: keysToEnd('RM', 'delete'),
  args: someKeys,
  run: removeAll,
  merge: sum,
});

const exists = byKey({
  name: 'EXISTS',
  leavesValues: true,
  summary: 'Returns the number of the named keys that exist.',
  since: '1.0.0',
  complexity: 'O(N) for N keys.',
  group: 'generic',
  arity: -2,
  flags: ['readonly', 'fast'],
  keys: keysToEnd('RO'),
  args: someKeys,
  history: [['3.0.3', 'Accepts several keys.']],
  run(context, args) {
    let found = 0;
    for (let index = 1; index < args.count; index += 1) {
      if (peekToRead(context, args, index) !== 0) found += 1;
    }
    return found;
  },
  merge: sum,
});

const touch = byKey({
  name: 'TOUCH',
  leavesValues: true,
  summary: 'Updates the access time of keys; returns the number of keys that exist.',
  since: '3.2.1',
  complexity: 'O(N) for N keys.',
  group: 'generic',
  arity: -2,
  flags: ['readonly', 'fast'],
  keys: keysToEnd('RO'),
  args: someKeys,
  run(context, args) {
    let found = 0;
    for (let index = 1; index < args.count; index += 1) {
      if (findToRead(context, args, index) !== 0) found += 1;
    }
    return found;
  },
  merge: sum,
});

export const keyRemoval = [del, unlink, exists, touch];

function removeAll(context: ShardContext, args: Arguments): number {
  let removed = 0;
  for (let index = 1; index < args.count; index += 1) {
    if (!context.keyspace.remove(args.source, args.at(index), args.length(index))) continue;
    changedAt(context, args, index, events.del);
    removed += 1;
  }
  return removed;
}
