/** Descriptions of commands by COMMAND INFO and COMMAND DOCS: Redis' shapes, field for field. */

import type { ReplyWriter } from '#resp';
import type { ArgumentDoc, Command } from '../../definition/definition.ts';
import {
  aclCategories,
  keyRange,
  keySpecFlags,
  shownFlags,
  tips,
} from '../../definition/derive.ts';
import type { KeySpec } from '../../definition/keys.ts';
import type { CommandEntry } from '../../definition/command-entry.ts';

/** The ten fields of COMMAND INFO, or null for a command that does not exist. */
export function writeInfo(reply: ReplyWriter, entry: CommandEntry | undefined): void {
  if (entry === undefined) {
    reply.nil();
    return;
  }
  const { command } = entry;
  const { first, last, step } = keyRange(command.keys);
  reply.arrayHeader(10);
  reply.text(entry.lowerName);
  reply.integer(entry.arity);
  writeSimpleSet(reply, shownFlags(command));
  reply.integer(first);
  reply.integer(last);
  reply.integer(step);
  writeSimpleSet(
    reply,
    aclCategories(command).map((category) => `@${category}`),
  );
  writeTextSet(reply, tips(command));
  reply.setHeader(command.keys.specs.length);
  for (const spec of command.keys.specs) writeSpec(reply, spec);
  const subcommands = entry.shownSubcommands;
  // Redis has an empty set here, but an array when there are any.
  if (subcommands.length === 0) reply.setHeader(0);
  else reply.arrayHeader(subcommands.length);
  for (const sub of subcommands) writeInfo(reply, sub);
}

/** Flags are simple strings; a map of them would be too long. */
export function writeSimpleSet(reply: ReplyWriter, words: readonly string[]): void {
  reply.setHeader(words.length);
  for (const word of words) reply.simple(word);
}

function writeTextSet(reply: ReplyWriter, words: readonly string[]): void {
  reply.setHeader(words.length);
  for (const word of words) reply.text(word);
}

function writeSpec(reply: ReplyWriter, spec: KeySpec): void {
  const { notes } = spec;
  reply.mapHeader(notes === undefined ? 3 : 4);
  if (notes !== undefined) writeText(reply, 'notes', notes);
  reply.text('flags');
  writeSimpleSet(reply, keySpecFlags(spec));
  reply.text('begin_search');
  writeSearch(reply, ...beginOf(spec));
  reply.text('find_keys');
  writeSearch(reply, ...findOf(spec));
}

type Fields = readonly (readonly [name: string, value: string | number])[];

function beginOf({ begin }: KeySpec): [type: string, fields: Fields] {
  if (begin === 'unknown') return ['unknown', []];
  if ('index' in begin) return ['index', [['index', begin.index]]];
  return [
    'keyword',
    [
      ['keyword', begin.keyword],
      ['startfrom', begin.startFrom],
    ],
  ];
}

function findOf({ find }: KeySpec): [type: string, fields: Fields] {
  if (find === 'unknown') return ['unknown', []];
  if ('last' in find) {
    return [
      'range',
      [
        ['lastkey', find.last],
        ['keystep', find.step],
        ['limit', find.limit],
      ],
    ];
  }
  return [
    'keynum',
    [
      ['keynumidx', find.countAt],
      ['firstkey', find.firstKey],
      ['keystep', find.step],
    ],
  ];
}

function writeSearch(reply: ReplyWriter, type: string, fields: Fields): void {
  reply.mapHeader(2);
  writeText(reply, 'type', type);
  reply.text('spec');
  reply.mapHeader(fields.length);
  for (const [name, value] of fields) {
    reply.text(name);
    if (typeof value === 'number') reply.integer(value);
    else reply.text(value);
  }
}

function writeText(reply: ReplyWriter, name: string, value: string): void {
  reply.text(name);
  reply.text(value);
}

/** A field of a map: its name, and what writes its value. */
type Field = readonly [name: string, write: () => void];

