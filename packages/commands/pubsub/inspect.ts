/** PUBSUB: channels, patterns and their subscribers. */

import { errors, fromLatin1, globMatches } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import { container, onMain, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys } from '../definition/keys.ts';
import type { PubSubContext } from './ports.ts';

const ofPubSub = {
  group: 'pubsub',
  keys: noKeys,
  flags: ['pubsub', 'loading', 'stale'],
} as const satisfies Partial<CommandHead>;

const patternArgument = [{ name: 'pattern', type: 'pattern', optional: true }] as const;

const channels = onMain<PubSubContext>({
  ...ofPubSub,
  name: 'PUBSUB|CHANNELS',
  summary: 'Returns the channels that have subscribers.',
  since: '2.8.0',
  complexity: 'O(N), N being the number of channels.',
  arity: -2,
  args: patternArgument,
  run(context, args) {
    listChannels(context, args, 'channel');
  },
});

const shardChannels = onMain<PubSubContext>({
  ...ofPubSub,
  name: 'PUBSUB|SHARDCHANNELS',
  summary: 'Returns the shard channels that have subscribers.',
  since: '7.0.0',
  complexity: 'O(N), N being the number of shard channels.',
  arity: -2,
  args: patternArgument,
  run(context, args) {
    listChannels(context, args, 'shardChannel');
  },
});

type NamedKind = 'channel' | 'shardChannel';

function listChannels({ pubsub, reply }: PubSubContext, args: Arguments, kind: NamedKind): void {
  if (args.count > 3) throw errors.subcommandSyntax(args.latin1(1), 'PUBSUB');
  const pattern = args.more ? args.bytes() : undefined;
  const found: string[] = [];
  for (const name of pubsub.channels(kind)) {
    if (pattern === undefined || globMatches(pattern, fromLatin1(name))) found.push(name);
  }
  reply.arrayHeader(found.length);
  for (const name of found) reply.text(name, 'latin1');
}

const numSub = onMain<PubSubContext>({
  ...ofPubSub,
  name: 'PUBSUB|NUMSUB',
  summary: 'Returns the number of subscribers of each named channel.',
  since: '2.8.0',
  complexity: 'O(N), N being the number of channels named.',
  arity: -2,
  args: [{ name: 'channel', type: 'string', optional: true, multiple: true }],
  run(context, args) {
    countSubscribers(context, args, 'channel');
  },
});

const shardNumSub = onMain<PubSubContext>({
  ...ofPubSub,
  name: 'PUBSUB|SHARDNUMSUB',
  summary: 'Returns the number of subscribers of each named shard channel.',
  since: '7.0.0',
  complexity: 'O(N), N being the number of shard channels named.',
  arity: -2,
  args: [{ name: 'shardchannel', type: 'string', optional: true, multiple: true }],
  run(context, args) {
    countSubscribers(context, args, 'shardChannel');
  },
});

function countSubscribers(
  { pubsub, reply }: PubSubContext,
  args: Arguments,
  kind: NamedKind,
): void {
  reply.arrayHeader(2 * args.left);
  while (args.more) {
    const name = args.text();
    reply.text(name, 'latin1');
    reply.integer(pubsub.subscriberCount(kind, name));
  }
}

const numPat = onMain<PubSubContext>({
  ...ofPubSub,
  name: 'PUBSUB|NUMPAT',
  summary: 'Returns the number of distinct patterns that have subscribers.',
  since: '2.8.0',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  run({ pubsub, reply }) {
    reply.integer(pubsub.patternCount);
  },
});

const help = onMain({
  ...ofPubSub,
  name: 'PUBSUB|HELP',
  summary: 'Lists the subcommands of PUBSUB.',
  since: '6.2.0',
  complexity: 'O(1)',
  arity: 2,
  flags: ['loading', 'stale'],
  acl: { drop: ['pubsub'] },
  args: [],
  run({ reply }) {
    helpReply(reply, 'PUBSUB', [
      ['CHANNELS [<pattern>]', 'Returns the channels that have subscribers (default: all).'],
      ['NUMPAT', 'Counts the distinct patterns that have subscribers.'],
      ['NUMSUB [<channel> ...]', 'Returns the number of subscribers of each channel.'],
      [
        'SHARDCHANNELS [<pattern>]',
        'Returns the shard channels that have subscribers (default: all).',
      ],
      [
        'SHARDNUMSUB [<shardchannel> ...]',
        'Returns the number of subscribers of each shard channel.',
      ],
    ]);
  },
});

export const inspectCommands = [
  container({
    name: 'PUBSUB',
    summary: 'Container for commands about channels and subscribers.',
    since: '2.8.0',
    complexity: 'Depends on the subcommand.',
    group: 'pubsub',
    arity: -2,
    flags: [],
    subcommands: [channels, numPat, numSub, shardChannels, shardNumSub, help],
  }),
];
