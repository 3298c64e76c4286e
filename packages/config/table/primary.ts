import { bytes, integer, yesOrNo } from '../kinds.ts';
import { rows } from '../setting.ts';

/** Settings of a server towards its replicas. */
export const primarySettings = rows({
  'replication.backlog-size': {
    kind: bytes({ least: 1 }),
    default: 64 * 1024 ** 2,
    effect: 'live',
    config: 'repl-backlog-size',
    meaning: 'Size of the replication backlog, from which disconnected replicas resume.',
  },
  'replication.timeout-secs': {
    kind: integer({ least: 1, most: 2_147_483_647 }),
    default: 60,
    effect: 'live',
    config: 'repl-timeout',
    meaning: 'Seconds without data or acknowledgement after which a replication link is closed.',
  },
  'replication.min-replicas-to-write': {
    kind: integer(),
    default: 0,
    effect: 'live',
    config: 'min-replicas-to-write',
    aliases: ['min-slaves-to-write'],
    meaning:
      'Number of replicas with a recent acknowledgement below which writes are refused; 0 for none.',
  },
  'replication.backlog-ttl-secs': {
    kind: integer(),
    default: 3_600,
    effect: 'live',
    config: 'repl-backlog-ttl',
    meaning: 'Seconds for which the backlog is kept without a connected replica; 0 for ever.',
  },
  'replication.ping-period-secs': {
    kind: integer({ least: 1 }),
    default: 10,
    effect: 'live',
    config: 'repl-ping-replica-period',
    aliases: ['repl-ping-slave-period'],
    meaning: 'Seconds between two pings to replicas.',
  },
  'replication.diskless-sync': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'repl-diskless-sync',
    meaning:
      'Streams full syncs while they are created; if off, they are written to a temporary file first. Replicas that need the length in advance always get a file.',
  },
  'replication.diskless-sync-delay-secs': {
    kind: integer(),
    default: 5,
    effect: 'live',
    config: 'repl-diskless-sync-delay',
    meaning: 'Seconds for which a full sync waits for further replicas.',
  },
  'replication.diskless-sync-max-replicas': {
    kind: integer(),
    default: 0,
    effect: 'live',
    config: 'repl-diskless-sync-max-replicas',
    meaning: 'Number of replicas with which a full sync starts without waiting; 0 to wait always.',
  },
  'replication.min-replicas-max-lag-secs': {
    kind: integer(),
    default: 10,
    effect: 'live',
    config: 'min-replicas-max-lag',
    aliases: ['min-slaves-max-lag'],
    meaning:
      'Maximum age of the last acknowledgement, in seconds, of a replica that counts for min-replicas-to-write; 0 refuses no write.',
  },
});
