/** Reading whole strings. */

import type { Bytes } from '#base';
import { ValueType } from '#store';
import { byKey, oneShard } from '../definition/definition.ts';
import { keysToEnd, oneKey } from '../definition/keys.ts';
import { findString, findToRead } from '../elements/lookup.ts';
import { inKeyOrder } from '../definition/merge.ts';

const get = oneShard({
  name: 'GET',
  summary: 'Returns the string stored under a key.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'string',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO', 'access'),
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    const ref = findString(context, args, 1);
    if (ref === 0) {
      context.reply.nil();
      return;
    }
    const value = context.keyspace.value(ref);
    context.reply.bulk(value.bytes, value.at, value.length, value.view);
  },
});

const mget = byKey<readonly (Bytes | null)[]>({
  name: 'MGET',
  summary: 'Returns the strings stored under several keys.',
  since: '1.0.0',
  complexity: 'O(N), N being the number of keys.',
  group: 'string',
  arity: -2,
  flags: ['readonly', 'fast'],
  keys: keysToEnd('RO', 'access'),
  args: [{ name: 'key', type: 'key', multiple: true }],
  run(context, args) {
    const { keyspace } = context;
    const values: (Bytes | null)[] = [];
    for (let index = 1; index < args.count; index += 1) {
      const ref = findToRead(context, args, index);
      if (ref === 0 || keyspace.type(ref) !== ValueType.string) {
        values.push(null);
        continue;
      }
      const { bytes, at, length } = keyspace.value(ref);
      // Nothing changes before the answer is written, so no copy is needed.
      values.push(bytes.subarray(at, at + length));
    }
    return values;
  },
  merge: inKeyOrder,
});

const strlen = oneShard({
  name: 'STRLEN',
  leavesValues: true,
  summary: 'Returns the length of a string, in bytes.',
  since: '2.2.0',
  complexity: 'O(1)',
  group: 'string',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO'),
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    const ref = findString(context, args, 1);
    context.reply.integer(ref === 0 ? 0 : context.keyspace.length(ref));
  },
});

export const stringReading = [get, mget, strlen];
