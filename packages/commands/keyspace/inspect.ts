/** TYPE and OBJECT: metadata of a key. */

import { CommandError } from '#base';
import type { Ref } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { container, oneShard, onMain, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys, oneKey } from '../definition/keys.ts';
import { peekToRead } from '../elements/lookup.ts';
import { typeName } from './scan/type-names.ts';
import { encodingName, isSharedInteger } from './value-encoding.ts';

const type = oneShard({
  name: 'TYPE',
  leavesValues: true,
  summary: 'Returns the type of the value of a key.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'generic',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO'),
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    const ref = peekToRead(context, args, 1);
    context.reply.simple(typeName(ref === 0 ? 0 : context.keyspace.type(ref)));
  },
});

const ofOneKey = {
  complexity: 'O(1)',
  group: 'generic',
  arity: 3,
  flags: ['readonly'],
  keys: oneKey('RO', undefined, 2),
  args: [{ name: 'key', type: 'key' }],
  tips: ['nondeterministic_output'],
} as const satisfies Partial<CommandHead>;

const encoding = oneShard({
  ...ofOneKey,
  name: 'OBJECT|ENCODING',
  summary: 'Returns the internal encoding of the value of a key.',
  since: '2.2.3',
  run(context, args) {
    const ref = inspect(context, args);
    if (ref !== 0) context.reply.text(encodingName(context.keyspace, ref), 'latin1');
  },
});

const freq = oneShard({
  ...ofOneKey,
  name: 'OBJECT|FREQ',
  leavesValues: true,
  summary: 'Returns the logarithmic access counter of a key.',
  since: '4.0.0',
  run(context, args) {
    const ref = inspect(context, args);
    if (ref === 0) return;
    if (!tracksFrequency(context)) throw notLfu;
    context.reply.integer(context.keyspace.frequency(ref));
  },
});

const idletime = oneShard({
  ...ofOneKey,
  name: 'OBJECT|IDLETIME',
  leavesValues: true,
  summary: 'Returns the seconds since the last access to a key.',
  since: '2.2.3',
  run(context, args) {
    const ref = inspect(context, args);
    if (ref === 0) return;
    if (tracksFrequency(context)) throw lfuSelected;
    context.reply.integer(context.keyspace.idleSeconds(ref));
  },
});

/** Reference count that Redis answers for the small integers that all keys share. */
const SHARED_REFCOUNT = 2 ** 31 - 1;

const refcount = oneShard({
  ...ofOneKey,
  name: 'OBJECT|REFCOUNT',
  summary: 'Returns the reference count of a value: always 1 here, except for small integers.',
  since: '2.2.3',
  run(context, args) {
    const ref = inspect(context, args);
    if (ref === 0) return;
    const isShared = isSharedInteger(context, ref);
    context.reply.integer(isShared ? SHARED_REFCOUNT : 1);
  },
});

const help = onMain({
  name: 'OBJECT|HELP',
  summary: 'Describes the subcommands.',
  since: '6.2.0',
  complexity: 'O(1)',
  group: 'generic',
  arity: 2,
  flags: ['loading', 'stale'],
  keys: noKeys,
  args: [],
  run({ reply }) {
    helpReply(reply, 'OBJECT', [
      ['ENCODING <key>', 'Returns the internal encoding of the value of <key>.'],
      ['FREQ <key>', 'Returns the logarithmic access counter of <key>.'],
      ['IDLETIME <key>', 'Returns the seconds since the last access to <key>.'],
      ['REFCOUNT <key>', 'Counts the references to the value of <key>.'],
    ]);
  },
});

const object = container({
  name: 'OBJECT',
  summary: 'Container for commands that inspect values.',
  since: '2.2.3',
  complexity: 'Depends on the subcommand.',
  group: 'generic',
  arity: -2,
  flags: [],
  subcommands: [encoding, freq, help, idletime, refcount],
});

export const keyInspection = [type, object];

const notLfu = new CommandError(
  'ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.',
);
const lfuSelected = new CommandError(
  'ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.',
);

function tracksFrequency(context: ShardContext): boolean {
  return context.store.countsUses;
}

/** Looks at the key without touching it; a missing one is answered with null. */
function inspect(context: ShardContext, args: Arguments): Ref {
  const ref = context.keyspace.peek(args.source, args.at(2), args.length(2));
  if (ref === 0) {
    context.miss();
    context.reply.nil();
  } else {
    context.hit();
  }
  if (context.reportsLookUps) context.lookedUp(args.source, args.at(2), args.length(2), ref !== 0);
  return ref;
}
