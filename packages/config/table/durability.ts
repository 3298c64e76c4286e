import { bytes, integer, oneOf, text, yesOrNo } from '../kinds.ts';
import { savePoints } from '../redis/redis-kinds.ts';
import { rows } from '../setting.ts';

const MIB = 1024 ** 2;

/** Settings of what goes to disk, to replicas, and over TLS. */
export const durabilitySettings = rows({
  'persistence.enabled': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    aliases: ['appendonly'],
    meaning:
      'Keeps the data on disk: a log of what was changed, and snapshots. Switched on while the server runs, it takes the place of what is in the folder once its first snapshot is there.',
  },
  'persistence.recover-anyway': {
    kind: yesOrNo,
    default: false,
    effect: 'start',
    meaning: 'Starts with what can be read of damaged data, and says what was left out.',
  },
  'persistence.data-dir': {
    kind: text,
    default: 'svc-data',
    effect: 'start',
    config: 'dir',
    isFolder: true,
    meaning: 'The folder of everything this server writes.',
  },
  'persistence.rdb-file': {
    kind: text,
    default: 'dump.rdb',
    effect: 'start',
    config: 'dbfilename',
    meaning:
      'Snapshot of Redis in the data folder that the first start begins with; empty for none.',
  },
  'persistence.durability-mode': {
    kind: oneOf('periodic', 'sync', 'async'),
    default: 'periodic',
    effect: 'live',
    meaning:
      'Failures that an answered write survives. sync: a killed machine; periodic: a killed process, and a killed machine but for the last interval; async: neither for the last interval.',
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
    meaning: 'Answer to writes while the log cannot be written.',
  },
  'snapshot.interval-secs': {
    kind: integer({ unit: 'seconds' }),
    default: 3600,
    effect: 'live',
    meaning: 'Time between two snapshots, where there was a change; 0 takes none.',
  },
  'snapshot.save-points': {
    kind: savePoints,
    default: [],
    effect: 'live',
    meaning:
      'Takes a snapshot as well when so many seconds and so many changes have passed since the last.',
  },
  'snapshot.stop-writes-on-error': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    config: 'stop-writes-on-bgsave-error',
    meaning: 'Refuses writes while the last snapshot has failed, though the log has them.',
  },
  'snapshot.log-growth-percent': {
    kind: integer(),
    default: 100,
    effect: 'live',
    config: 'auto-aof-rewrite-percentage',
    meaning:
      'A snapshot is taken when the log makes the data on disk grow by so many percent; 0: never.',
  },
  'snapshot.log-growth-min-size': {
    kind: bytes(),
    default: 64 * MIB,
    effect: 'live',
    config: 'auto-aof-rewrite-min-size',
    meaning: 'Snapshot and log together are let grow up to this size in any case.',
  },
  'snapshot.max-snapshots': {
    kind: integer({ least: 1 }),
    default: 5,
    effect: 'live',
    meaning: 'Snapshots kept.',
  },
  'snapshot.compression': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    aliases: ['rdbcompression'],
    meaning: 'Packs snapshots, which takes processor time of its own thread.',
  },
  'snapshot.key-save-delay-us': {
    kind: integer({ least: -2_147_483_648 }),
    default: 0,
    effect: 'live',
    config: 'rdb-key-save-delay',
    isHidden: true,
    meaning:
      'For tests: microseconds that snapshots and full synchronisations take longer for each key; of a number below 0, a microsecond for so many keys.',
  },
});
