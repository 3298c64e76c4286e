/** Loads the tool of clusters, which a server does without. */

import type { clusterTool } from './cluster-tool.ts';

type ClusterTool = typeof clusterTool;

export async function loadClusterTool(): Promise<ClusterTool> {
  const { clusterTool } = await import('./cluster-tool.ts');
  return clusterTool;
}
