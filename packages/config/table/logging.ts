import { LOG_THRESHOLDS } from '#base';
import { integer, oneOf, wordOf, text, yesOrNo } from '../kinds.ts';
import { rows } from '../setting.ts';

/** [logging] and [logging.rotation]. */
export const loggingSettings = rows({
  'logging.level': {
    // Redis' words beside ours, each read back as it was set.
    kind: wordOf(...LOG_THRESHOLDS),
    default: 'info',
    effect: 'live',
    config: 'loglevel',
    meaning:
      'Lowest level of lines that are written. debug adds connections, commands refused by main, settings ' +
      "and snapshots; trace also adds blocked clients and HTTP requests. Redis' levels are accepted: verbose is debug, " +
      'notice info, warning warn, and nothing none at all.',
  },
  'logging.format': {
    kind: oneOf('pretty', 'json'),
    default: 'pretty',
    effect: 'start',
    meaning: 'Format of log lines: text for people, or one JSON object per line.',
  },
  'logging.output': {
    kind: oneOf('stdout', 'stderr', 'none'),
    default: 'stdout',
    effect: 'start',
    meaning: 'Destination of log lines besides the log file.',
  },
  'logging.per-request-spans': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Logs one line for each request, for short diagnostic windows: it costs CPU time.',
  },
  'logging.hide-user-data': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    config: 'hide-user-data-from-log',
    meaning:
      'Hides names of keys, clients and users, filters of monitors, texts of scripts, and arguments quoted by errors ' +
      'in log lines and crash reports.',
  },
  'logging.file-path': {
    kind: text,
    default: '',
    effect: 'start',
    config: 'logfile',
    meaning:
      'Path of the log file; empty for none. With rotation, it is a symbolic link to the newest file.',
  },
  'logging.rotation.max-size-mb': {
    kind: integer({ most: 1_000_000, unit: 'megabytes' }),
    default: 100,
    effect: 'start',
    meaning: 'Size at which a new log file is started; 0 for no limit.',
  },
  'logging.rotation.frequency': {
    kind: oneOf('daily', 'hourly', 'never'),
    default: 'daily',
    effect: 'start',
    meaning: 'Interval at which a new log file is started.',
  },
  'logging.rotation.max-files': {
    kind: integer({ most: 100_000 }),
    default: 5,
    effect: 'start',
    meaning: 'Number of log files kept; 0 keeps all.',
  },
});
