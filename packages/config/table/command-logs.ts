import { integer, LONG_MAX } from '../kinds.ts';
import { rows } from '../setting.ts';

const count = integer({ most: LONG_MAX });
const sizeFrom = integer({ least: -1, most: LONG_MAX, unit: 'bytes' });
const MIB = 1024 ** 2;

/** Settings of the logs of commands: of slow ones, of large requests, of large replies. */
export const commandLogSettings = rows({
  'slowlog.log-slower-than': {
    kind: integer({ least: -1, most: LONG_MAX, unit: 'microseconds' }),
    default: 10_000,
    effect: 'live',
    aliases: ['commandlog-execution-slower-than'],
    meaning: 'Commands that run at least this long are logged; 0 logs all, -1 none.',
  },
  'slowlog.max-len': {
    kind: count,
    default: 128,
    effect: 'live',
    aliases: ['commandlog-slow-execution-max-len'],
    meaning: 'Maximum number of slow log entries, over all shards.',
  },
  'slowlog.max-arg-len': {
    kind: integer(),
    default: 128,
    effect: 'live',
    meaning:
      'Maximum number of bytes kept of one argument of a logged command, slow, large request or large reply.',
  },
  'commandlog.request-larger-than': {
    kind: sizeFrom,
    default: MIB,
    effect: 'live',
    meaning: 'Commands with a request of at least this size are logged; 0 logs all, -1 none.',
  },
  'commandlog.large-request-max-len': {
    kind: count,
    default: 128,
    effect: 'live',
    meaning: 'Maximum number of logged large requests, over all shards.',
  },
  'commandlog.reply-larger-than': {
    kind: sizeFrom,
    default: MIB,
    effect: 'live',
    meaning: 'Commands with a reply of at least this size are logged; 0 logs all, -1 none.',
  },
  'commandlog.large-reply-max-len': {
    kind: count,
    default: 128,
    effect: 'live',
    meaning: 'Maximum number of logged large replies, over all shards.',
  },
});
