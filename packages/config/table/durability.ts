import { bytes, integer, oneOf, text, yesOrNo } from '../kinds.ts';
import { savePoints } from '../redis/redis-kinds.ts';
import { rows } from '../setting.ts';

const MIB = 1024 ** 2;

/** Settings of persistence and snapshots. */
export const durabilitySettings = rows({
  'persistence.enabled': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    aliases: ['appendonly'],
    meaning:
      'Stores the data on disk: a log of changes, and snapshots. When it is switched on at runtime, the data replaces the contents of the folder once the first snapshot has finished.',
  },
  'persistence.recover-anyway': {
    kind: yesOrNo,
    default: false,
    effect: 'start',
    meaning: 'Starts with the readable part of damaged data, and logs what was skipped.',
  },
  'persistence.data-dir': {
    kind: text,
    default: 'svc-data',
    effect: 'start',
    config: 'dir',
    isFolder: true,
    meaning: 'Data folder: everything that this server writes.',
  },
  'persistence.rdb-file': {
    kind: text,
    default: 'dump.rdb',
    effect: 'start',
    config: 'dbfilename',
    meaning: 'RDB file in the data folder that the first start imports; empty for none.',
  },
  'persistence.durability-mode': {
    kind: oneOf('periodic', 'sync', 'async'),
    default: 'periodic',
    effect: 'live',
    meaning:
      'Moment at which writes are acknowledged. sync: once they are synced to disk; periodic: once the kernel has them, so that a power failure loses at most the last interval; async: at once, so that a killed process may lose the last writes, too.',
  },
  'persistence.sync-interval-ms': {
    kind: integer({ least: 1, most: 3_600_000, unit: 'milliseconds' }),
    default: 1000,
    effect: 'live',
    meaning: 'Time between two syncs of all logs in periodic mode.',
  },
  'persistence.wal-failure-policy': {
    kind: oneOf('readonly', 'continue'),
    default: 'readonly',
    effect: 'live',
    meaning: 'Policy for writes while the log cannot be written.',
  },
  'snapshot.interval-secs': {
    kind: integer({ unit: 'seconds' }),
    default: 3600,
    effect: 'live',
    meaning: 'Interval of snapshots if there were changes; 0 takes none.',
  },
  'snapshot.save-points': {
    kind: savePoints,
    default: [],
    effect: 'live',
    meaning:
      'Additional save points: a snapshot starts when both the seconds and the number of changes since the last one are reached.',
  },
  'snapshot.stop-writes-on-error': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    config: 'stop-writes-on-bgsave-error',
    meaning: 'Refuses writes after a failed snapshot, even though the log has them.',
  },
  'snapshot.log-growth-percent': {
    kind: integer(),
    default: 100,
    effect: 'live',
    config: 'auto-aof-rewrite-percentage',
    meaning:
      'Growth of the data on disk by the log, in percent, at which a snapshot starts; 0 for never.',
  },
  'snapshot.log-growth-min-size': {
    kind: bytes(),
    default: 64 * MIB,
    effect: 'live',
    config: 'auto-aof-rewrite-min-size',
    meaning: 'Size of snapshot and log together up to which growth starts no snapshot.',
  },
  'snapshot.max-snapshots': {
    kind: integer({ least: 1 }),
    default: 5,
    effect: 'live',
    meaning: 'Number of snapshots kept.',
  },
  'snapshot.compression': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    aliases: ['rdbcompression'],
    meaning: 'Compresses snapshots, which takes CPU time of a separate thread.',
  },
  'snapshot.key-save-delay-us': {
    kind: integer({ least: -2_147_483_648 }),
    default: 0,
    effect: 'live',
    config: 'rdb-key-save-delay',
    isHidden: true,
    meaning:
      'For tests: delay of snapshots and full syncs in microseconds for each key; a negative number is the number of keys for each microsecond.',
  },
});
