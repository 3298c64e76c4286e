import { container, type Command } from '../definition/definition.ts';
import { clusterScan, slotOfScan } from './cluster-scan.ts';
import { deliver } from './deliver.ts';
import { clusterMembership } from './membership.ts';
import { migration } from './migration.ts';
import { migrateSlotsOfValkey } from './migrate-slots.ts';
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
    migrateSlotsOfValkey,
    migration,
    deliver,
    ...clusterMembership,
  ],
});

export const clusterCommands: readonly Command[] = [...clusterSession, cluster, clusterScan];

export { slotOfScan };
export { endpointOf, type EndpointType } from './endpoint.ts';
export type { MessageCommand } from './deliver.ts';
export type {
  ClusterContext,
  ClusterGroupDetails,
  ClusterLinkDetails,
  ClusterNodeDetails,
  ClusterPort,
  MoveState,
  MoveWish,
  SlotMigrationDetails,
  SlotMovesPort,
  SlotChange,
  SlotStatistics,
  SlotScan,
  SlotScanStep,
} from './ports.ts';
