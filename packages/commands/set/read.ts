/** Commands that read a set: size, members, all of them, and SSCAN. */

import { oneShard } from '../definition/definition.ts';
import { elementScan } from '../elements/element-scan.ts';
import { replyEach } from '../elements/entries.ts';
import { oneKey } from '../definition/keys.ts';
import { setToRead } from './lookup.ts';

const scard = oneShard({
  name: 'SCARD',
  summary: 'Returns the number of members of a set.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'set',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO'),
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    context.reply.integer(setToRead(context, args)?.count ?? 0);
  },
});

const sismember = oneShard({
  name: 'SISMEMBER',
  summary: 'Returns 1 if a set has the member, and 0 otherwise.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'set',
  arity: 3,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO'),
  field: 2,
  args: [
    { name: 'key', type: 'key' },
    { name: 'member', type: 'string' },
  ],
  run(context, args) {
    const set = setToRead(context, args);
    const isMember = set?.has(args.source, args.at(2), args.length(2)) === true;
    context.reply.integer(isMember ? 1 : 0);
  },
});

const smismember = oneShard({
  name: 'SMISMEMBER',
  summary: 'Returns 1 or 0 for each of several members: whether the set has it.',
  since: '6.2.0',
  complexity: 'O(N) for N members.',
  group: 'set',
  arity: -3,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO', 'access'),
  field: 2,
  args: [
    { name: 'key', type: 'key' },
    { name: 'member', type: 'string', multiple: true },
  ],
  run(context, args) {
    const set = setToRead(context, args);
    context.reply.arrayHeader(args.count - 2);
    for (let index = 2; index < args.count; index += 1) {
      const isMember = set?.has(args.source, args.at(index), args.length(index)) === true;
      context.reply.integer(isMember ? 1 : 0);
    }
  },
});

const smembers = oneShard({
  name: 'SMEMBERS',
  summary: 'Returns the members of a set.',
  since: '1.0.0',
  complexity: 'O(N) for a set of N members.',
  group: 'set',
  arity: 2,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [{ name: 'key', type: 'key' }],
  tips: ['nondeterministic_output_order'],
  run(context, args) {
    const { reply } = context;
    const set = setToRead(context, args);
    reply.setHeader(set?.count ?? 0);
    if (set === undefined) return;
    const { listpack } = set;
    if (listpack !== undefined) {
      replyEach(reply, listpack, set.count);
      return;
    }
    for (let more = set.first(); more; more = set.next()) {
      set.read();
      reply.bulk(set.bytes, set.at, set.length);
    }
  },
});

const sscan = elementScan(
  {
    name: 'SSCAN',
    summary: 'Iterates over the members of a set, a few with each call.',
    complexity: 'O(1) for each call, O(N) for the whole walk over N members.',
    group: 'set',
  },
  {
    find: setToRead,
    read(set) {
      set.read();
      return true;
    },
  },
);

export const setReading = [scard, sismember, smismember, smembers, sscan];
