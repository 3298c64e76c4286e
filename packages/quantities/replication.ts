/** Quantities of replication. */

import type { Quantity } from './quantity.ts';

export const REPLICATION_QUANTITIES = {
  /** State of the server as a replica: 1 while it is one, and while its link is up. */
  replica: [
    { counter: 'isReplica', by: 'main', kind: 'gauge' },
    { counter: 'primaryLinkUp', by: 'main', kind: 'gauge' },
    /** Unix milliseconds since which there has been no link; 0 while there is one. */
    { counter: 'primaryLinkDownSinceMs', by: 'main', kind: 'gauge' },
    /** 1 while the data of the primary are coming. */
    { counter: 'syncInProgress', by: 'main', kind: 'gauge' },
  ],
  replicaErrors: [
    {
      counter: 'replicaErrors',
      by: 'main',
      kind: 'counter',
      help: 'Commands of the stream of a primary that could not be run.',
      info: 'unexpected_error_replies',
      metric: 'svc_replica_stream_errors_total',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
