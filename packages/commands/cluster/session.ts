/** ASKING, READONLY and READWRITE: states of a cluster client. */

import { onMain, type CommandHead } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import { clusterOf } from './enabled.ts';
import type { ClusterContext } from './ports.ts';

const ofSession = {
  group: 'cluster',
  since: '3.0.0',
  complexity: 'O(1)',
  arity: 1,
  keys: noKeys,
  sessionOnly: true,
  args: [],
  acl: { add: ['connection'] },
} as const satisfies Partial<CommandHead> & { sessionOnly: true };

const asking = onMain<ClusterContext>({
  ...ofSession,
  name: 'ASKING',
  summary: 'Allows the next command to use a slot that is being imported by this node.',
  flags: ['fast'],
  run(context) {
    clusterOf(context);
    // The gate has recorded the command to which it applies.
    context.reply.ok();
  },
});

const readOnly = onMain<ClusterContext>({
  ...ofSession,
  name: 'READONLY',
  summary: 'Allows this connection to read from a replica, whose data may be stale.',
  flags: ['loading', 'stale', 'fast'],
  run(context) {
    clusterOf(context);
    context.client.session.readsFromReplica = true;
    context.reply.ok();
  },
});

const readWrite = onMain<ClusterContext>({
  ...ofSession,
  name: 'READWRITE',
  summary: 'Reverts READONLY for this connection.',
  flags: ['loading', 'stale', 'fast'],
  run(context) {
    clusterOf(context);
    context.client.session.readsFromReplica = false;
    context.reply.ok();
  },
});

export const clusterSession = [asking, readOnly, readWrite];
