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
      'The least important lines that are written. debug adds connections, commands that main refuses, settings ' +
      "and snapshots; trace also clients that block and HTTP requests. Redis' words are known too: verbose is debug, " +
      'notice info, warning warn, and nothing none at all.',
  },
  'logging.format': {
    kind: oneOf('pretty', 'json'),
    default: 'pretty',
    effect: 'start',
    meaning: 'Lines for people, or one JSON object per line.',
  },
  'logging.output': {
    kind: oneOf('stdout', 'stderr', 'none'),
    default: 'stdout',
    effect: 'start',
    meaning: 'Destination of log lines beside the log file.',
  },
  'logging.per-request-spans': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'A line for every request, for short diagnostic windows: it costs CPU time.',
  },
  'logging.file-path': {
    kind: text,
    default: '',
    effect: 'start',
    config: 'logfile',
    meaning:
      'The log file; empty for none. A rotated log has a symbolic link of this name to its newest file.',
  },
  'logging.rotation.max-size-mb': {
    kind: integer({ most: 1_000_000, unit: 'megabytes' }),
    default: 100,
    effect: 'start',
    meaning: 'Size at which a new log file is begun; 0 means at no size.',
  },
  'logging.rotation.frequency': {
    kind: oneOf('daily', 'hourly', 'never'),
    default: 'daily',
    effect: 'start',
    meaning: 'Interval at which a new log file is begun.',
  },
  'logging.rotation.max-files': {
    kind: integer({ most: 100_000 }),
    default: 5,
    effect: 'start',
    meaning: 'Log files kept; 0 keeps all.',
  },
});
