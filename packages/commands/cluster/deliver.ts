/** CLUSTER DELIVER: delivers a message that was published on another node, and identifies the sending node. */

import { CommandError, errors } from '#base';
import { onMain } from '../definition/definition.ts';
import type { PubSubContext } from '../pubsub/ports.ts';
import { clusterOf, ofCluster } from './enabled.ts';
import type { ClusterContext } from './ports.ts';

/** Commands whose messages nodes forward to each other. */
export type MessageCommand = 'PUBLISH' | 'SPUBLISH';

const badKind = new CommandError('ERR CLUSTER DELIVER takes PUBLISH, SPUBLISH or NODE');

export const deliver = onMain<ClusterContext & PubSubContext>({
  ...ofCluster,
  name: 'CLUSTER|DELIVER',
  summary: 'Delivers a message that was published on another node to subscribers of this node.',
  since: '7.4.0',
  complexity: 'O(N+M), N being the number of subscribers and M the number of patterns there are.',
  arity: -4,
  flags: ['admin', 'pubsub', 'stale', 'fast'],
  args: [
    {
      name: 'command',
      type: 'oneof',
      arguments: [
        { name: 'publish', type: 'pure-token', token: 'PUBLISH' },
        { name: 'spublish', type: 'pure-token', token: 'SPUBLISH' },
        { name: 'node', type: 'pure-token', token: 'NODE' },
      ],
    },
    { name: 'channel-or-node-id', type: 'string' },
    { name: 'message', type: 'string', optional: true },
  ],
  run(context, args) {
    clusterOf(context);
    if (args.count > 5) throw errors.wrongArguments('cluster|deliver');
    if (args.count === 4) {
      if (!args.takes('NODE')) throw badKind;
      context.client.session.peerNode = args.text();
      context.reply.integer(0);
      return;
    }
    const isForAll = args.takes('PUBLISH');
    if (!isForAll && !args.takes('SPUBLISH')) throw badKind;
    const command: MessageCommand = isForAll ? 'PUBLISH' : 'SPUBLISH';
    context.reply.integer(context.pubsub.deliver(command, args.piece(3), args.piece(4)));
  },
});
