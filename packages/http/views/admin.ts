/** Reports and actions for operators' programs. */

import type {
  AdminCluster,
  AdminHealth,
  AdminNodes,
  AdminRole,
  ApiPosts,
  ClusterDocument,
} from '#api-types';
import { Phase } from '#stats';
import { HttpError, json, type Answer } from '../protocol/answer.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { SaveAtEnd } from '../ops/main-client.ts';
import { word } from '../protocol/parameters.ts';
import { documentAt, type Route } from '../protocol/route.ts';
import { currentStatus } from './status.ts';
import type { OpsContext } from '../ops/ops-context.ts';

const PHASES: Readonly<Record<number, AdminHealth['state']>> = {
  [Phase.starting]: 'starting',
  [Phase.ready]: 'ready',
  [Phase.stopping]: 'stopping',
};

/** HTTP status of what is started and not finished. */
const ACCEPTED = 202;

type Started = ApiPosts['/admin/snapshot'];
type Stopping = ApiPosts['/admin/shutdown'];

const NOTHING_KEPT = 'nothing is kept on disk: persistence.enabled is off';

export function adminRoutes(opsContext: OpsContext): Route[] {
  const { observer, mainClient } = opsContext;
  return [
    documentAt('/admin/health', 'Health of the server, with its issues.', async () => {
      const { health } = await currentStatus(opsContext);
      return { ...health, state: PHASES[observer.main.get('phase')]! };
    }),
    documentAt(
      '/admin/role',
      'Replication role of the server, its primary, and the offsets of its replicas.',
      () => roleOf(opsContext),
    ),
    documentAt(
      '/admin/cluster',
      'State of the cluster as seen by this node; enabled is false without a cluster.',
      async () => clusterOf(await mainClient.ask('cluster', null)),
    ),
    documentAt('/admin/nodes', 'The nodes of the cluster.', async () =>
      nodesOf(await mainClient.ask('cluster', null)),
    ),
    {
      path: '/admin/shutdown',
      about:
        'Finishes work in flight and stops the server; ?save=true or false: with or without a snapshot.',
      parameters: [
        word('save', 'With or without a snapshot; as SHUTDOWN by default.', ['true', 'false']),
      ],
      status: ACCEPTED,
      methods: { POST: (exchange) => shutdown(opsContext, exchange) },
    },
    {
      path: '/admin/snapshot',
      about: 'Starts a snapshot, like BGSAVE.',
      status: ACCEPTED,
      methods: { POST: () => snapshot(opsContext) },
    },
  ];
}

/** Role of the server, where the primary is, and how far replicas are. */
function roleOf({ observer: { main }, replication }: OpsContext): AdminRole {
  const isReplica = main.get('isReplica') === 1;
  const primary = isReplica ? replication?.primary : undefined;
  return {
    role: isReplica ? 'replica' : 'primary',
    connected_replicas: main.get('replicas'),
    good_replicas: main.get('goodReplicas'),
    replication_offset: main.get('streamOffset'),
    lag_bytes: main.get('replicaLagBytes'),
    lag_us: main.get('replicaLagUs'),
    primary: primary
      ? {
          host: primary.host,
          port: primary.port,
          link_state: primary.state,
          link_up: main.get('primaryLinkUp') === 1,
          lag_ms: primary.lag_ms,
        }
      : null,
    replicas: (replication?.replicas ?? []).map((replica) => ({
      addr: replica.addr,
      host: replica.host,
      port: replica.listening_port,
      state: replica.state,
      offset: replica.offset,
      lag_bytes: replica.lag_bytes,
      lag_ms: replica.lag_ms,
    })),
  };
}

/** State of the cluster: what programs of operators decide by. */
function clusterOf(cluster: ClusterDocument | null): AdminCluster {
  if (cluster === null) return { enabled: false };
  const { slots, coordinator, lease } = cluster;
  return {
    enabled: true,
    name: cluster.name,
    state: cluster.state,
    state_reason: cluster.state_reason,
    node_id: cluster.node_id,
    group: cluster.group,
    role: cluster.role,
    known_nodes: cluster.known_nodes,
    nodes_present: cluster.nodes_present,
    size: cluster.size,
    groups_without_primary: cluster.groups_without_primary,
    current_epoch: cluster.current_epoch,
    my_epoch: cluster.my_epoch,
    slots_assigned: slots.assigned,
    slots_ok: slots.ok,
    slots_fail: slots.fail,
    slots_free: slots.free,
    open_slots: slots.open.length,
    coordinator_up: coordinator.up,
    lease_held: lease.held,
    lease_remaining_ms: lease.remaining_ms,
  };
}

function nodesOf(cluster: ClusterDocument | null): AdminNodes {
  if (cluster === null) return { enabled: false, nodes: [] };
  return {
    enabled: true,
    nodes: cluster.nodes.map((node) => ({
      id: node.id,
      self: node.self,
      role: node.role,
      group: node.group,
      present: node.present,
      host: node.host,
      port: node.port,
      tls_port: node.tls_port,
      http: node.http,
      version: node.version,
      slots: node.slots,
      keys: node.keys,
      lag_bytes: node.lag_bytes,
      latency_us: node.latency?.last_us ?? null,
    })),
  };
}

async function snapshot({ mainClient, observer }: OpsContext): Promise<Answer> {
  if (observer.main.get('phase') === Phase.starting) throw new HttpError(503, 'not ready');
  const outcome = await mainClient.ask('snapshot', null);
  switch (outcome) {
    case 'started':
      return json({ status: 'started' } satisfies Started['response'], ACCEPTED);
    case 'busy':
      throw new HttpError(409, 'a snapshot is already running');
    case 'nothing-kept':
      throw new HttpError(501, 'not available', {}, NOTHING_KEPT);
  }
}

const SAVE: ReadonlyMap<string | null, SaveAtEnd> = new Map([
  [null, 'default'],
  ['true', 'always'],
  ['false', 'never'],
]);

async function shutdown({ mainClient }: OpsContext, exchange: Exchange): Promise<Answer> {
  const save = SAVE.get(exchange.query.get('save'));
  if (save === undefined) throw new HttpError(400, 'save must be true or false');
  if ((await mainClient.ask('shutdown', { save })) === 'nothing-kept') {
    throw new HttpError(501, 'not available', {}, NOTHING_KEPT);
  }
  return json({ status: 'shutting_down' } satisfies Stopping['response'], ACCEPTED);
}
