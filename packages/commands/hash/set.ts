/** Setting fields of a hash. */

import { errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type ArgumentDoc } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { changedAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';
import { fieldAt, findField, hashToFill, newHash, valueAt } from './lookup.ts';

const fieldsAndValues: readonly ArgumentDoc[] = [
  { name: 'key', type: 'key' },
  {
    name: 'data',
    type: 'block',
    multiple: true,
    arguments: [
      { name: 'field', type: 'string' },
      { name: 'value', type: 'string' },
    ],
  },
];

const hset = oneShard({
  name: 'HSET',
  summary: 'Sets fields of a hash; returns the number of new fields.',
  since: '2.0.0',
  complexity: 'O(N) for N fields.',
  group: 'hash',
  arity: -4,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', 'update'),
  field: 2,
  args: fieldsAndValues,
  history: [['4.0.0', 'Accepts several fields.']],
  run(context, args) {
    context.reply.integer(setFields(context, args, 'hset'));
  },
});

const hmset = oneShard({
  name: 'HMSET',
  summary: 'Sets fields of a hash.',
  since: '2.0.0',
  complexity: 'O(N) for N fields.',
  group: 'hash',
  arity: -4,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', 'update'),
  field: 2,
  args: fieldsAndValues,
  deprecated: { since: '4.0.0', replacedBy: '`HSET` with several fields' },
  run(context, args) {
    setFields(context, args, 'hmset');
    context.reply.ok();
  },
});

const hsetnx = oneShard({
  name: 'HSETNX',
  summary: 'Sets a field of a hash if it does not exist.',
  since: '2.0.0',
  complexity: 'O(1)',
  group: 'hash',
  arity: 4,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', 'insert'),
  field: 2,
  args: [
    { name: 'key', type: 'key' },
    { name: 'field', type: 'string' },
    { name: 'value', type: 'string' },
  ],
  run(context, args) {
    let hash = hashToFill(context, args);
    const state = findField(context, args, 2);
    if (state === 'there') {
      context.reply.integer(0);
      return;
    }
    if (state === 'gone') hash = newHash(context, args);
    hash.put(fieldAt(args, 2), valueAt(args, 3));
    changedAt(context, args, 1, events.hset);
    context.reply.integer(1);
  },
});

export const hashWriting = [hset, hmset, hsetnx];

/** Sets the fields and returns the number of new ones. */
function setFields(context: ShardContext, args: Arguments, command: string): number {
  const { count } = args;
  if (count % 2 === 1) throw errors.wrongArguments(command);
  const hash = hashToFill(context, args);
  hash.expect((count - 2) / 2);
  let created = 0;
  for (let index = 2; index < count; index += 2) {
    if (hash.put(fieldAt(args, index), valueAt(args, index + 1))) created += 1;
  }
  hash.fit();
  changedAt(context, args, 1, events.hset, (count - 2) / 2);
  return created;
}
