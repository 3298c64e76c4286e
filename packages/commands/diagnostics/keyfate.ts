/** KEYFATE: removed keys, with the reason and the command of each. */

import { type Bytes, CommandError, errors } from '#base';
import type { ReplyWriter } from '#resp';
import { answerLater, writeOk } from '../contexts/answer-later.ts';
import type { Arguments } from '../arguments/arguments.ts';
import { container, onMain, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys } from '../definition/keys.ts';
import type { DiagnosticsContext, RemovedKeyEntry } from './ports.ts';

const COUNT_DEFAULT = 10;
const ALL = -1;
const KEY_INDEX = 2;

const badCount = new CommandError('ERR count should be greater than or equal to -1');

const aboutFates = {
  since: '7.4.0',
  group: 'server',
  flags: ['admin', 'loading', 'stale'],
  keys: noKeys,
} as const satisfies Partial<CommandHead>;

const get = onMain<DiagnosticsContext>({
  ...aboutFates,
  name: 'KEYFATE|GET',
  summary: 'Returns the keys that were removed last, on all shards.',
  complexity: 'O(N) for N removed keys that are kept.',
  arity: -2,
  args: [{ name: 'count', type: 'integer', optional: true }],
  tips: ['request_policy:all_nodes', 'nondeterministic_output'],
  run(context, args) {
    answerRemovedKeys(context, countAt(args, 2));
  },
});

const key = onMain<DiagnosticsContext>({
  ...aboutFates,
  name: 'KEYFATE|KEY',
  summary:
    'Returns the latest removals of one key of the selected database, and the time of the last FLUSH.',
  complexity: 'O(N) for N removed keys that are kept.',
  arity: -3,
  args: [
    // Not of type key: it is looked up among removed keys, and no key is read.
    { name: 'key', type: 'string' },
    { name: 'count', type: 'integer', optional: true },
  ],
  tips: ['request_policy:all_nodes', 'nondeterministic_output'],
  run(context, args) {
    const count = countAt(args, KEY_INDEX + 1);
    const { bytes, at, length } = args.piece(KEY_INDEX);
    // Kept until the shards have answered.
    const wanted = bytes.slice(at, at + length);
    answerRemovedKeys(context, count, { database: context.client.session.database, key: wanted });
  },
});

function countAt(args: Arguments, index: number): number {
  if (args.count > index + 1) throw errors.subcommandSyntax(args.latin1(1), 'KEYFATE');
  if (args.count <= index) return COUNT_DEFAULT;
  const count = args.roundedAt(index, badCount);
  if (count < ALL) throw badCount;
  return count === ALL ? Infinity : count;
}

function answerRemovedKeys(
  context: DiagnosticsContext,
  count: number,
  of?: { readonly database: number; readonly key: Bytes },
): void {
  answerLater(context, context.keyFates.newest(count, of), (reply, removedKeys) => {
    reply.arrayHeader(removedKeys.length);
    for (const removed of removedKeys) writeRemovedKey(removed, reply);
  });
}

function writeRemovedKey(removed: RemovedKeyEntry, reply: ReplyWriter): void {
  const { client } = removed;
  const numbers = [
    ['id', removed.id],
    ['unix-time-ms', Math.floor(removed.unixMs)],
    ['db', removed.database],
    ['shard', removed.shard],
    ['keys', removed.keys],
    ['key-length', removed.keyBytes],
    ['client-id', client?.id ?? 0],
  ] as const;
  const texts = [
    ['reason', removed.fate],
    ['command', removed.command],
    ['client-addr', client?.address ?? ''],
    ['client-name', client?.name ?? ''],
    ['user', client?.user ?? ''],
  ] as const;
  reply.mapHeader(numbers.length + texts.length + 1);
  for (const [name, value] of numbers) {
    reply.text(name);
    reply.integer(value);
  }
  reply.text('key');
  reply.bulk(removed.key);
  for (const [name, value] of texts) {
    reply.text(name);
    reply.text(value, 'latin1');
  }
}

const counts = onMain<DiagnosticsContext>({
  ...aboutFates,
  name: 'KEYFATE|COUNTS',
  summary: 'Returns the number of removed keys by reason.',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  tips: ['request_policy:all_nodes', 'nondeterministic_output'],
  run({ reply, keyFates }) {
    const all = keyFates.counts;
    reply.mapHeader(all.length);
    for (const [fate, keys] of all) {
      reply.text(fate);
      reply.integer(keys);
    }
  },
});

const len = onMain<DiagnosticsContext>({
  ...aboutFates,
  name: 'KEYFATE|LEN',
  summary: 'Returns the number of recorded key removals, over all shards.',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  tips: ['request_policy:all_nodes', 'response_policy:agg_sum', 'nondeterministic_output'],
  run({ reply, keyFates }) {
    reply.integer(keyFates.length);
  },
});

const reset = onMain<DiagnosticsContext>({
  ...aboutFates,
  name: 'KEYFATE|RESET',
  summary: 'Clears the recorded key removals; the counts stay.',
  complexity: 'O(N) for N removed keys that are kept.',
  arity: 2,
  args: [],
  tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  run(context) {
    answerLater(context, context.keyFates.reset(), writeOk);
  },
});

const help = onMain<DiagnosticsContext>({
  ...aboutFates,
  flags: ['loading', 'stale'],
  name: 'KEYFATE|HELP',
  summary: 'Describes the subcommands.',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  run({ reply }) {
    helpReply(reply, 'KEYFATE', [
      [
        'GET [<count>]',
        'Returns the latest removed keys (default: 10); -1 for all.',
        'Keys are cut off after 128 bytes; key-length is the length of the whole key.',
      ],
      [
        'KEY <key> [<count>]',
        'Returns the latest removals of one key of the selected database, and the time of the last FLUSH.',
      ],
      ['COUNTS', 'Returns the number of removed keys by reason since CONFIG RESETSTAT.'],
      ['LEN', 'Returns the number of recorded key removals.'],
      ['RESET', 'Clears the recorded key removals; the counts stay.'],
    ]);
  },
});

const keyfate = container({
  name: 'KEYFATE',
  summary: 'Container for commands about removed keys.',
  since: '7.4.0',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  arity: -2,
  flags: [],
  subcommands: [get, key, counts, len, reset, help],
});

export const keyFates = [keyfate];
