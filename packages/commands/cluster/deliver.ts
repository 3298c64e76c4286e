/** CLUSTER DELIVER: a message that was published on another node. */

import { CommandError } from '#base';
import { onMain } from '../definition.ts';
import type { PubSubContext } from '../pubsub/ports.ts';
import { clusterOf, ofCluster } from './enabled.ts';
import type { ClusterContext } from './ports.ts';

/** Commands whose messages nodes tell each other of. */
export type MessageCommand = 'PUBLISH' | 'SPUBLISH';

const badKind = new CommandError('ERR CLUSTER DELIVER takes PUBLISH or SPUBLISH');

export const deliver = onMain<ClusterContext & PubSubContext>({
  ...ofCluster,
  name: 'CLUSTER|DELIVER',
  summary: "Gives a message that was published on another node to this node's clients alone.",
  since: '7.4.0',
  complexity: 'O(N+M), N being the number of subscribers and M the number of patterns there are.',
  arity: 5,
  flags: ['admin', 'pubsub', 'stale', 'fast'],
  args: [
    {
      name: 'command',
      type: 'oneof',
      arguments: [
        { name: 'publish', type: 'pure-token', token: 'PUBLISH' },
        { name: 'spublish', type: 'pure-token', token: 'SPUBLISH' },
      ],
    },
    { name: 'channel', type: 'string' },
    { name: 'message', type: 'string' },
  ],
  run(context, args) {
    clusterOf(context);
    const isForAll = args.takes('PUBLISH');
    if (!isForAll && !args.takes('SPUBLISH')) throw badKind;
    const command: MessageCommand = isForAll ? 'PUBLISH' : 'SPUBLISH';
    context.reply.integer(context.pubsub.deliver(command, args.piece(3), args.piece(4)));
  },
});
