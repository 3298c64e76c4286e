/** The history over HTTP: series over a time, and the list of series. It is kept by this thread: no other is asked. */

import { EVENT_KINDS, LOG_LEVELS, type LogLevel } from '#base';
import type { EventsDocument, HistoryDocument, HistorySeriesDocument } from '#api-types';
import { type History, STEPS_MAX, VALUES_MAX, type WantedColumn } from '#history';
import { HttpError } from '../../protocol/answer.ts';
import { countOf, wordsOf } from '../../protocol/query.ts';
import { CAUSE_NAMES } from './judgement.ts';
import { countParameter, integer, string, word, words } from '../../protocol/parameters.ts';
import { documentRoute, type Route } from '../../protocol/route.ts';

/** Milliseconds before now at which an answer begins without `from`. */
const RANGE_MS_DEFAULT = 900_000;
/** Steps in seconds that are chosen without `step`: the first that is long enough. */
const STEPS = [1, 10, 60, 120, 300, 600, 900, 1_200, 1_800, 3_600, 7_200, 21_600, 86_400];
/** Most steps that are chosen without `step`. */
const STEPS_CHOSEN_MAX = 1_500;
const STEP_SECONDS_MAX = 86_400;
/** Time on its way: the oldest samples of a tier may be this much younger than the time that is asked for. */
const SLACK_MS = 60_000;

/** Events of an answer without `count`, and the most of any. */
const EVENTS_DEFAULT = 200;
const EVENTS_MAX = 5_000;

/** Series of an answer without `series`. */
const SUMMARY: readonly string[] = [
  ...[
    'ops',
    'errors',
    'hits',
    'misses',
    'expired',
    'evicted',
    'connected_clients',
    'blocked_clients',
  ],
  ...['bytes_in', 'bytes_out', 'used_bytes', 'rss_bytes', 'execute_p50_us', 'execute_p99_us'],
  ...['execute_p999_us', 'execute_max_us', 'queue_p50_us', 'queue_p99_us', 'queue_max_us'],
  ...['sync_lag_us', 'replica_lag_us', 'primary_lag_us', 'health', 'limited_by'],
];

const TIMES = [
  integer('from', 'Begin in Unix milliseconds.'),
  integer('to', 'End in Unix milliseconds; now by default.'),
];

interface HistoryRoutesOptions {
  readonly history: History;
  readonly commandNames: readonly string[];
  readonly wallMs: () => number;
}

export function historyRoutes(options: HistoryRoutesOptions): Route[] {
  return [
    documentRoute(
      'history',
      'Series since the start and before: ?from= and ?to= Unix milliseconds, ?step= seconds, ?series= names, ?thread= a thread, all or each, ?command= a command, ?error= an error code.',
      ({ query }) => historyOf(query, options),
      [
        ...TIMES,
        integer('step', 'Seconds of a step; by default the shortest that fits the time.'),
        string('series', 'Names of series, with commas between them.'),
        string('thread', 'A thread, all (merged) or each (listed).'),
        string('command', 'A command, in place of a thread.'),
        string('error', 'Code of error replies, in place of a thread.'),
      ],
    ),
    documentRoute(
      'history/series',
      'Names of all series of the history, its threads and commands, and how long samples are kept.',
      async (): Promise<HistorySeriesDocument> => {
        await options.history.start();
        return { ...options.history.about(), causes: CAUSE_NAMES };
      },
    ),
    documentRoute(
      'events',
      'Events on the time line, newest first: ?from= and ?to= Unix milliseconds, ?kind= kinds, ?level= the least level, ?count= limits the number.',
      ({ query }) => eventsOf(query, options),
      [
        ...TIMES,
        words('kind', 'Kinds of events.', EVENT_KINDS),
        word('level', 'Least level.', LOG_LEVELS),
        countParameter(EVENTS_DEFAULT),
      ],
    ),
  ];
}

/** Returns the series of a query; throws an HttpError with status 400 where it is not valid. */
async function historyOf(
  query: URLSearchParams,
  { history, commandNames, wallMs }: HistoryRoutesOptions,
): Promise<HistoryDocument> {
  await history.start();
  const { enabled } = history.about();
  if (!enabled)
    throw new HttpError(409, 'the history is switched off', {}, 'history.enabled is no');
  const toMs = timeOf(query, 'to', wallMs());
  const fromMs = timeOf(query, 'from', toMs - RANGE_MS_DEFAULT);
  if (fromMs >= toMs) throw new HttpError(400, 'from must be before to');
  const stepMs = 1_000 * (stepOf(query) ?? chosenStep(history, { fromMs, toMs }, wallMs()));
  const startMs = Math.floor(fromMs / stepMs) * stepMs;
  const steps = Math.ceil((toMs - startMs) / stepMs);
  const columns =
    query.has('command') || query.has('error')
      ? thingColumns(query, history, commandNames)
      : columnsOf(query, history);
  demandBounds(steps, columns.length);
  const range = { fromMs: startMs, steps, stepMs };
  const [command, error] = [query.get('command'), query.get('error')];
  return history.document({ range, columns, command, error });
}

