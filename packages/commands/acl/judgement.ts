/** ACL subcommands about what may be done: categories, trial runs, and the log of denials. */

import { randomBytes } from 'node:crypto';
import { CommandError, errors, untilNul } from '#base';
import type { ReplyWriter } from '#resp';
import { indexesFrom, type Arguments } from '../arguments/arguments.ts';
import { onMain, type CommandHead } from '../definition/definition.ts';
import { ACL_CATEGORIES, aclCategories, isAclCategory } from '../definition/derive.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys } from '../definition/keys.ts';
import type { CommandEntry } from '../definition/command-entry.ts';
import type { CommandTable } from '../definition/command-table.ts';
import type { AclContext, DenialDetails } from './ports.ts';

const LOG_COUNT_DEFAULT = 10;
const PASSWORD_BITS = 256;
const PASSWORD_BITS_MAX = 4_096;
const BITS_PER_DIGIT = 4;

const forAll = {
  group: 'server',
  keys: noKeys,
  flags: ['noscript', 'loading', 'stale'],
  since: '6.0.0',
} as const satisfies Partial<CommandHead>;

const forAdministrators = {
  ...forAll,
  flags: ['admin', 'noscript', 'loading', 'stale'],
} as const satisfies Partial<CommandHead>;

const categories = onMain<AclContext>({
  ...forAll,
  name: 'ACL|CAT',
  summary: 'Returns the command categories, or the commands of one category.',
  complexity: 'O(N) for N commands.',
  arity: -2,
  args: [{ name: 'category', type: 'string', optional: true }],
  run({ commands, reply }, args) {
    if (args.count > 3) throw errors.subcommandSyntax(args.latin1(1), 'ACL');
    if (args.more) {
      writeTexts(reply, commandsIn(commands, untilNul(args.text())));
    } else {
      writeTexts(reply, ACL_CATEGORIES);
    }
  },
});

function commandsIn({ entries }: CommandTable, category: string): readonly string[] {
  const name = category.toLowerCase();
  if (!isAclCategory(name)) {
    throw new CommandError(`ERR Unknown category '${category.slice(0, 128)}'`);
  }
  return entries
    .filter((entry) => !entry.isHidden && aclCategories(entry.command).includes(name))
    .map(({ lowerName }) => lowerName);
}

function writeTexts(reply: ReplyWriter, texts: readonly string[]): void {
  reply.arrayHeader(texts.length);
  for (const text of texts) reply.text(text);
}

const whoAmI = onMain<AclContext>({
  ...forAll,
  name: 'ACL|WHOAMI',
  sessionOnly: true,
  summary: 'Returns the name of the user that this connection is authenticated as.',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  run({ client, reply }) {
    reply.text(client.session.user, 'latin1');
  },
});

const badBits = new CommandError(
  `ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to ${PASSWORD_BITS_MAX}`,
);

const generatePassword = onMain<AclContext>({
  ...forAll,
  name: 'ACL|GENPASS',
  summary: 'Returns a new random password.',
  complexity: 'O(1)',
  arity: -2,
  args: [{ name: 'bits', type: 'integer', optional: true }],
  run({ reply }, args) {
    if (args.count > 3) throw errors.subcommandSyntax(args.latin1(1), 'ACL');
    const bits = args.more ? args.roundedAt(2, errors.notInteger) : PASSWORD_BITS;
    if (bits <= 0 || bits > PASSWORD_BITS_MAX) throw badBits;
    const digits = Math.ceil(bits / BITS_PER_DIGIT);
    reply.text(
      randomBytes(Math.ceil(digits / 2))
        .toString('hex')
        .slice(0, digits),
    );
  },
});

