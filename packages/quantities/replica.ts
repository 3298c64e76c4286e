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
  /** Unix milliseconds since which there has been no link; 0 while there is one. */
  { ...MAIN_GAUGE, counter: 'primaryLinkDownSinceMs' },
  {
    ...MAIN_GAUGE,
    counter: 'primaryLagUs',
    unit: 'us',
    moves: true,
    help: 'Time from a timestamp in the stream of the primary until it was applied; 0 where the primary sends none.',
    metric: 'svc_primary_link_lag_seconds',
  },
  {
    ...MAIN_GAUGE,
    counter: 'primaryUnappliedBytes',
    unit: 'bytes',
    moves: true,
    help: 'Bytes of the stream of the primary that have come and are not applied.',
    status: 'replication.unapplied_bytes',
    metric: 'svc_primary_unapplied_bytes',
  },
  {
    ...MAIN_GAUGE,
    counter: 'primaryUnappliedUs',
    unit: 'us',
    moves: true,
    help: 'Time for which the oldest byte of the stream of the primary that is not applied has waited.',
    metric: 'svc_primary_unapplied_seconds',
  },
  {
    ...MAIN_GAUGE,
    counter: 'primaryDataDiffer',
    help: '1 while the data of a replica may differ from those of its primary, since a command of its stream has failed.',
    status: 'replication.data_differ',
    metric: 'svc_primary_data_differ',
  },
  /** Unix milliseconds of the last command of the stream that failed; 0 when none has. */
  { ...MAIN_GAUGE, counter: 'primaryStreamFaultMs' },
  {
    ...MAIN_GAUGE,
    counter: 'syncInProgress',
    help: '1 while the data of the primary are coming.',
    status: 'replication.sync_in_progress',
    metric: 'svc_primary_sync_in_progress',
  },
  {
    ...MAIN_GAUGE,
    counter: 'syncKeys',
    moves: true,
    help: 'Keys of the data of the primary that have come so far.',
    status: 'replication.sync_keys',
    metric: 'svc_primary_sync_keys',
  },
  {
    ...MAIN_GAUGE,
    counter: 'syncBytes',
    unit: 'bytes',
    moves: true,
    help: 'Bytes of the data of the primary that have come so far.',
    status: 'replication.sync_bytes',
    metric: 'svc_primary_sync_bytes',
  },
  {
    ...MAIN_GAUGE,
    counter: 'syncTotalBytes',
    unit: 'bytes',
    help: 'Bytes of the data of the primary that are coming; 0 while it has not told how many.',
    status: 'replication.sync_total_bytes',
    metric: 'svc_primary_sync_total_bytes',
  },
] as const satisfies readonly Quantity[];
