import { container, type Command } from '../definition/definition.ts';
import { deliver } from './deliver.ts';
import { clusterMembership } from './membership.ts';
import { clusterMoves } from './moves.ts';
import { clusterReports } from './reports.ts';
import { clusterSession } from './session.ts';
import { clusterSlots } from './slots.ts';
import { slotStats } from './slot-stats.ts';

const cluster = container({
  name: 'CLUSTER',
  summary: 'Container for commands about the cluster.',
  since: '3.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'cluster',
  arity: -2,
  flags: [],
  subcommands: [
    ...clusterReports,
    ...clusterSlots,
    slotStats,
    ...clusterMoves,
    deliver,
    ...clusterMembership,
  ],
});

export const clusterCommands: readonly Command[] = [...clusterSession, cluster];

export { endpointOf, type EndpointType } from './endpoint.ts';
export type { MessageCommand } from './deliver.ts';
export type {
  ClusterContext,
  ClusterGroupDetails,
  ClusterLinkDetails,
  ClusterNodeDetails,
  ClusterPort,
  SlotMigrationDetails,
  SlotMovesPort,
  SlotChange,
  SlotStatistics,
} from './ports.ts';
