/** The server's role in replication as a module of main. */

import { type Composed, MainModule, type Modules, type OpsLink } from '#main';
import { replicationDocument } from './observation/replication-document.ts';
import { ReplicationPublisher } from './observation/replication-publisher.ts';
import { replicaJudges } from './replica-judges.ts';
import type { Replicas } from './replicas/replicas.ts';
import { Replication, type ReplicationOptions } from './replication.ts';

interface ReplicationModuleOptions extends Omit<
  ReplicationOptions,
  'primary' | 'events' | 'nodeId' | 'onDisk' | 'disownWrites' | 'judgesChanged'
> {
  readonly replicas: Replicas;
  readonly modules: Pick<Modules, 'gate'>;
  readonly ops: Pick<OpsLink, 'publishReplication'>;
  /** Undefined where the server is in no cluster. */
  readonly nodeId: { readonly value: string } | undefined;
}

export function replicationModule(
  options: ReplicationModuleOptions,
): Composed<{ readonly replication: Replication }, 'replication', 'replication'> {
  const { router, replicas, settings, clock } = options;
  const replication = newReplication(options);
  const publisher = new ReplicationPublisher({ ...options, replication });
  const module = new MainModule({
    name: 'replication',
    judges: replicaJudges({ router, replication, primary: replicas.primary }),
    hooks: {
      worked: () => {
        replication.discards.worked();
      },
      recovered: (place) => {
        replication.restore(place);
      },
      start: () => {
        publisher.start();
        replication.start();
      },
      stopping: () => {
        replication.stop();
      },
      leave: () => replication.stopped(),
      stop: () => {
        publisher.stop();
      },
    },
    ports: { replication },
    answers: {
      replication: () => replicationDocument(replication, settings, clock.wallMs()),
    },
  });
  return { module, parts: { replication } };
}

function newReplication(options: ReplicationModuleOptions): Replication {
  const { replicas, clients, nodeId, modules } = options;
  return new Replication({
    ...options,
    primary: replicas.primary,
    events: replicas.events,
    nodeId: () => nodeId?.value ?? '',
    onDisk: (done) => {
      replicas.onDisk(done);
    },
    disownWrites: () => {
      replicas.disownWrites(clients.all);
    },
    judgesChanged: modules.gate.changed,
  });
}
