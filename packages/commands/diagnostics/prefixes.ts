/** PREFIXES: usage, number and memory of keys by configured prefix. */

import { CommandError } from '#base';
import type { PrefixReport } from '#stats';
import type { ReplyWriter } from '#resp';
import { container, onMain, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys } from '../definition/keys.ts';
import type { DiagnosticsContext } from './ports.ts';

const none = new CommandError('ERR no key prefixes are configured, set key-prefixes.prefixes');

const aboutPrefixes = {
  since: '7.4.0',
  complexity: 'O(1)',
  group: 'server',
  arity: 2,
  keys: noKeys,
  args: [],
} as const satisfies Partial<CommandHead>;

const get = onMain<DiagnosticsContext>({
  ...aboutPrefixes,
  name: 'PREFIXES|GET',
  summary: 'Returns the usage and the number of keys by configured prefix.',
  complexity: 'O(N) for N prefixes.',
  flags: ['admin', 'loading', 'stale'],
  tips: ['request_policy:all_nodes', 'nondeterministic_output'],
  run({ reply, prefixes }) {
    const { entries } = prefixes;
    if (entries.length === 0) throw none;
    reply.arrayHeader(entries.length);
    for (const entry of entries) writeEntry(entry, reply);
  },
});

function writeEntry(entry: PrefixReport, reply: ReplyWriter): void {
  const fields = [
    ['ops', entry.ops],
    ['hits', entry.hits],
    ['misses', entry.misses],
    ['input-bytes', entry.inputBytes],
    ['output-bytes', entry.outputBytes],
    ['keys', entry.keys],
    ['memory-bytes', entry.memoryBytes],
  ] as const;
  reply.mapHeader(fields.length + 1);
  reply.text('prefix');
  reply.text(entry.prefix);
  for (const [name, value] of fields) {
    reply.text(name);
    if (value === null) reply.nil();
    else reply.integer(value);
  }
}

const help = onMain<DiagnosticsContext>({
  ...aboutPrefixes,
  name: 'PREFIXES|HELP',
  summary: 'Describes the subcommands.',
  flags: ['loading', 'stale'],
  run({ reply }) {
    helpReply(reply, 'PREFIXES', [
      [
        'GET',
        'Returns usage by prefix of key-prefixes, and of keys without any of these: keys named by',
        'commands, hits, misses, and bytes of requests and replies since CONFIG RESETSTAT; number',
        'of keys and their memory as of the latest scan of the keyspace.',
      ],
    ]);
  },
});

const prefixes = container({
  name: 'PREFIXES',
  summary: 'Container for commands about key prefixes.',
  since: '7.4.0',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  arity: -2,
  flags: [],
  subcommands: [get, help],
});

export const keyPrefixes = [prefixes];
