/** Replication over HTTP: the server's place in it, its backlog, and its replicas. */

import type { ReplicationDocument } from '#api-types';
import { documentRoute, type Route } from '../protocol/route.ts';

export function replicationRoute(document: () => Promise<ReplicationDocument>): Route {
  return documentRoute(
    'replication',
    'Replication: role, ids and offset, backlog and how long it lasts, how far each replica is, and what links went through.',
    document,
  );
}
