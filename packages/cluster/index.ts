export { clusterModule } from './cluster-module.ts';
export { demandCluster } from './demand-cluster.ts';
export { NodeId } from './nodes/node-id.ts';
export { loadClusterBundle, loadRebalance } from './load-tool.ts';
