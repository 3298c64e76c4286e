/** The cluster over HTTP, as this node sees it. */

import type { ClusterDocument, ClusterNodeDocument, NoCluster } from '#api-types';
import { documentRoute, type Route } from '../protocol/route.ts';

interface ClusterDocuments {
  cluster(): Promise<ClusterDocument | NoCluster>;
  clusterNode(id: string): Promise<ClusterNodeDocument>;
}

export function clusterRoutes(documents: ClusterDocuments): Route[] {
  return [
    documentRoute(
      'cluster/overview',
      'The cluster: nodes, groups, slots, lease, coordinator, redirects and history; enabled is false without a cluster.',
      () => documents.cluster(),
    ),
    documentRoute(
      'cluster/node/:id',
      'One node of the cluster, with its group, round-trip times and history.',
      ({ params }) => documents.clusterNode(params['id'] ?? ''),
    ),
  ];
}
