export { Cluster } from './cluster.ts';
export { demandCluster } from './demand-cluster.ts';
export { NodeId } from './nodes/node-id.ts';
export { loadClusterTool } from './load-tool.ts';
export { clusterDocument, clusterNodeDocument } from './observation/cluster-document.ts';
export type { ClusterObservation } from './observation/cluster-observation.ts';
