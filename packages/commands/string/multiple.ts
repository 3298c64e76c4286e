/** Storing several strings at once. */

import { errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { byKey, oneShard, type ArgumentDoc } from '../definition/definition.ts';
import { keyValuePairs } from '../definition/keys.ts';
import { findToWrite } from '../elements/lookup.ts';
import { allOk } from '../definition/merge.ts';
import { storeString } from './write.ts';

const pairs: readonly ArgumentDoc[] = [
  {
    name: 'data',
    type: 'block',
    multiple: true,
    arguments: [
      { name: 'key', type: 'key' },
      { name: 'value', type: 'string' },
    ],
  },
];

const mset = byKey({
  name: 'MSET',
  summary: 'Stores several strings under several keys at once.',
  since: '1.0.1',
  complexity: 'O(N) for N keys.',
  group: 'string',
  arity: -3,
  flags: ['write', 'denyoom'],
  keys: keyValuePairs('OW', 'update'),
  keyStride: 2,
  args: pairs,
  run(context, args) {
    storePairs(context, args, 'mset');
    return null;
  },
  merge: allOk,
});

const msetnx = oneShard({
  name: 'MSETNX',
  summary: 'Stores several strings at once if none of the keys exists.',
  since: '1.0.1',
  complexity: 'O(N) for N keys.',
  group: 'string',
  arity: -3,
  flags: ['write', 'denyoom'],
  keys: keyValuePairs('OW', 'insert'),
  args: pairs,
  run(context, args) {
    demandPairs(args, 'msetnx');
    for (let index = 1; index < args.count; index += 2) {
      if (findToWrite(context, args, index) === 0) continue;
      context.reply.integer(0);
      return;
    }
    storePairs(context, args, 'msetnx');
    context.reply.integer(1);
  },
});

export const stringMultiple = [mset, msetnx];

function demandPairs(args: Arguments, command: string): void {
  if (args.count % 2 === 0) throw errors.wrongArguments(command);
}

function storePairs(context: ShardContext, args: Arguments, command: string): void {
  demandPairs(args, command);
  for (let index = 1; index < args.count; index += 2) storeString(context, args, index, index + 1);
}
