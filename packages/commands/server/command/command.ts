/** COMMAND: reports the commands, derived from their definitions. */

import { CommandError, errors, fromLatin1, globMatches } from '#base';
import { indexesFrom, type Arguments, type ArgumentSource } from '../../arguments/arguments.ts';
import { container, onMain, type Command, type CommandHead } from '../../definition/definition.ts';
import { aclCategories, keySpecFlags } from '../../definition/derive.ts';
import { helpReply } from '../../definition/help.ts';
import { findKeys, noKeys, type FoundKey } from '../../definition/keys.ts';
import type { CommandEntry } from '../../definition/command-entry.ts';
import type { CommandTable } from '../../definition/command-table.ts';
import { writeDocs, writeInfo, writeSimpleSet } from './command-reply.ts';
import type { ServerContext } from '../ports/ports.ts';

const aboutCommands = {
  group: 'server',
  flags: ['loading', 'stale'],
  keys: noKeys,
  acl: { add: ['connection'] },
} as const satisfies Partial<CommandHead>;

const commandNames = [
  { name: 'command-name', type: 'string', optional: true, multiple: true },
] as const;

const wholeCommand = [
  { name: 'command', type: 'string' },
  { name: 'arg', type: 'string', optional: true, multiple: true },
] as const;

const count = onMain<ServerContext>({
  ...aboutCommands,
  name: 'COMMAND|COUNT',
  summary: 'Returns the number of commands.',
  since: '2.8.13',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  run: ({ reply, commands }) => reply.integer(commands.topLevel.length),
});

const info = onMain<ServerContext>({
  ...aboutCommands,
  name: 'COMMAND|INFO',
  summary: 'Returns arity, flags, keys and categories of the named commands, or of all.',
  since: '2.8.13',
  complexity: 'O(N) for N commands.',
  arity: -2,
  args: commandNames,
  tips: ['nondeterministic_output_order'],
  history: [['7.0.0', 'Without names all commands are returned.']],
  run(context, args) {
    if (args.count === 2) {
      answerAll(context);
      return;
    }
    context.reply.arrayHeader(args.count - 2);
    for (let index = 2; index < args.count; index += 1) {
      writeInfo(context.reply, lookUp(context.commands, args.latin1(index)));
    }
  },
});

const docs = onMain<ServerContext>({
  ...aboutCommands,
  name: 'COMMAND|DOCS',
  summary: 'Returns the documentation of the named commands, or of all.',
  since: '7.0.0',
  complexity: 'O(N) for N commands.',
  arity: -2,
  args: commandNames,
  tips: ['nondeterministic_output_order'],
  run({ reply, commands }, args) {
    const entries = args.count === 2 ? commands.topLevel : namedIn(commands, args);
    reply.mapHeader(entries.length);
    for (const entry of entries) {
      reply.text(entry.lowerName);
      writeDocs(reply, entry);
    }
  },
});

const list = onMain<ServerContext>({
  ...aboutCommands,
  name: 'COMMAND|LIST',
  summary: 'Returns the names of all commands, or of those that pass a filter.',
  since: '7.0.0',
  complexity: 'O(N) for N commands.',
  arity: -2,
  args: [
    {
      name: 'filterby',
      type: 'oneof',
      token: 'FILTERBY',
      optional: true,
      arguments: [
        { name: 'module-name', type: 'string', token: 'MODULE' },
        { name: 'category', type: 'string', token: 'ACLCAT' },
        { name: 'pattern', type: 'pattern', token: 'PATTERN' },
      ],
    },
  ],
  tips: ['nondeterministic_output_order'],
  run({ reply, commands }, args) {
    const passes = readFilter(args);
    const entries = commands.entries.filter((entry) => !entry.isHidden && passes(entry));
    reply.arrayHeader(entries.length);
    for (const entry of entries) reply.text(entry.lowerName);
  },
});

const getkeys = onMain<ServerContext>({
  ...aboutCommands,
  name: 'COMMAND|GETKEYS',
  summary: 'Returns the arguments of a complete command that are keys.',
  since: '2.8.13',
  complexity: 'O(N) for N arguments of the command.',
  arity: -3,
  args: wholeCommand,
  secret: secretsOfWhole,
  run({ reply, commands }, args) {
    const keys = keysOf(commands, args);
    reply.arrayHeader(keys.length);
    for (const { index } of keys) reply.bulk(args.view(index + NAMES));
  },
});

const getkeysandflags = onMain<ServerContext>({
  ...aboutCommands,
  name: 'COMMAND|GETKEYSANDFLAGS',
  summary: 'Returns the arguments of a complete command that are keys, with their access flags.',
  since: '7.0.0',
  complexity: 'O(N) for N arguments of the command.',
  arity: -3,
  args: wholeCommand,
  secret: secretsOfWhole,
  run({ reply, commands }, args) {
    const keys = keysOf(commands, args);
    reply.arrayHeader(keys.length);
    for (const { index, spec } of keys) {
      const { variable, ...handling } = spec;
      reply.arrayHeader(2);
      reply.bulk(args.view(index + NAMES));
      const actual = { ...handling, ...variable?.(shifted(args)) };
      writeSimpleSet(reply, keySpecFlags(actual));
    }
  },
});