function writeMap(reply: ReplyWriter, fields: readonly (Field | undefined)[]): void {
  const present = fields.filter((field) => field !== undefined);
  reply.mapHeader(present.length);
  for (const [name, write] of present) {
    reply.text(name);
    write();
  }
}

/** The map of COMMAND DOCS. */
export function writeDocs(reply: ReplyWriter, entry: CommandEntry): void {
  const { command, shownSubcommands } = entry;
  const { deprecated, history = [], args } = command;
  const docFlags = docFlagsOf(entry);
  const text = (name: string, value: string): Field => [name, () => reply.text(value)];
  writeMap(reply, [
    text('summary', command.summary),
    text('since', command.since),
    text('group', command.group),
    text('complexity', command.complexity),
    docFlags.length === 0 ? undefined : ['doc_flags', () => writeSimpleSet(reply, docFlags)],
    deprecated && text('deprecated_since', deprecated.since),
    deprecated && text('replaced_by', deprecated.replacedBy),
    history.length === 0 ? undefined : ['history', () => writeHistory(reply, history)],
    args.length === 0 ? undefined : ['arguments', () => writeArguments(reply, command)],
    shownSubcommands.length === 0
      ? undefined
      : ['subcommands', () => writeSubcommands(reply, shownSubcommands)],
  ]);
}

function docFlagsOf({ command, isOpaque }: CommandEntry): readonly string[] {
  const flags: string[] = [];
  if (command.deprecated !== undefined) flags.push('deprecated');
  if (isOpaque || command.isInternal === true) flags.push('syscmd');
  return flags;
}

function writeHistory(
  reply: ReplyWriter,
  history: readonly (readonly [version: string, change: string])[],
): void {
  reply.setHeader(history.length);
  for (const entry of history) {
    reply.arrayHeader(2);
    for (const text of entry) reply.text(text);
  }
}

function writeSubcommands(reply: ReplyWriter, subcommands: readonly CommandEntry[]): void {
  reply.mapHeader(subcommands.length);
  for (const sub of subcommands) {
    reply.text(sub.lowerName);
    writeDocs(reply, sub);
  }
}

function writeArguments(reply: ReplyWriter, { args, keys }: Command): void {
  let keysSeen = 0;
  const specOf = (argument: ArgumentDoc): number | undefined => {
    if (argument.type !== 'key') return argument.keySpec;
    const nth = argument.keySpec ?? Math.min(keysSeen, keys.specs.length - 1);
    keysSeen += 1;
    return nth;
  };
  writeArgumentList(reply, args, specOf);
}

function writeArgumentList(
  reply: ReplyWriter,
  args: readonly ArgumentDoc[],
  specOf: (argument: ArgumentDoc) => number | undefined,
): void {
  reply.arrayHeader(args.length);
  for (const argument of args) {
    const { name, type, shown = name, token, since, deprecatedSince } = argument;
    const inner = type === 'oneof' || type === 'block' ? (argument.arguments ?? []) : undefined;
    const flags = argumentFlags(argument);
    const spec = specOf(argument);
    const text = (label: string, value: string): Field => [label, () => reply.text(value)];
    writeMap(reply, [
      text('name', name),
      text('type', type),
      inner === undefined ? text('display_text', shown) : undefined,
      spec === undefined ? undefined : ['key_spec_index', () => reply.integer(spec)],
      token === undefined ? undefined : text('token', token),
      since === undefined ? undefined : text('since', since),
      deprecatedSince === undefined ? undefined : text('deprecated_since', deprecatedSince),
      flags.length === 0 ? undefined : ['flags', () => writeSimpleSet(reply, flags)],
      inner && ['arguments', () => writeArgumentList(reply, inner, specOf)],
    ]);
  }
}

function argumentFlags({ optional, multiple, multipleToken }: ArgumentDoc): readonly string[] {
  const flags: string[] = [];
  if (optional === true) flags.push('optional');
  if (multiple === true) flags.push('multiple');
  if (multipleToken === true) flags.push('multiple_token');
  return flags;
}
