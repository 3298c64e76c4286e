/** Reason why a cluster operation failed, as a sentence for its caller. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}
