import { container, type Command } from '../definition.ts';
import { clusterMembership } from './membership.ts';
import { clusterMoves } from './moves.ts';
import { clusterReports } from './reports.ts';
import { clusterSession } from './session.ts';
import { clusterSlots } from './slots.ts';

const cluster = container({
  name: 'CLUSTER',
  summary: 'Groups the commands about the cluster.',
  since: '3.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'cluster',
  arity: -2,
  flags: [],
  subcommands: [...clusterReports, ...clusterSlots, ...clusterMoves, ...clusterMembership],
});

export const clusterCommands: readonly Command[] = [...clusterSession, cluster];

export type {
  ClusterContext,
  ClusterGroupFacts,
  ClusterNodeFacts,
  ClusterPort,
  SlotMigrationFacts,
  SlotMovesPort,
  SlotChange,
} from './ports.ts';
