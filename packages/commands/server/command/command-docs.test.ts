/** COMMAND DOCS agrees with a Redis 7.4.1 in all that programs read, but for what is newer; sentences are our own. */

import { readFileSync } from 'node:fs';
import { call, CallContext } from '../../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTable } from '../../table/all-commands.ts';

const docs = suite('COMMAND DOCS');

/** The sources are three levels up from what was compiled from them. */
const detailsFile = new URL(
  '../../../../../packages/commands/redis-documents.json',
  import.meta.url,
);

/** Facts by command: version, group, flags, versions with changes, and the arguments. */
const details = JSON.parse(readFileSync(detailsFile, 'utf8')) as Record<string, string>;

/** Commands that take words of ours, or of Valkey. */
const EXTENDED = ['MONITOR', 'CLIENT|LIST', 'CLIENT|KILL'];

type Fields = ReadonlyMap<string, unknown>;

function fieldsOf(flat: unknown): Fields {
  const list = flat as readonly unknown[];
  const names = list.filter((_, index) => index % 2 === 0) as string[];
  return new Map(names.map((name, index) => [name, list[2 * index + 1]]));
}

/** True for versions after the one that the facts are from. */
function isNewer(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 7 || (major === 7 && minor > 4);
}

/** Fields of an argument, with the words that the facts have for them. */
const ARGUMENT_WORDS = [
  ['display_text', 'shown'],
  ['key_spec_index', 'spec'],
  ['token', 'token'],
  ['since', 'since'],
  ['deprecated_since', 'until'],
] as const;

function argumentDetails(flat: unknown): string {
  const argument = fieldsOf(flat);
  const name = argument.get('name') as string;
  const words = [name, argument.get('type') as string];
  for (const [field, word] of ARGUMENT_WORDS) {
    const value = argument.get(field) as string | number | undefined;
    const isPlain = field === 'display_text' && value === name;
    if (value !== undefined && !isPlain) words.push(word, String(value));
  }
  words.push(...((argument.get('flags') ?? []) as string[]).toSorted());
  const inner = argument.get('arguments');
  if (inner !== undefined) words.push(`(${argumentList(inner)})`);
  return words.join(' ');
}

function argumentList(list: unknown): string {
  const older = (list as unknown[]).filter((flat) => {
    return !isNewer((fieldsOf(flat).get('since') ?? '0.0.0') as string);
  });
  return older.map(argumentDetails).join('; ');
}

function detailsOf(command: Fields): string {
  const parts = [
    `since ${command.get('since') as string}`,
    `group ${command.get('group') as string}`,
  ];
  const flags = command.get('doc_flags') as string[] | undefined;
  if (flags !== undefined) parts.push(flags.toSorted().join(' '));
  const deprecated = command.get('deprecated_since') as string | undefined;
  if (deprecated !== undefined) parts.push(`until ${deprecated}`);
  const history = command.get('history') as [string, string][] | undefined;
  if (history !== undefined) {
    const older = history.map(([version]) => version).filter((version) => !isNewer(version));
    if (older.length > 0) parts.push(`history ${[...new Set(older)].toSorted().join(' ')}`);
  }
  const list = command.get('arguments');
  parts.push(`arguments ${list === undefined ? 'none' : argumentList(list)}`);
  return parts.join('. ');
}

for (const { name, lowerName, isHidden } of commandTable.entries) {
  const expected = details[name];
  if (isHidden || expected === undefined || EXTENDED.includes(name)) continue;
  docs(`${name} is what Redis says of it`, async () => {
    const context = new CallContext({ ports: { commands: commandTable } });
    const reply = fieldsOf(await call(context, `COMMAND DOCS ${lowerName}`));
    assert.is(detailsOf(fieldsOf(reply.get(lowerName))), expected);
  });
}

docs.run();
