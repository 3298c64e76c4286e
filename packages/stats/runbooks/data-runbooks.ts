/** Runbooks of disks and replicas. */

import type { HealthCode } from '#api-types';
import type { RunbookText } from './runbook.ts';

/** Codes of disks and replicas. */
type DataCode = Extract<
  HealthCode,
  | 'PERSISTENCE_ERROR'
  | 'ELEVATED_DURABILITY_LAG'
  | 'HIGH_DURABILITY_LAG'
  | 'SNAPSHOT_OLD'
  | 'DISK_NEARLY_FULL'
  | 'TIER_FAULT'
  | 'PRIMARY_LINK_DOWN'
  | 'PRIMARY_STREAM_FAULT'
  | 'REPLICA_DOWN'
  | 'REPLICATION_LAG'
  | 'NO_GOOD_REPLICAS'
>;

const SLOW_DISK = {
  look: [
    '`/debug/persistence`: times of syncs and the bytes that wait, by shard.',
    '`iostat -x 1`: whether the disk is busy, and by whom.',
  ],
  act: [
    'Move other writers (logs, backups) off the disk; use a faster one for `persistence.data-dir`.',
    'Fewer or smaller writes; longer pipelines take fewer syncs in `sync` mode.',
    '`persistence.durability-mode = "periodic"` where a second may be lost in a power failure.',
  ],
} as const;