/** Returns the events of a query. */
async function eventsOf(
  query: URLSearchParams,
  { history }: { readonly history: History },
): Promise<EventsDocument> {
  await history.start();
  const fromMs = timeOf(query, 'from', 0);
  const toMs = timeOf(query, 'to', Infinity);
  if (fromMs >= toMs) throw new HttpError(400, 'from must be before to');
  const found = history.events.select({
    fromMs,
    toMs,
    kinds: wordsOf(query, 'kind', EVENT_KINDS),
    level: levelOf(query),
    count: Math.min(countOf(query, EVENTS_DEFAULT), EVENTS_MAX),
  });
  return { events: found.events, total: found.total, kinds: EVENT_KINDS };
}

function levelOf(query: URLSearchParams): LogLevel {
  const text = query.get('level') ?? 'trace';
  const level = LOG_LEVELS.find((each) => each === text);
  if (level === undefined)
    throw new HttpError(400, `level must be one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

function timeOf(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (/^\d{1,14}$/.test(text)) return Number(text);
  throw new HttpError(400, `${name} must be a time in Unix milliseconds`);
}

function stepOf(query: URLSearchParams): number | undefined {
  const text = query.get('step');
  if (text === null) return undefined;
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= STEP_SECONDS_MAX) return seconds;
  throw new HttpError(400, `step must be whole seconds from 1 to ${STEP_SECONDS_MAX}`);
}

/** The shortest step for which there are samples over the whole time, and not too many steps. */
function chosenStep(
  history: History,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  nowMs: number,
): number {
  const ageSeconds = (nowMs - fromMs - SLACK_MS) / 1_000;
  const { tiers } = history.about();
  const tier = tiers.find(({ kept_seconds: kept }) => kept >= ageSeconds) ?? tiers.at(-1);
  const least = Math.max(tier?.sample_seconds ?? 1, (toMs - fromMs) / 1_000 / STEPS_CHOSEN_MAX);
  return STEPS.find((seconds) => seconds >= least) ?? STEP_SECONDS_MAX;
}

function thingColumns(
  query: URLSearchParams,
  history: History,
  commandNames: readonly string[],
): WantedColumn[] {
  if (['thread', 'command', 'error'].filter((name) => query.has(name)).length > 1) {
    throw new HttpError(400, 'use one of thread, command and error');
  }
  const error = query.get('error');
  if (error !== null) {
    if (!/^\S{1,64}$/.test(error)) throw new HttpError(400, 'error must be a code, as OOM');
    const wanted = namesOf(query) ?? ['replies'];
    return known(wanted, (name) => history.thingColumns([name], 'error', error));
  }
  const command = query.get('command') ?? '';
  if (!commandNames.includes(command)) {
    throw new HttpError(400, 'command must be the name of a command, as get or config|get');
  }
  const names = namesOf(query) ?? ['calls', 'time_us', 'failed', 'rejected'];
  return known(names, (name) => history.thingColumns([name], 'command', command));
}

/** Threads of earlier processes, which may have had more of them. */
const NUMBERED = /^(shard|front)-\d{1,3}$/;

function columnsOf(query: URLSearchParams, history: History): WantedColumn[] {
  const thread = query.get('thread') ?? 'all';
  if (!['all', 'each', ...history.threads].includes(thread) && !NUMBERED.test(thread)) {
    throw new HttpError(400, `thread must be all, each, or one of ${history.threads.join(', ')}`);
  }
  const names = namesOf(query);
  if (names === null) return history.columns(SUMMARY, thread);
  return known(names, (name) => history.columns([name], thread));
}

/** Names that `series` lists; null where it is not given. */
function namesOf(query: URLSearchParams): string[] | null {
  const text = query.get('series');
  return text === null ? null : [...new Set(text.split(',').filter((name) => name !== ''))];
}

function known(
  names: readonly string[],
  columns: (name: string) => WantedColumn[],
): WantedColumn[] {
  return names.flatMap((name) => {
    const found = columns(name);
    if (found.length > 0) return found;
    throw new HttpError(400, 'unknown series', {}, `${name}; /debug/api/history/series lists them`);
  });
}

function demandBounds(steps: number, columns: number): void {
  if (steps > STEPS_MAX) {
    throw new HttpError(400, `at most ${STEPS_MAX} steps: choose a longer step or a shorter time`);
  }
  if (steps * columns > VALUES_MAX) {
    throw new HttpError(400, `at most ${VALUES_MAX} values: choose fewer series or a longer step`);
  }
}
