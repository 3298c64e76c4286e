/** Faults over the whole table, and its agreement with what a Redis 7.4.1 says of its commands. */

import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  aclCategories,
  faults,
  keyRange,
  keySpecFlags,
  shownFlags,
  tips,
} from '../definition/derive.ts';
import type { CommandEntry } from '../definition/command-entry.ts';
import { commandTable } from './all-commands.ts';

const table = suite('table');

/** The sources are two levels up from what was compiled from them. */
const detailsFile = new URL('../../../../packages/commands/redis-facts.json', import.meta.url);

/**
 * Facts by command: arity, flags, first, last and step of keys, ACL categories, tips, and what its specs say of their
 * keys.
 */
const details = JSON.parse(readFileSync(detailsFile, 'utf8')) as Record<string, string>;

/** Commands that clients see, and Redis has, too. */
const shown = commandTable.entries.filter((entry) => !entry.isHidden);

function detailsOf(entry: CommandEntry): string {
  const { command } = entry;
  const { first, last, step } = keyRange(command.keys);
  const flags = shownFlags(command).join(' ') || 'none';
  const acl = aclCategories(command).toSorted().join(' ');
  const hints = tips(command).join(' ') || 'none';
  const specs = command.keys.specs.map((spec) => keySpecFlags(spec).join(' ')).join(', ') || 'none';
  const keys = `keys ${first} ${last} ${step}`;
  return `arity ${entry.arity}; flags ${flags}; ${keys}; acl ${acl}; tips ${hints}; specs ${specs}`;
}

for (const { command } of commandTable.entries) {
  table(`${command.name} has no faults`, () => assert.equal(faults(command), []));
}

for (const entry of shown) {
  const { name } = entry.command;
  if (details[name] === undefined) continue;
  table(`${name} is what it is in Redis`, () => assert.is(detailsOf(entry), details[name]));
}

table('names are there once', () => {
  const names = shown.map(({ command }) => command.name);
  assert.is(new Set(names).size, names.length);
});

table('finds commands in any case, and no others', () => {
  for (const { command } of commandTable.topLevel) {
    for (const name of [command.name, command.name.toLowerCase()]) {
      const bytes = Buffer.from(name);
      assert.is(commandTable.find(bytes, 0, bytes.length)?.command, command);
    }
  }
  for (const name of ['', 'G', 'GETT', '__PROTO__', 'OBJECT|HELP', 'CONSTRUCTOR']) {
    const bytes = Buffer.from(name);
    assert.is(commandTable.find(bytes, 0, bytes.length), undefined, name);
  }
});

table('subcommands belong to their container by name', () => {
  for (const { command, container } of commandTable.entries) {
    if (container === undefined || container.bare?.command === command) continue;
    assert.ok(command.name.startsWith(`${container.command.name}|`), command.name);
  }
});

/** The text of all tests that may call a command. */
function testSources(): string {
  const folder = new URL('../../../../packages/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) =>
      /^(access|cluster|commands|e2e|messaging|replication|server)\/.*\.test\.ts$/.test(file),
    )
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n');
}

table(
  'what is looked ahead for in a value is a field or member, by what the command says of itself',
  () => {
    const looking = commandTable.entries.filter(({ field }) => field > 0);
    for (const { command, field, firstArgumentIsKey } of looking) {
      assert.ok(firstArgumentIsKey, command.name);
      // Options before it are left out, as most calls do.
      const flat = command.args.filter(({ type }) => type !== 'pure-token' && type !== 'oneof');
      const names = flat.flatMap((arg) => arg.arguments?.map(({ name }) => name) ?? [arg.name]);
      assert.ok(
        ['field', 'member'].includes(names[field - 1]!),
        `${command.name}: ${names.join()}`,
      );
    }
    assert.ok(looking.length > 20);
  },
);

table('every command is called by some test', () => {
  const sources = testSources();
  const uncalled = commandTable.entries.filter(({ command }) => {
    if (command.route === 'container') return false;
    const words = command.name.split('|').join(`['", ]+`);
    // A line of a test, or the words of one.
    return !new RegExp(`['"\`]${words}['"\` ]`, 'i').test(sources);
  });
  assert.equal(
    uncalled.map(({ command }) => command.name),
    [],
  );
});

table.run();
