/** Reports and actions for operators' programs. */

import { Phase } from '#stats';
import { HttpError, json, type Answer } from '../protocol/answer.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { SaveAtEnd } from '../ops/main-client.ts';
import type { Route } from '../protocol/route.ts';
import { currentStatus } from './status.ts';
import type { OpsContext } from '../ops/ops-context.ts';

const PHASES: Readonly<Record<number, string>> = {
  [Phase.starting]: 'starting',
  [Phase.ready]: 'ready',
  [Phase.stopping]: 'stopping',
};

const NOTHING_KEPT = 'nothing is kept on disk: persistence.enabled is off';

export function adminRoutes(opsContext: OpsContext): Route[] {
  const { observer } = opsContext;
  return [
    {
      path: '/admin/health',
      about: 'Health of the server, and what is wrong.',
      methods: {
        GET: async () => {
          const { health } = await currentStatus(opsContext);
          return json({ ...health, state: PHASES[observer.main.get('phase')] });
        },
      },
    },
    {
      path: '/admin/role',
      about: 'Role of the server in replication, its primary, and how far its replicas are.',
      methods: {
        GET: () => json(roleOf(opsContext)),
      },
    },
    {
      path: '/admin/cluster',
      about: 'True or false: the server is part of a cluster.',
      methods: { GET: () => json({ enabled: false }) },
    },
    {
      path: '/admin/nodes',
      about: 'The nodes of the cluster.',
      methods: { GET: () => json({ enabled: false, nodes: [] }) },
    },
    {
      path: '/admin/shutdown',
      about: 'Finishes what is in flight and ends the server; ?save= says whether with a snapshot.',
      parameters: ['save'],
      methods: { POST: (exchange) => shutdown(opsContext, exchange) },
    },
    {
      path: '/admin/snapshot',
      about: 'Begins a snapshot, as BGSAVE does.',
      methods: { POST: () => snapshot(opsContext) },
    },
  ];
}

/** Role of the server, where the primary is, and how far replicas are. */
function roleOf({ observer: { main }, replication }: OpsContext): object {
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

async function snapshot({ mainClient, observer }: OpsContext): Promise<Answer> {
  if (observer.main.get('phase') === Phase.starting) throw new HttpError(503, 'not ready');
  const outcome = await mainClient.ask('snapshot', null);
  switch (outcome) {
    case 'started':
      return json({ status: 'started' }, 202);
    case 'busy':
      throw new HttpError(409, 'a snapshot is under way');
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
  return json({ status: 'shutting_down' }, 202);
}
