/** RENAME, MOVE and COPY: values under other names and in other databases. */

import { errors, finish, KeyFate } from '#base';
import { isLong, type Keyspace } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type ArgumentDoc } from '../definition/definition.ts';
import { allOf, keySpec, oneKey } from '../definition/keys.ts';
import { databaseIndexAt, demandDatabase } from './database-index.ts';
import { events } from '../contexts/events.ts';
import {
  changedAt,
  createdAt,
  findToRead,
  findToWrite,
  notifyReplaced,
} from '../elements/lookup.ts';
import { copyValue, moveValue, putValue, takeValue, type Place } from './value-copy.ts';

const twoNames: readonly ArgumentDoc[] = [
  { name: 'key', type: 'key' },
  { name: 'newkey', type: 'key' },
];

const rename = oneShard({
  name: 'RENAME',
  leavesValues: true,
  summary: 'Renames a key; a key that has the new name already is replaced.',
  since: '1.0.0',
  complexity: 'O(1), but for the removal of a large value that had the name.',
  group: 'generic',
  arity: 3,
  flags: ['write'],
  keys: allOf(keySpec(1, 'RW', ['access', 'delete']), keySpec(2, 'OW', 'update')),
  args: twoNames,
  run(context, args) {
    renameKey(context, args, false);
    context.reply.ok();
  },
});

const renamenx = oneShard({
  name: 'RENAMENX',
  leavesValues: true,
  summary: 'Renames a key if no key has the new name.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'generic',
  arity: 3,
  flags: ['write', 'fast'],
  keys: allOf(keySpec(1, 'RW', ['access', 'delete']), keySpec(2, 'OW', 'insert')),
  args: twoNames,
  history: [['3.2.0', 'Equal names are no error.']],
  run(context, args) {
    context.reply.integer(renameKey(context, args, true) ? 1 : 0);
  },
});

const move = oneShard({
  name: 'MOVE',
  summary: 'Moves a key to another database if the key does not exist there.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'generic',
  arity: 3,
  flags: ['write', 'fast'],
  keys: oneKey('RW', ['access', 'update']),
  args: [
    { name: 'key', type: 'key' },
    { name: 'db', type: 'integer' },
  ],
  alsoIn: (args) => args.integerAt(2),
  run(context, args) {
    const database = databaseIndexAt(args, 2);
    demandDatabase(context, database);
    if (database === context.database) throw errors.sameObject;
    const target = placeOf(keyspaceOf(context, database), args, 1);
    const isFree =
      findToWrite(context, args, 1) !== 0 &&
      target.keyspace.find(target.key, target.at, target.length) === 0;
    if (isFree) {
      moveValue(context.keyspace, placeOf(context.keyspace, args, 1), target);
      context.inDatabase(database, () => createdAt(context, args, 1));
      changedAt(context, args, 1, events.moveFrom, 0);
      context.inDatabase(database, () => changedAt(context, args, 1, events.moveTo));
    }
    context.reply.integer(isFree ? 1 : 0);
  },
});

const copy = oneShard({
  name: 'COPY',
  summary: 'Copies the value of a key to another key.',
  since: '6.2.0',
  complexity: 'O(N) for a collection of N elements, O(1) for strings.',
  group: 'generic',
  arity: -3,
  flags: ['write', 'denyoom'],
  keys: allOf(keySpec(1, 'RO', 'access'), keySpec(2, 'OW', 'update')),
  args: [
    { name: 'source', type: 'key' },
    { name: 'destination', type: 'key' },
    { name: 'destination-db', type: 'integer', token: 'DB', optional: true },
    { name: 'replace', type: 'pure-token', token: 'REPLACE', optional: true },
  ],
  databaseOf: (spec, args, selected) => (spec === 1 ? copyDatabase(args, selected) : selected),
  run(context, args) {
    const { database, replaces } = readCopyOptions(context, args);
    if (database === context.database && args.areSame(1, 2)) throw errors.sameObject;
    const target = placeOf(keyspaceOf(context, database), args, 2);
    if (context.mayPrepare && putsOff(context, args, target, replaces)) return;
    const before = typeAt(target);
    const isCopied = findToRead(context, args, 1) !== 0 && makeRoom(target, replaces);
    if (isCopied) {
      const { keyspace } = context;
      // Making room may have moved the record.
      const ref = keyspace.peek(args.source, args.at(1), args.length(1));
      const isSpare = context.isSpare(args.source, args.at(1), args.length(1));
      const taken = isSpare ? takeValue(keyspace, ref) : context.prepared;
      putValue(keyspace, ref, target, taken ?? finish(copyValue(keyspace, ref)));
      context.inDatabase(database, () => {
        createdAt(context, args, 2);
        changedAt(context, args, 2, events.copyTo);
        replacedAt(context, args, before, target);
      });
    }
    context.reply.integer(isCopied ? 1 : 0);
  },
});

