/** Sending messages. */

import { onMain, type CommandHead } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import type { PubSubContext } from './ports.ts';

const ofPublishing = {
  group: 'pubsub',
  arity: 3,
  channels: 'first',
  flags: ['pubsub', 'loading', 'stale', 'fast', 'may_replicate'],
} as const satisfies Partial<CommandHead>;

const publish = onMain<PubSubContext>({
  ...ofPublishing,
  name: 'PUBLISH',
  summary: 'Publishes a message to a channel.',
  since: '2.0.0',
  complexity: 'O(N+M), N being the number of subscribers and M the number of patterns there are.',
  keys: noKeys,
  args: [
    { name: 'channel', type: 'string' },
    { name: 'message', type: 'string' },
  ],
  run({ pubsub, reply }, args) {
    reply.integer(pubsub.publish(args.piece(1), args.piece(2)));
  },
});

const publishToShard = onMain<PubSubContext>({
  ...ofPublishing,
  name: 'SPUBLISH',
  summary: 'Publishes a message to a shard channel.',
  since: '7.0.0',
  complexity: 'O(N), N being the number of subscribers.',
  keys: {
    specs: [
      {
        begin: { index: 1 },
        find: { last: 0, step: 1, limit: 0 },
        access: 'RO',
        notKey: true,
      },
    ],
  },
  args: [
    { name: 'shardchannel', type: 'string' },
    { name: 'message', type: 'string' },
  ],
  run({ pubsub, reply }, args) {
    reply.integer(pubsub.publishToShard(args.piece(1), args.piece(2)));
  },
});

export const publishCommands = [publish, publishToShard];
