import { bytes, integer, yesOrNo } from '../kinds.ts';
import { rows } from '../setting.ts';

/** Settings of a server towards its replicas. */
export const primarySettings = rows({
  'replication.backlog-size': {
    kind: bytes({ least: 1 }),
    default: 64 * 1024 ** 2,
    effect: 'live',
    config: 'repl-backlog-size',
    meaning: 'Bytes of the stream of changes that are kept for replicas which were away.',
  },
  'replication.timeout-secs': {
    kind: integer({ least: 1, most: 2_147_483_647 }),
    default: 60,
    effect: 'live',
    config: 'repl-timeout',
    meaning: 'Seconds without a sign of life after which a replication link is broken.',
  },
  'replication.min-replicas-to-write': {
    kind: integer(),
    default: 0,
    effect: 'live',
    config: 'min-replicas-to-write',
    aliases: ['min-slaves-to-write'],
    meaning: 'Replicas that must have acknowledged lately, or writes are refused; 0 for none.',
  },
  'replication.backlog-ttl-secs': {
    kind: integer(),
    default: 3_600,
    effect: 'live',
    config: 'repl-backlog-ttl',
    meaning: 'Seconds for which the backlog is kept when no replica is connected; 0 for ever.',
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
      'Sends full synchronisations while they are made; off, they are put into a temporary file first. Replicas that must be told the length are sent a file always.',
  },
  'replication.diskless-sync-delay-secs': {
    kind: integer(),
    default: 5,
    effect: 'live',
    config: 'repl-diskless-sync-delay',
    meaning: 'Seconds for which a full synchronisation waits for more replicas that want one.',
  },
  'replication.diskless-sync-max-replicas': {
    kind: integer(),
    default: 0,
    effect: 'live',
    config: 'repl-diskless-sync-max-replicas',
    meaning:
      'Replicas with which a full synchronisation begins without waiting for more; 0 to wait always.',
  },
  'replication.min-replicas-max-lag-secs': {
    kind: integer(),
    default: 10,
    effect: 'live',
    config: 'min-replicas-max-lag',
    aliases: ['min-slaves-max-lag'],
    meaning:
      'Seconds since its last acknowledgement for which a replica counts for min-replicas-to-write; 0 to refuse no write.',
  },
});