export const keyMoving = [rename, renamenx, move, copy];

function placeOf(keyspace: Keyspace, args: Arguments, index: number): Place {
  return { keyspace, key: args.source, at: args.at(index), length: args.length(index) };
}

function keyspaceOf(context: ShardContext, database: number): Keyspace {
  return database === context.database ? context.keyspace : context.store.databases[database]!;
}

/** Renames the key; returns false if it was not renamed. */
function renameKey(context: ShardContext, args: Arguments, onlyNew: boolean): boolean {
  const { keyspace } = context;
  if (findToWrite(context, args, 1) === 0) throw errors.noSuchKey;
  if (args.areSame(1, 2)) return false;
  const target = placeOf(keyspace, args, 2);
  const before = typeAt(target);
  if (!makeRoom(target, !onlyNew)) return false;
  moveValue(keyspace, placeOf(keyspace, args, 1), target);
  createdAt(context, args, 2);
  changedAt(context, args, 1, events.renameFrom, 0);
  changedAt(context, args, 2, events.renameTo);
  replacedAt(context, args, before, target);
  return true;
}

/** Type of the value at the place; undefined without one. */
function typeAt({ keyspace, key, at, length }: Place): number | undefined {
  const ref = keyspace.peek(key, at, length);
  return ref === 0 ? undefined : keyspace.type(ref);
}

/** Notifies that the value now at the place of argument 2 has replaced another one. */
function replacedAt(
  context: ShardContext,
  args: Arguments,
  before: number | undefined,
  target: Place,
): void {
  const after = typeAt(target);
  if (before === undefined || after === undefined) return;
  notifyReplaced(context, args, 2, { before, after });
}

/** True when the copy takes long: then it is made first, and what is at the target stays until it is there. */
function putsOff(
  context: ShardContext,
  args: Arguments,
  { keyspace: other, key, at, length }: Place,
  replaces: boolean,
): boolean {
  const { keyspace } = context;
  const ref = keyspace.peek(args.source, args.at(1), args.length(1));
  if (ref === 0 || !isLong(keyspace, ref)) return false;
  if (!replaces && other.peek(key, at, length) !== 0) return false;
  context.prepare(copyValue(keyspace, keyspace.peek(args.source, args.at(1), args.length(1))));
  return true;
}

/** Removes the key at the place if `replaces`; returns true if the place is free. */
function makeRoom({ keyspace, key, at, length }: Place, replaces: boolean): boolean {
  if (keyspace.find(key, at, length) === 0) return true;
  return replaces && keyspace.remove(key, at, length, KeyFate.overwritten);
}

function readCopyOptions(
  context: ShardContext,
  args: Arguments,
): { database: number; replaces: boolean } {
  const options = { database: context.database, replaces: false };
  args.position = 3;
  while (args.more) {
    if (args.takes('REPLACE')) {
      options.replaces = true;
    } else if (args.left >= 2 && args.takes('DB')) {
      options.database = databaseIndexAt(args, args.next());
      demandDatabase(context, options.database);
    } else {
      throw errors.syntax;
    }
  }
  return options;
}

/** The database that COPY names, for the router; anything wrong is the handler's to say. */
function copyDatabase(args: Arguments, selected: number): number {
  let database = selected;
  for (let index = 3; index < args.count - 1; index += 1) {
    if (!args.spellsAt(index, 'DB')) continue;
    index += 1;
    database = args.integerAt(index);
  }
  return database >= 0 ? database : selected;
}
