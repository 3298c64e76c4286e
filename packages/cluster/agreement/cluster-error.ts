/** Reason why something cannot be done in the cluster, as a sentence for whoever asked for it. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}
