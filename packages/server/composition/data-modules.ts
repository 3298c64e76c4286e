/** Modules that have to do with the data: messages about keys, the disk, replicas, the primary, the cluster. */

import { ClientMessaging } from '#messaging';
import { Cluster, NodeId } from '#cluster';
import { KeyFreeze, type OwnFolder, PersistenceSwitch } from '#durability';
import { type Replicas, Replication, ReplicationNews } from '#replication';
import type { Kernel } from './kernel.ts';
import { newReplicas } from './new-replicas.ts';
import { replicaJudges } from './replica-judges.ts';
import type { Routing } from './routing.ts';

export interface DataModules {
  readonly messaging: ClientMessaging;
  readonly persistence: PersistenceSwitch;
  readonly replicas: Replicas;
  readonly replication: Replication;
  /** Undefined where the server is in no cluster. */
  readonly cluster: Cluster | undefined;
}

/** `own` is the data folder; without it nothing is kept on disk at first. */
export function newDataModules(kernel: Kernel & Routing, own: OwnFolder | undefined): DataModules {
  const messaging = newMessaging(kernel);
  const freeze = new KeyFreeze();
  const persistence = newPersistence({ ...kernel, freeze, own });
  const replicas = newReplicas({ ...kernel, persistence, freeze });
  const parts = { ...kernel, messaging, persistence, replicas };
  addReplicas(parts);
  const isClustered = kernel.settings.boolean('cluster.enabled');
  const nodeId = isClustered ? new NodeId(kernel.settings) : undefined;
  const replication = newReplication(parts, nodeId);
  const cluster = nodeId === undefined ? undefined : newCluster({ ...parts, replication, nodeId });
  return { messaging, persistence, replicas, replication, cluster };
}

function newMessaging(kernel: Kernel & Routing): ClientMessaging {
  const messaging = new ClientMessaging(kernel);
  kernel.modules.add({
    turn: messaging,
    tick: () => {
      messaging.endTurn();
    },
    keyEvents: (body) => {
      messaging.keyEvents.take(body);
    },
    left: (client) => {
      messaging.left(client);
    },
  });
  return messaging;
}

function newPersistence(
  options: Kernel & Routing & { readonly freeze: KeyFreeze; readonly own: OwnFolder | undefined },
): PersistenceSwitch {
  const { modules, pool, mainLatency, beginTurn } = options;
  const persistence = new PersistenceSwitch({
    ...options,
    diskPorts: pool.diskPorts,
    latency: mainLatency.latency,
    recovered: (place) => {
      modules.recovered(place);
    },
    publish: beginTurn,
  });
  modules.add({
    judges: {
      disk: {
        // Scripts may write.
        concerns: (entry) => entry.isWrite || (entry.script !== undefined && entry.mayChange),
        judge: () => persistence.durability?.refusal,
      },
    },
    start: () => {
      persistence.start();
    },
  });
  return persistence;
}

type ReplicaParts = Kernel & Routing & Omit<DataModules, 'replication' | 'cluster'>;

function addReplicas({ modules, replicas, messaging }: ReplicaParts): void {
  const { primary } = replicas;
  replicas.follow(messaging.pubsub);
  modules.add({
    feed: replicas,
    turn: {
      endTurn: () => {
        primary.pump();
      },
      get hasWork() {
        return primary.hasWork;
      },
    },
    left: (client) => {
      replicas.left(client);
    },
    tick: () => {
      primary.tick();
    },
    leave: (hasTime) => replicas.haveAll(hasTime),
  });
}

function newReplication(parts: ReplicaParts, nodeId: NodeId | undefined): Replication {
  const { modules, replicas, clients, router } = parts;
  const replication = new Replication({
    ...parts,
    primary: replicas.primary,
    events: replicas.events,
    nodeId: () => nodeId?.value ?? '',
    onDisk: (done) => {
      replicas.onDisk(done);
    },
    disownWrites: () => {
      replicas.disownWrites(clients.all);
    },
    judgesChanged: () => {
      modules.gate.changed();
    },
  });
  const news = new ReplicationNews({ ...parts, replication });
  modules.add(news, {
    judges: replicaJudges({ router, replication, primary: replicas.primary }),
    worked: () => {
      replication.discards.worked();
    },
    recovered: (place) => {
      replication.restore(place);
    },
    start: () => {
      replication.start();
    },
    stopping: () => {
      replication.stop();
    },
    leave: () => replication.stopped(),
  });
  return replication;
}

function newCluster(
  parts: ReplicaParts & { readonly replication: Replication; readonly nodeId: NodeId },
): Cluster {
  const { serverMemory, messaging, modules } = parts;
  const cluster = new Cluster({
    ...parts,
    pubsub: messaging.pubsub,
    flight: serverMemory.flight,
    ownKeys: () => serverMemory.keyCount,
  });
  modules.add({
    judges: {
      node: { judge: (client, entry, args) => cluster.gate.judge(client, entry, args) },
    },
    redirected: (kind, client) => {
      cluster.observation.redirects.count(kind, client);
    },
    mayWrite: () => cluster.fence.mayWrite(),
    get isAwaited() {
      return cluster.place.isAwaited;
    },
    start: () => {
      cluster.start();
    },
    leave: () => cluster.stop(),
  });
  return cluster;
}
