/** Whole databases: how many keys they have, emptying and exchanging them. */

import { errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import { everyShard, type ArgumentDoc } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import { allOk, sum } from '../definition/merge.ts';
import { databaseIndexAt, demandDatabase } from './database-index.ts';

const dbsize = everyShard({
  name: 'DBSIZE',
  summary: 'Returns the number of keys of the selected database.',
  since: '1.0.0',
  complexity: 'O(1) on each shard.',
  group: 'server',
  arity: 1,
  flags: ['readonly', 'fast'],
  keys: noKeys,
  args: [],
  acl: { add: ['keyspace'] },
  run: ({ keyspace }) => keyspace.servedSize,
  merge: sum,
});

const flushArguments: readonly ArgumentDoc[] = [
  {
    name: 'flush-type',
    type: 'oneof',
    optional: true,
    arguments: [
      { name: 'async', type: 'pure-token', token: 'ASYNC', since: '4.0.0' },
      { name: 'sync', type: 'pure-token', token: 'SYNC', since: '6.2.0' },
    ],
  },
];

const flushHistory = [
  ['4.0.0', 'Added ASYNC.'],
  ['6.2.0', 'Added SYNC.'],
] as const;

const flushdb = everyShard({
  name: 'FLUSHDB',
  summary: 'Removes all keys of the selected database.',
  since: '1.0.0',
  complexity: 'O(N) for N keys in the database.',
  group: 'server',
  arity: -1,
  flags: ['write'],
  keys: noKeys,
  args: flushArguments,
  acl: { add: ['keyspace', 'dangerous'] },
  history: flushHistory,
  run(context, args) {
    demandFlushMode(args);
    const { size } = context.keyspace;
    context.store.flush(context.database);
    context.flushed(context.database, size);
    // Always replicated, as in Redis: replicas may have keys of their own.
    context.changedUncounted();
    return null;
  },
  merge: allOk,
});

const flushall = everyShard({
  name: 'FLUSHALL',
  summary: 'Removes all keys of all databases.',
  since: '1.0.0',
  complexity: 'O(N) for N keys in all databases.',
  group: 'server',
  arity: -1,
  flags: ['write'],
  keys: noKeys,
  args: flushArguments,
  acl: { add: ['keyspace', 'dangerous'] },
  history: flushHistory,
  run(context, args) {
    demandFlushMode(args);
    const keys = context.store.keyCount;
    context.store.flush();
    context.flushed(ALL_DATABASES, keys);
    context.changedUncounted();
    return null;
  },
  merge: allOk,
});

const swapdb = everyShard({
  name: 'SWAPDB',
  summary: 'Swaps two databases: clients of each immediately see the keys of the other.',
  since: '4.0.0',
  complexity: 'O(N) for N clients that watch keys of the two databases.',
  group: 'server',
  arity: 3,
  flags: ['write', 'fast'],
  tips: [],
  keys: noKeys,
  args: [
    { name: 'index1', type: 'integer' },
    { name: 'index2', type: 'integer' },
  ],
  acl: { add: ['keyspace', 'dangerous'] },
  run(context, args) {
    const one = databaseIndexAt(args, 1, errors.invalidFirstDatabase);
    const other = databaseIndexAt(args, 2, errors.invalidSecondDatabase);
    demandDatabase(context, one);
    demandDatabase(context, other);
    if (one !== other) {
      context.store.swap(one, other);
      context.swapped(one, other);
    }
    return null;
  },
  merge: allOk,
});

export const databases = [dbsize, flushdb, flushall, swapdb];

const ALL_DATABASES = -1;

// Memory is given back in slices in either mode, so that the two differ in nothing.
function demandFlushMode(args: Arguments): void {
  if (args.count === 1) return;
  if (args.count === 2 && (args.spellsAt(1, 'ASYNC') || args.spellsAt(1, 'SYNC'))) return;
  throw errors.syntax;
}
