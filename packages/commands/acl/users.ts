/** ACL subcommands that show users and change them. */

import { CommandError, errors } from '#base';
import type { ReplyWriter } from '#resp';
import { USER_QUANTITIES } from '#quantities';
import type { UserCounts } from '#stats';
import { answerOrError, writeOk } from '../contexts/answer-later.ts';
import { indexesFrom, type Arguments } from '../arguments/arguments.ts';
import { onMain, type CommandHead } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import type { AclContext, SelectorDetails } from './ports.ts';

const ofUsers = {
  group: 'server',
  keys: noKeys,
  flags: ['admin', 'noscript', 'loading', 'stale'],
  since: '6.0.0',
} as const satisfies Partial<CommandHead>;

const allSucceed = ['request_policy:all_nodes', 'response_policy:all_succeeded'] as const;

/** Everything after the subcommand: user names, and possibly a password. */
function secrets(args: Arguments): readonly number[] {
  return indexesFrom(2, args.count);
}

const setUser = onMain<AclContext>({
  ...ofUsers,
  name: 'ACL|SETUSER',
  summary: 'Creates a user, or changes its rules.',
  complexity: 'O(N) for N rules.',
  arity: -3,
  args: [
    { name: 'username', type: 'string' },
    { name: 'rule', type: 'string', optional: true, multiple: true },
  ],
  history: [
    ['6.2.0', 'Added rules of channels.'],
    ['7.0.0', 'Added selectors and key permissions.'],
  ],
  tips: allSucceed,
  secret: secrets,
  run({ acl, reply }, args) {
    const name = args.text();
    acl.setUser(name, args.texts());
    reply.ok();
  },
});

const deleteUsers = onMain<AclContext>({
  ...ofUsers,
  name: 'ACL|DELUSER',
  summary: 'Deletes users, and closes their connections.',
  complexity: 'O(N+M) for N users and M connections.',
  arity: -3,
  args: [{ name: 'username', type: 'string', multiple: true }],
  tips: allSucceed,
  secret: secrets,
  run({ acl, reply }, args) {
    reply.integer(acl.deleteUsers(args.texts()));
  },
});

const getUser = onMain<AclContext>({
  ...ofUsers,
  name: 'ACL|GETUSER',
  summary: 'Returns the rules of a user.',
  complexity: 'O(N) for N rules.',
  arity: 3,
  args: [{ name: 'username', type: 'string' }],
  history: [
    ['6.2.0', 'Added the rules of channels.'],
    ['7.0.0', 'Added selectors; rules are one string.'],
  ],
  secret: secrets,
  run({ acl, reply }, args) {
    const user = acl.user(args.text());
    if (user === undefined) {
      reply.nil();
      return;
    }
    // Limits are an extension: users without limits look as in Redis.
    const isLimited = user.limitRules.length > 0;
    reply.mapHeader(isLimited ? 7 : 6);
    reply.text('flags');
    reply.setHeader(user.flags.length);
    for (const flag of user.flags) reply.text(flag);
    reply.text('passwords');
    reply.arrayHeader(user.passwords.length);
    for (const hash of user.passwords) reply.text(hash);
    writeSelector(reply, user.root);
    reply.text('selectors');
    reply.arrayHeader(user.others.length);
    for (const selector of user.others) {
      reply.mapHeader(3);
      writeSelector(reply, selector);
    }
    if (!isLimited) return;
    reply.text('ratelimit');
    reply.text(user.limitRules.join(' '));
  },
});

function writeSelector(reply: ReplyWriter, selector: SelectorDetails): void {
  reply.text('commands');
  reply.text(selector.commandRules, 'latin1');
  reply.text('keys');
  reply.text(selector.keyRules, 'latin1');
  reply.text('channels');
  reply.text(selector.channelRules, 'latin1');
}

const list = onMain<AclContext>({
  ...ofUsers,
  name: 'ACL|LIST',
  summary: 'Returns all users with their rules, as lines of an ACL file.',
  complexity: 'O(N) for N users.',
  arity: 2,
  args: [],
  run({ acl: { users }, reply }) {
    reply.arrayHeader(users.length);
    for (const { name, description } of users) reply.text(`user ${name} ${description}`, 'latin1');
  },
});

const names = onMain<AclContext>({
  ...ofUsers,
  name: 'ACL|USERS',
  summary: 'Returns the names of all users.',
  complexity: 'O(N) for N users.',
  arity: 2,
  args: [],
  run({ acl: { users }, reply }) {
    reply.arrayHeader(users.length);
    for (const { name } of users) reply.text(name, 'latin1');
  },
});

const load = onMain<AclContext>({
  ...ofUsers,
  name: 'ACL|LOAD',
  summary: 'Replaces all users with those of the ACL file.',
  complexity: 'O(N) for N users.',
  arity: 2,
  args: [],
  run(context) {
    answerOrError(context, context.acl.load(), writeOk);
  },
});

const save = onMain<AclContext>({
  ...ofUsers,
  name: 'ACL|SAVE',
  summary: 'Writes all users to the ACL file.',
  complexity: 'O(N) for N users.',
  arity: 2,
  args: [],
  tips: allSucceed,
  run(context) {
    answerOrError(context, context.acl.save(), writeOk);
  },
});

const stats = onMain<AclContext>({
  ...ofUsers,
  name: 'ACL|STATS',
  summary:
    'Returns statistics of all users or of one: connections, commands, errors, time and bytes.',
  complexity: 'O(N) for N users and connections.',
  since: '7.4.0',
  arity: -2,
  args: [{ name: 'username', type: 'string', optional: true }],
  run({ acl, reply }, args) {
    const counts = acl.counts();
    if (!args.more) {
      reply.mapHeader(counts.size);
      for (const [name, fields] of counts) {
        reply.text(name, 'latin1');
        writeCounts(reply, fields);
      }
      return;
    }
    if (args.count > 3) throw errors.subcommandSyntax(args.latin1(1), 'ACL');
    const name = args.text();
    const fields = counts.get(name);
    if (fields !== undefined) writeCounts(reply, fields);
    else if (acl.user(name) === undefined) reply.nil();
    else throw countedWithOthers;
  },
});

const countedWithOthers = new CommandError(
  'ERR there are too many users for this one to have counts of its own: it is counted as (other users)',
);

/** Line of all denials together, before those by reason. */
const DENIED = 'denied';

function writeCounts(reply: ReplyWriter, counts: UserCounts): void {
  const fields = USER_QUANTITIES.map(
    ({ stats: name, field }) => [name as string, Math.round(counts[field])] as const,
  );
  const first = fields.findIndex(([name]) => name.startsWith(DENIED));
  const denials = fields.filter(([name]) => name.startsWith(DENIED));
  const denied = denials.reduce((sum, [, count]) => sum + count, 0);
  const reported = [...fields.slice(0, first), [DENIED, denied] as const, ...fields.slice(first)];
  reply.mapHeader(reported.length);
  for (const [name, value] of reported) {
    reply.text(name);
    reply.integer(value);
  }
}

export const userCommands = [setUser, deleteUsers, getUser, list, names, load, save, stats];
