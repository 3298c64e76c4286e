/** Reports for operators' programs. */

import type { ClusterDocument, ClusterNodeReport, NoCluster } from './cluster.ts';
import type { PrimaryReport, ReplicaReport } from './replication.ts';

export interface AdminRole {
  readonly role: 'primary' | 'replica';
  readonly connected_replicas: number;
  readonly good_replicas: number;
  readonly replication_offset: number;
  /** Lag of the slowest replica. */
  readonly lag_bytes: number;
  readonly lag_us: number;
  /** Null for a primary. */
  readonly primary: AdminPrimary | null;
  readonly replicas: readonly AdminReplica[];
}

/** Primary of the server, and the link to it. */
interface AdminPrimary extends Pick<PrimaryReport, 'host' | 'port' | 'lag_ms'> {
  readonly link_state: string;
  readonly link_up: boolean;
}

interface AdminReplica extends Pick<
  ReplicaReport,
  'addr' | 'host' | 'state' | 'offset' | 'lag_bytes' | 'lag_ms'
> {
  readonly port: number;
}

/** State of the cluster. */
export type AdminCluster = AdminClusterState | NoCluster;

interface AdminClusterState extends Pick<
  ClusterDocument,
  | 'enabled'
  | 'name'
  | 'state'
  | 'state_reason'
  | 'node_id'
  | 'group'
  | 'role'
  | 'known_nodes'
  | 'nodes_present'
  | 'size'
  | 'groups_without_primary'
  | 'current_epoch'
  | 'my_epoch'
> {
  readonly slots_assigned: number;
  readonly slots_ok: number;
  readonly slots_fail: number;
  readonly slots_free: number;
  /** Slots that are moved from a group to another. */
  readonly open_slots: number;
  readonly coordinator_up: boolean;
  readonly lease_held: boolean;
  readonly lease_remaining_ms: number;
}

export interface AdminNodes {
  readonly enabled: boolean;
  /** Empty without a cluster. */
  readonly nodes: readonly AdminNode[];
}

interface AdminNode extends Pick<
  ClusterNodeReport,
  | 'id'
  | 'self'
  | 'role'
  | 'group'
  | 'present'
  | 'host'
  | 'port'
  | 'tls_port'
  | 'http'
  | 'version'
  | 'slots'
  | 'keys'
  | 'lag_bytes'
> {
  /** Round-trip time of the last ping; null for the node itself, and before the first. */
  readonly latency_us: number | null;
}