/** Runbooks of disks and replicas by health code. */
export const DATA_RUNBOOKS: Readonly<Record<DataCode, RunbookText>> = {
  PERSISTENCE_ERROR: {
    meaning:
      'The log or a snapshot cannot be written. By `persistence.wal-failure-policy` writes are refused (`readonly`), or accepted without being kept (`continue`).',
    look: [
      'The log: `log-failed` and `snapshot-failed` have the error of the system (ENOSPC, EIO, EROFS).',
      '`df`, `df -i` and `dmesg`: a full disk, no inodes left, or a failing one.',
    ],
    act: [
      'Free space, or mend or mount the disk: the server tries again after 1, 2, 4 ... 30 s by itself, at once after BGSAVE.',
      'A disk that is lost: fail over to a replica (`FAILOVER`), or copy the data away with `redis-cli --rdb` while the server runs.',
    ],
    alerts: ['SvcPersistenceErrors'],
  },
  ELEVATED_DURABILITY_LAG: {
    meaning:
      'The disk is slower than the writes: the oldest write that is not on disk is older than `status.durability-lag-warning-ms`.',
    ...SLOW_DISK,
    alerts: [],
  },
  HIGH_DURABILITY_LAG: {
    meaning:
      'The oldest write that is not on disk is older than `status.durability-lag-critical-ms`: a power failure would lose that much.',
    ...SLOW_DISK,
    alerts: ['SvcDurabilityLag'],
  },
  SNAPSHOT_OLD: {
    meaning:
      'The last snapshot is three intervals old, although there were changes. A restart reads a longer log, and the log takes more of the disk.',
    look: [
      'The log: `snapshot-failed` has the reason.',
      '`/debug/persistence`: the last snapshots with their times and sizes.',
    ],
    act: [
      'BGSAVE, and look at its result: INFO `rdb_last_bgsave_status`.',
      'A disk without room for two snapshots: free space.',
    ],
    alerts: ['SvcSnapshotOld'],
  },
  DISK_NEARLY_FULL: {
    meaning:
      'The disk of the data folder has less than `status.disk-free-warning-percent` free. When it is full, writes are refused.',
    look: [
      '`du -sh` over the data folder: `log`, `snapshots`, `bundles`, `history`.',
      '`df`: other folders on the same disk.',
    ],
    act: [
      'BGSAVE: log segments that two snapshots cover are removed.',
      'Remove old bundles, and discarded writes that were looked at.',
      'Enlarge the disk, or stop the server and move the folder (`persistence.data-dir`).',
    ],
    alerts: ['SvcDiskNearlyFull'],
  },
  TIER_FAULT: {
    meaning:
      'The disk of the warm tier cannot be read or written. Nothing is spilled; writes that need memory are refused; values in memory are served.',
    look: ['The issue: which operation failed.', 'INFO `tiered` and `dmesg`.'],
    act: [
      'Mend the disk or free space: the server tries again by itself.',
      'With persistence on, a restart rebuilds the tier from snapshot and log.',
    ],
    alerts: ['SvcTierFault'],
  },
  PRIMARY_LINK_DOWN: {
    meaning: 'A replica has no link to its primary: its data grow stale.',
    look: [
      "`/debug/replication`: the link's history has the reason (refused, password, TLS, timeout).",
      'INFO `master_link_down_since_seconds`.',
    ],
    act: [
      'Address, `replication.primary-user` and `replication.primary-password`, `tls-replication`, firewall.',
      'A primary that was lost: promote this replica (`REPLICAOF NO ONE`), or let Sentinel or the cluster do it.',
    ],
    alerts: ['SvcPrimaryLinkDown'],
  },
  PRIMARY_STREAM_FAULT: {
    meaning: 'A replica could not apply a command of its primary, so its data may differ.',
    look: [
      'The log and `/debug/replication`: the command with its error.',
      'Versions of both: a primary may be newer than its replica.',
    ],
    act: [
      '`REPLICAOF HOST PORT` again for a full synchronisation.',
      'Upgrade the replica before its primary. Report the command.',
    ],
    alerts: ['SvcReplicaStreamErrors'],
  },
  REPLICA_DOWN: {
    meaning: 'A replica disconnected and has not returned.',
    look: ['`/debug/replication`: which one, since when and why.', 'Its own log.'],
    act: [
      'Start it. One that was removed on purpose is counted until the next start of this server.',
      'Closed for `client-output-buffer-limit replica`: raise it, or `repl-backlog-size`.',
    ],
    alerts: ['SvcReplicaMissing'],
  },
  REPLICATION_LAG: {
    meaning:
      'A replica applies more slowly than its primary writes, or the network between is slow.',
    look: [
      '`/debug/replication`: bytes and milliseconds behind, over time.',
      'STATUS of the replica: PROCESSOR_STARVATION, SHARD_STUCK or a slow disk there.',
    ],
    act: [
      'Mend what the issues of the replica name.',
      'The network: bytes a second in INFO `total_net_repl_output_bytes`.',
      'A backlog that lasts longer: `repl-backlog-size`.',
    ],
    alerts: ['SvcReplicaBehind'],
  },
  NO_GOOD_REPLICAS: {
    meaning:
      'Fewer replicas than `min-replicas-to-write` are connected and within `min-replicas-max-lag`: writes are refused with NOREPLICAS.',
    look: ['`INFO replication`: `min_slaves_good_slaves`, and each replica with its lag.'],
    act: [
      'Bring replicas back: REPLICA_DOWN, REPLICATION_LAG.',
      '`CONFIG SET min-replicas-to-write 0` accepts writes that a failover may lose.',
    ],
    alerts: ['SvcNoGoodReplicas'],
  },
};

/** Alerts of replicas that have no health code. */
export const DATA_ALERTS: readonly (RunbookText & { readonly name: string })[] = [
  {
    name: 'SvcFullSyncsRepeated',
    meaning:
      'Replicas need full synchronisations again and again, or would after a short interruption: the backlog is too short.',
    look: [
      '`/debug/replication`: the reason of each full synchronisation, and how long the backlog lasts at the current rate of writes.',
    ],
    act: [
      '`CONFIG SET repl-backlog-size`: it should last longer than the longest interruption.',
      'A replica that is closed during the synchronisation: `client-output-buffer-limit replica`, `repl-timeout`.',
    ],
    alerts: ['SvcFullSyncsRepeated', 'SvcBacklogShort'],
  },
];
