/** Replicas of this server as a module of main. */

import { DiskWait, type KeyFreeze, type PersistenceSwitch } from '#durability';
import type { MainLatency } from '#diagnostics';
import { type Composed, MainModule, type ServerMemory } from '#main';
import { Replicas, type ReplicasOptions } from './replicas.ts';
import { ReplicationEvents } from '../replication-events.ts';

interface ReplicasModuleOptions extends Pick<
  ReplicasOptions,
  'settings' | 'router' | 'page' | 'clock' | 'log' | 'beginTurn'
> {
  readonly shardCount: number;
  readonly freeze: KeyFreeze;
  readonly persistence: PersistenceSwitch;
  readonly serverMemory: ServerMemory;
  readonly mainLatency: Pick<MainLatency, 'latency'>;
}

export function replicasModule(
  options: ReplicasModuleOptions,
): Composed<{ readonly replicas: Replicas }, 'replicas'> {
  const replicas = newReplicas(options);
  const { primary } = replicas;
  const isClustered = options.settings.boolean('cluster.enabled');
  const module = new MainModule({
    name: 'replicas',
    feed: replicas,
    hooks: {
      // In a cluster each node publishes its messages to all others itself, replicas among them.
      ...(isClustered
        ? {}
        : {
            published: (...message) => {
              primary.append(message);
            },
          }),
      left: (client) => {
        replicas.left(client);
      },
      endTurn: () => {
        primary.pump();
      },
      hasWork: () => primary.hasWork,
      tick: () => {
        primary.tick();
      },
      leave: (hasTime) => replicas.haveAll(hasTime),
    },
    ports: { replicas },
  });
  return { module, parts: { replicas } };
}

function newReplicas({ persistence, ...options }: ReplicasModuleOptions): Replicas {
  const { serverMemory, mainLatency, clock } = options;
  const diskWait = new DiskWait(serverMemory);
  const writeWait = new DiskWait(serverMemory, 'written');
  return new Replicas({
    ...options,
    shards: options.shardCount,
    events: new ReplicationEvents({
      flight: serverMemory.flight,
      latency: mainLatency.latency,
      clock,
    }),
    usedBytes: () => serverMemory.usedBytes,
    keepsLog: () => persistence.durability !== undefined,
    onDisk: (done) => {
      diskWait.add(done);
    },
    isOnDisk: () => diskWait.isThere,
    onWritten: (done) => {
      writeWait.add(done);
    },
  });
}