const dryRun = onMain<AclContext>({
  ...forAdministrators,
  name: 'ACL|DRYRUN',
  summary:
    'Checks whether a user may run a command, without running it; returns OK or the reason for the denial.',
  since: '7.0.0',
  complexity: 'O(1)',
  arity: -4,
  args: [
    { name: 'username', type: 'string' },
    { name: 'command', type: 'string' },
    { name: 'arg', type: 'string', optional: true, multiple: true },
  ],
  // They are the arguments of any command, or of one that is misspelt.
  secret: (args: Arguments) => indexesFrom(2, args.count),
  run({ acl, commands, reply }, args) {
    const user = args.text();
    if (acl.user(user) === undefined) {
      throw new CommandError(`ERR User '${untilNul(user)}' not found`);
    }
    const tried = args.tail(3);
    const entry = entryOf(commands, tried);
    if (entry === undefined) {
      throw new CommandError(`ERR Command '${untilNul(tried.latin1(0))}' not found`);
    }
    if (!entry.hasArity(tried.count)) throw errors.wrongArguments(entry.lowerName);
    const denial = acl.denialOf(user, entry, tried);
    if (denial === undefined) reply.ok();
    else reply.text(denial, 'latin1');
  },
});

/** Command of the arguments; the container if there is no subcommand. */
function entryOf(commands: CommandTable, args: Arguments): CommandEntry | undefined {
  const top = commands.find(args.source, args.at(0), args.length(0));
  if (top?.route !== 'container' || top.isOpaque || args.count < 2) return top;
  return top.subcommand(args.source, args.at(1), args.length(1));
}

const log = onMain<AclContext>({
  ...forAdministrators,
  name: 'ACL|LOG',
  summary: 'Returns the latest denials, or clears them.',
  complexity: 'O(N) for N entries.',
  arity: -2,
  args: [
    {
      name: 'operation',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'count', type: 'integer' },
        { name: 'reset', type: 'pure-token', token: 'RESET' },
      ],
    },
  ],
  history: [['7.2.0', 'Added id, creation time and update time to entries.']],
  run({ acl, reply, nowMs }, args) {
    if (args.count > 3) throw errors.subcommandSyntax(args.latin1(1), 'ACL');
    if (args.takes('RESET')) {
      acl.resetDenials();
      reply.ok();
      return;
    }
    const count = args.more ? Math.max(0, args.roundedAt(2)) : LOG_COUNT_DEFAULT;
    const entries = acl.denials.slice(0, count);
    reply.arrayHeader(entries.length);
    for (const entry of entries) writeDenial(reply, entry, nowMs);
  },
});

function writeDenial(reply: ReplyWriter, denial: DenialDetails, nowMs: number): void {
  const text = (name: string, value: string): void => {
    reply.text(name);
    reply.text(value, 'latin1');
  };
  const integer = (name: string, value: number): void => {
    reply.text(name);
    reply.integer(value);
  };
  reply.mapHeader(10);
  integer('count', denial.count);
  text('reason', denial.reason);
  text('context', denial.context);
  text('object', denial.object);
  text('username', denial.user);
  reply.text('age-seconds');
  reply.double((nowMs - denial.updatedMs) / 1_000);
  text('client-info', denial.client);
  integer('entry-id', denial.id);
  integer('timestamp-created', denial.createdMs);
  integer('timestamp-last-updated', denial.updatedMs);
}

const help = onMain<AclContext>({
  ...forAll,
  flags: ['loading', 'stale'],
  name: 'ACL|HELP',
  summary: 'Lists the subcommands of ACL.',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  run({ reply }) {
    helpReply(reply, 'ACL', [
      ['CAT [<category>]', 'Returns the command categories, or the commands of <category>.'],
      ['DELUSER <username> [<username> ...]', 'Deletes users, and closes their connections.'],
      [
        'DRYRUN <username> <command> [<arg> ...]',
        'Checks whether the user may run the command; does not run it.',
      ],
      ['GETUSER <username>', 'Returns the rules of a user.'],
      ['GENPASS [<bits>]', 'Returns a new random password of <bits> bits (default: 256).'],
      ['LIST', 'Returns all users with their rules, as lines of an ACL file.'],
      ['LOAD', 'Replaces all users with those of the ACL file.'],
      ['LOG [<count> | RESET]', 'Returns the latest denials, or clears them.'],
      ['SAVE', 'Writes all users to the ACL file.'],
      ['SETUSER <username> <rule> [<rule> ...]', 'Creates a user, or changes its rules.'],
      ['STATS [<username>]', 'Counts of each user, or of one: commands, errors, time, bytes.'],
      ['USERS', 'Returns the names of all users.'],
      ['WHOAMI', 'Returns the user that this connection is authenticated as.'],
    ]);
  },
});

export const judgementCommands = [categories, whoAmI, generatePassword, dryRun, log, help];