const help = onMain<ServerContext>({
  ...aboutCommands,
  name: 'COMMAND|HELP',
  summary: 'Describes the subcommands.',
  since: '5.0.0',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  run({ reply }) {
    helpReply(reply, 'COMMAND', [
      ['(no subcommand)', 'Returns arity, flags, keys and categories of all commands.'],
      ['COUNT', 'Counts the commands.'],
      [
        'LIST [FILTERBY <MODULE|ACLCAT|PATTERN> <value>]',
        'Returns the names of all commands, or of those that pass the filter.',
      ],
      [
        'INFO [<command-name> ...]',
        'Returns arity, flags, keys and categories of these commands, or of all.',
      ],
      ['DOCS [<command-name> ...]', 'Returns the documentation of these commands, or of all.'],
      ['GETKEYS <full-command>', 'Returns the arguments of a complete command that are keys.'],
      [
        'GETKEYSANDFLAGS <full-command>',
        'Returns the arguments of a complete command that are keys, with their access flags.',
      ],
    ]);
  },
});

const command = container({
  ...aboutCommands,
  name: 'COMMAND',
  summary: 'Returns arity, flags, keys and categories of all commands.',
  since: '2.8.13',
  complexity: 'O(N) for N commands.',
  arity: -1,
  tips: ['nondeterministic_output_order'],
  subcommands: [count, docs, getkeys, getkeysandflags, help, info, list],
  bare: onMain<ServerContext>({
    ...aboutCommands,
    name: 'COMMAND',
    summary: 'Returns arity, flags, keys and categories of all commands.',
    since: '2.8.13',
    complexity: 'O(N) for N commands.',
    arity: 1,
    args: [],
    run: answerAll,
  }),
});

export const commandCommands = [command];

/** Number of names before the command that GETKEYS is asked about. */
const NAMES = 2;

/** Arguments of any command, or of one that is misspelt, may be secrets. */
function secretsOfWhole(args: Arguments): readonly number[] {
  return indexesFrom(NAMES, args.count);
}

function answerAll({ reply, commands }: ServerContext): void {
  const { topLevel } = commands;
  reply.arrayHeader(topLevel.length);
  for (const entry of topLevel) writeInfo(reply, entry);
}

function lookUp(commands: CommandTable, name: string): CommandEntry | undefined {
  const entry = commands.byName(name);
  return entry?.isHidden === true ? undefined : entry;
}

function namedIn(commands: CommandTable, args: Arguments): readonly CommandEntry[] {
  const entries: CommandEntry[] = [];
  for (let index = 2; index < args.count; index += 1) {
    const entry = lookUp(commands, args.latin1(index));
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

function readFilter(args: Arguments): (entry: CommandEntry) => boolean {
  if (args.count === 2) return () => true;
  args.position = 2;
  if (args.count !== 5 || !args.takes('FILTERBY')) throw errors.syntax;
  const kind = args.text().toUpperCase();
  const value = args.text();
  switch (kind) {
    case 'MODULE':
      return () => false;
    case 'ACLCAT':
      return (entry) => hasCategory(entry.command, value.toLowerCase());
    case 'PATTERN':
      return ({ lowerName }) => globMatches(fromLatin1(value), fromLatin1(lowerName), true);
    default:
      throw errors.syntax;
  }
}

function hasCategory(definition: Command, category: string): boolean {
  return (aclCategories(definition) as readonly string[]).includes(category);
}

const invalidCommand = new CommandError('ERR Invalid command specified');
const withoutKeys = new CommandError('ERR The command has no key arguments');
const invalidCount = new CommandError('ERR Invalid number of arguments specified for command');
const invalidArguments = new CommandError('ERR Invalid arguments specified for command');

/** The keys of the command that begins at argument 2; their indexes count from there. */
function keysOf(commands: CommandTable, args: Arguments): readonly FoundKey[] {
  const entry = entryAt(commands, args);
  if (entry === undefined) throw invalidCommand;
  if (!entry.hasKeys) throw withoutKeys;
  const given = args.count - NAMES;
  if (entry.arity > 0 ? entry.arity !== given : given < -entry.arity) throw invalidCount;
  const found = findKeys(entry.command.keys, shifted(args)) ?? [];
  if (found.length === 0 && !entry.has('no_mandatory_keys')) throw invalidArguments;
  return found;
}

function entryAt(commands: CommandTable, args: Arguments): CommandEntry | undefined {
  const entry = commands.find(args.source, args.at(NAMES), args.length(NAMES));
  if (entry === undefined || args.count === NAMES + 1) return entry;
  if (entry.shownSubcommands.length === 0) return entry;
  return entry.subcommand(args.source, args.at(NAMES + 1), args.length(NAMES + 1));
}

/** The arguments from the inner command's name on. */
function shifted(args: Arguments): ArgumentSource {
  return {
    count: args.count - NAMES,
    length: (index) => args.length(index + NAMES),
    integerAt: (index) => args.integerAt(index + NAMES),
    spellsAt: (index, upper) => args.spellsAt(index + NAMES, upper),
  };
}
