/** The logs of a thread: of slow commands, of large requests and of large replies. */

import { type ByLogKind, byLogKind, COMMAND_LOG_KINDS, type CommandLogKind } from '#base';
import { shardCall } from '../calls/shard-calls.ts';
import { type RawCommands, type SlowEntry, SlowLog } from './slow-log.ts';

/** Reserves `count` consecutive ids of a kind; returns the first. */
export type TakeLogIds = (kind: CommandLogKind, count: number) => number;

/** Settings of each kind. */
export const COMMAND_LOG_SETTINGS = {
  slow: { threshold: 'slowlog.log-slower-than', lengthMax: 'slowlog.max-len' },
  'large-request': {
    threshold: 'commandlog.request-larger-than',
    lengthMax: 'commandlog.large-request-max-len',
  },
  'large-reply': {
    threshold: 'commandlog.reply-larger-than',
    lengthMax: 'commandlog.large-reply-max-len',
  },
} as const satisfies ByLogKind<{ readonly threshold: string; readonly lengthMax: string }>;

type LogSetting =
  (typeof COMMAND_LOG_SETTINGS)[CommandLogKind]['threshold' | 'lengthMax'] | 'slowlog.max-arg-len';

/** Counter of the entries of each log of sizes. */
export const LARGE_COUNTERS = {
  'large-request': 'largeRequests',
  'large-reply': 'largeReplies',
} as const;

/** Gauge of main: the lowest id of each kind that counts. */
export const FIRST_ID_COUNTERS = {
  slow: 'slowFirstId',
  'large-request': 'largeRequestFirstId',
  'large-reply': 'largeReplyFirstId',
} as const satisfies ByLogKind<string>;

/** Calls of a shard's log of a kind. */
export const commandLogCalls = byLogKind((kind) => ({
  /** The newest `count` entries with an id of at least `fromId`. */
  entries: shardCall<{ readonly fromId: number; readonly count: number }, readonly SlowEntry[]>(
    `${kind}-entries`,
  ),
  /** Forgets the entries with a lower id. */
  reset: shardCall<{ readonly beforeId: number }, null>(`${kind}-reset`),
}));

/** Makes the logs of a thread; `raw` is the memory in which slow commands are left for a while. */
export function commandLogs(
  shard: number,
  takeIds: TakeLogIds,
  raw?: RawCommands,
): ByLogKind<SlowLog> {
  return byLogKind(
    (kind) =>
      new SlowLog(shard, (count) => takeIds(kind, count), kind === 'slow' ? raw : undefined),
  );
}

/** Sets the limits of all logs of a thread. */
export function configureLogs(
  logs: ByLogKind<SlowLog>,
  settings: { number(name: LogSetting): number },
): void {
  for (const kind of COMMAND_LOG_KINDS) {
    const { threshold, lengthMax } = COMMAND_LOG_SETTINGS[kind];
    logs[kind].configure({
      threshold: settings.number(threshold),
      lengthMax: settings.number(lengthMax),
      argumentBytesMax: settings.number('slowlog.max-arg-len'),
    });
  }
}
