/** Replication over HTTP: the server's place in it, its backlog, and its replicas. */

import type { ReplicationDocument } from '#api-types';
import { documentRoute, type Route } from '../protocol/route.ts';

export function replicationRoute(document: () => Promise<ReplicationDocument>): Route {
  return documentRoute(
    'replication',
    'Replication: role, ids and offset, backlog, lag of each replica, and history of the links.',
    document,
  );
}
