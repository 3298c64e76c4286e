/** Judges of commands by replication: how many replicas there are, and what a replica may do. */

import { errors } from '#base';
import { type Router, writes } from '#router';
import type { Judges } from '#main';
import type { Replication } from './replication.ts';

interface ReplicaJudgesOptions {
  readonly router: Pick<Router, 'broadcast'>;
  readonly replication: Pick<Replication, 'isReplica' | 'isStale' | 'refusal'>;
  /** Replicas of this server. */
  readonly primary: { readonly lacksReplicas: boolean };
}

export function replicaJudges({ router, replication, primary }: ReplicaJudgesOptions): Judges {
  let wasLacking = false;
  let wasStale = false;
  return {
    // A script is refused when it writes or reads, so its shard has to know the state, which is sent before the command.
    script: {
      concerns: (entry) => entry.script !== undefined || entry.route === 'exec',
      judge: () => {
        const { lacksReplicas } = primary;
        if (lacksReplicas !== wasLacking) {
          router.broadcast({ kind: 'lacks-replicas', isSo: lacksReplicas });
        }
        wasLacking = lacksReplicas;
        const { isStale } = replication;
        if (isStale !== wasStale) router.broadcast({ kind: 'stale', isSo: isStale });
        wasStale = isStale;
        return undefined;
      },
    },
    replicas: {
      concerns: (entry) => entry.isWrite || entry.route === 'exec',
      judge: (client, entry) =>
        primary.lacksReplicas && writes(entry, client.transaction) ? errors.noReplicas : undefined,
    },
    role: {
      concerns: () => replication.isReplica,
      judge: (client, entry) => replication.refusal(client, entry),
    },
  };
}
