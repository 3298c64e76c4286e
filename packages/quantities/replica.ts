/** Quantities of the server as a replica. */

import { MAIN_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';

export const REPLICA_QUANTITIES = [
  {
    ...MAIN_GAUGE,
    counter: 'isReplica',
    help: '1 while the server is a replica.',
    metric: 'svc_is_replica',
  },
  {
    ...MAIN_GAUGE,
    counter: 'primaryLinkUp',
    help: '1 while the link of a replica to its primary is up.',
    status: 'replication.link_up',
    metric: 'svc_primary_link_up',
  },
  /** Unix milliseconds since which the link has been down; 0 while it is up. */
  { ...MAIN_GAUGE, counter: 'primaryLinkDownSinceMs' },
  {
    ...MAIN_GAUGE,
    counter: 'primaryLagUs',
    unit: 'us',
    moves: true,
    help: 'Time from a timestamp in the replication stream to its application; 0 if the primary sends none.',
    metric: 'svc_primary_link_lag_seconds',
  },
  {
    ...MAIN_GAUGE,
    counter: 'primaryUnappliedBytes',
    unit: 'bytes',
    moves: true,
    help: 'Bytes of the replication stream received but not yet applied.',
    status: 'replication.unapplied_bytes',
    metric: 'svc_primary_unapplied_bytes',
  },
  {
    ...MAIN_GAUGE,
    counter: 'primaryUnappliedUs',
    unit: 'us',
    moves: true,
    help: 'Age of the oldest byte of the replication stream that is not yet applied.',
    metric: 'svc_primary_unapplied_seconds',
  },
  {
    ...MAIN_GAUGE,
    counter: 'primaryDataDiffer',
    help: '1 while the data of a replica may differ from its primary because a command of the stream failed.',
    status: 'replication.data_differ',
    metric: 'svc_primary_data_differ',
  },
  /** Unix milliseconds of the last failed command of the stream; 0 if none failed. */
  { ...MAIN_GAUGE, counter: 'primaryStreamFaultMs' },
  {
    ...MAIN_GAUGE,
    counter: 'syncInProgress',
    help: '1 while a full sync from the primary is received.',
    status: 'replication.sync_in_progress',
    metric: 'svc_primary_sync_in_progress',
  },
  {
    ...MAIN_GAUGE,
    counter: 'syncKeys',
    moves: true,
    help: 'Keys of the full sync received so far.',
    status: 'replication.sync_keys',
    metric: 'svc_primary_sync_keys',
  },
  {
    ...MAIN_GAUGE,
    counter: 'syncBytes',
    unit: 'bytes',
    moves: true,
    help: 'Bytes of the full sync received so far.',
    status: 'replication.sync_bytes',
    metric: 'svc_primary_sync_bytes',
  },
  {
    ...MAIN_GAUGE,
    counter: 'syncTotalBytes',
    unit: 'bytes',
    help: 'Total bytes of the full sync; 0 while unknown.',
    status: 'replication.sync_total_bytes',
    metric: 'svc_primary_sync_total_bytes',
  },
] as const satisfies readonly Quantity[];
