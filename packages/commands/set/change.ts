/** SADD, SREM and SMOVE: members come and go. */

import { errors } from '#base';
import { ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { elementRemoval } from '../elements/element-removal.ts';
import { allOf, keySpec, oneKey } from '../definition/keys.ts';
import { changedAt, createdAt, findToWrite, removeIfEmpty, takenAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';
import { newSet, setToFill, setToWrite } from './lookup.ts';

const sadd = oneShard({
  name: 'SADD',
  summary: 'Adds members to a set; returns the number of new members.',
  since: '1.0.0',
  complexity: 'O(N) for N members.',
  group: 'set',
  arity: -3,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', 'insert'),
  field: 2,
  args: [
    { name: 'key', type: 'key' },
    { name: 'member', type: 'string', multiple: true },
  ],
  history: [['2.4.0', 'Accepts several members.']],
  run(context, args) {
    const members = args.count - 2;
    const set = setToFill(context, args, 1, args.piece(2), members);
    set.expect(members);
    let added = 0;
    for (let index = 2; index < args.count; index += 1) {
      if (set.add(args.source, args.at(index), args.length(index))) added += 1;
    }
    set.fit();
    if (added > 0) changedAt(context, args, 1, events.sadd, added);
    context.reply.integer(added);
  },
});

const srem = elementRemoval(
  {
    name: 'SREM',
    summary: 'Removes members from a set; returns the number of members removed.',
    since: '1.0.0',
    complexity: 'O(N) for N members.',
    group: 'set',
  },
  {
    element: 'member',
    event: events.srem,
    find: setToWrite,
    remove: (set, bytes, at, length) => set.delete(bytes, at, length),
  },
);

const smove = oneShard({
  name: 'SMOVE',
  summary: 'Moves a member to another set.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'set',
  arity: 4,
  flags: ['write', 'fast'],
  keys: allOf(keySpec(1, 'RW', ['access', 'delete']), keySpec(2, 'RW', 'insert')),
  inserts: 3,
  args: [
    { name: 'source', type: 'key' },
    { name: 'destination', type: 'key' },
    { name: 'member', type: 'string' },
  ],
  run(context, args) {
    context.reply.integer(moveMember(context, args) ? 1 : 0);
  },
});

export const setChanges = [sadd, srem, smove];

/** Moves the member; returns false if it did not exist. */
function moveMember(context: ShardContext, args: Arguments): boolean {
  // The target first, since looking for it may move the source's record.
  const target = findToWrite(context, args, 2);
  const targetType = target === 0 ? ValueType.set : context.keyspace.type(target);
  const source = setToWrite(context, args);
  if (source === undefined) return false;
  if (targetType !== ValueType.set) throw errors.wrongType;
  const member = args.piece(3);
  if (args.areSame(1, 2)) return source.has(member.bytes, member.at, member.length);
  if (!source.delete(member.bytes, member.at, member.length)) return false;
  takenAt(context, args, 1, events.srem, 1, removeIfEmpty(context, source));
  // What is added, the shard of the target logs.
  context.logOwn('SREM', args.copy(1), args.copy(3));

  let into = setToWrite(context, args, 2);
  if (into === undefined) {
    into = newSet(context, args, 2, member, 1);
    createdAt(context, args, 2);
  }
  if (into.add(member.bytes, member.at, member.length)) {
    changedAt(context, args, 2, events.sadd);
  }
  return true;
}
