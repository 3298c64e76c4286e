/** Reading single fields, and the size of a hash. */

import type { HashValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { announceEnded, findField, hashToRead, type FieldState } from './lookup.ts';

const keyAndField = [
  { name: 'key', type: 'key' },
  { name: 'field', type: 'string' },
] as const;

const hget = oneShard({
  name: 'HGET',
  summary: 'Returns the value of a hash field.',
  since: '2.0.0',
  complexity: 'O(1)',
  group: 'hash',
  arity: 3,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO', 'access'),
  field: 2,
  args: keyAndField,
  run(context, args) {
    const hash = hashToRead(context, args);
    if (hash !== undefined && findField(context, args, 2) === 'there') writeValue(context, hash);
    else context.reply.nil();
  },
});

const hmget = oneShard({
  name: 'HMGET',
  summary: 'Returns the values of several hash fields.',
  since: '2.0.0',
  complexity: 'O(N) for N fields.',
  group: 'hash',
  arity: -3,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO', 'access'),
  field: 2,
  args: [
    { name: 'key', type: 'key' },
    { name: 'field', type: 'string', multiple: true },
  ],
  run(context, args) {
    const hash = hashToRead(context, args);
    context.reply.arrayHeader(args.count - 2);
    writeFields(context, args, hash, 2);
  },
});

const hexists = oneShard({
  name: 'HEXISTS',
  summary: 'Returns 1 if a hash has the field, and 0 otherwise.',
  since: '2.0.0',
  complexity: 'O(1)',
  group: 'hash',
  arity: 3,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO'),
  field: 2,
  args: keyAndField,
  run(context, args) {
    const hash = hashToRead(context, args);
    const isThere = hash !== undefined && findField(context, args, 2) === 'there';
    context.reply.integer(isThere ? 1 : 0);
  },
});

const hstrlen = oneShard({
  name: 'HSTRLEN',
  summary: 'Returns the length of the value of a field, in bytes.',
  since: '3.2.0',
  complexity: 'O(1)',
  group: 'hash',
  arity: 3,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO'),
  field: 2,
  args: keyAndField,
  run(context, args) {
    const hash = hashToRead(context, args);
    let length = 0;
    if (hash !== undefined && findField(context, args, 2) === 'there') {
      hash.readValue();
      ({ length } = hash);
    }
    context.reply.integer(length);
  },
});

const hlen = oneShard({
  name: 'HLEN',
  summary: 'Returns the number of fields of a hash.',
  since: '2.0.0',
  complexity: 'O(1)',
  group: 'hash',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO'),
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    // Fields that have ended count until they are removed, as Redis 7.4 has it.
    context.reply.integer(hashToRead(context, args)?.count ?? 0);
  },
});

export const hashReading = [hget, hmget, hexists, hstrlen, hlen];

export function writeValue({ reply }: ShardContext, hash: HashValue): void {
  hash.readValue();
  reply.bulk(hash.bytes, hash.at, hash.length, hash.view);
}

/** Writes the values of the fields that the arguments from `first` on name. */
export function writeFields(
  context: ShardContext,
  args: Arguments,
  hash: HashValue | undefined,
  first: number,
): void {
  let hasEnded = false;
  let isGone = false;
  for (let index = first; index < args.count; index += 1) {
    let state: FieldState = 'missing';
    if (hash !== undefined && !isGone) state = findField(context, args, index, false);
    if (hash !== undefined && state === 'there') writeValue(context, hash);
    else context.reply.nil();
    hasEnded ||= state === 'ended' || state === 'gone';
    isGone ||= state === 'gone';
  }
  if (hasEnded && !context.store.lazyExpireDisabled) announceEnded(context, args, isGone);
}
