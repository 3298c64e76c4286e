/** The latest lines of the log, from the memory of the ops thread: no other thread is asked. */

import { LOG_LEVELS, type LogLevel } from '#base';
import type { LogLineReport, LogsDocument } from '#api-types';
import type { RecentLine } from '#telemetry';
import { HttpError } from '../../protocol/answer.ts';
import { countOf, numberBelow } from '../../protocol/query.ts';
import { countParameter, integer, string, word } from '../../protocol/parameters.ts';
import { documentRoute, type Route } from '../../protocol/route.ts';

/** Lines answered when no count is given. */
const COUNT = 200;

/** Selection of lines; undefined selects all. */
export interface LogsQuestion {
  /** Lines with a number above that. */
  readonly after: number;
  /** Most lines, the newest of the selected ones. */
  readonly count: number;
  /** Least level. */
  readonly level: LogLevel;
  readonly thread: string | undefined;
  readonly event: string | undefined;
  /** Words that a line contains, in any case. */
  readonly text: string | undefined;
}

/** Source of the lines, as the log writer keeps them. */
interface LogsSource {
  /** Returns the lines in memory with a number above that, oldest first. */
  recentLog(after: number): readonly RecentLine[];
  logLinesDropped(): number;
}

export function logsDocument(source: LogsSource, question: LogsQuestion): LogsDocument {
  const all = source.recentLog(0);
  const last = all.at(-1)?.number ?? 0;
  const oldest = all[0]?.number ?? 1;
  const words = (question.text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const selected = all.filter((line) => isSelected(line, question, words));
  return {
    lines: selected.slice(Math.max(0, selected.length - question.count)).map(reportOf),
    last,
    // A number beyond the last is of another process.
    missed: question.after < last ? Math.max(0, oldest - question.after - 1) : 0,
    dropped: source.logLinesDropped(),
    threads: namesIn(all.map(({ record }) => record.thread)),
    events: namesIn(all.map(({ record }) => record.event)),
  };
}

function isSelected(
  { number, line, record }: RecentLine,
  { after, level, thread, event }: LogsQuestion,
  words: readonly string[],
): boolean {
  if (number <= after) return false;
  if (LOG_LEVELS.indexOf(record.level) < LOG_LEVELS.indexOf(level)) return false;
  if (thread !== undefined && record.thread !== thread) return false;
  if (event !== undefined && record.event !== event) return false;
  if (words.length === 0) return true;
  const text = line.toLowerCase();
  return words.every((word) => text.includes(word));
}

function reportOf({ number, record }: RecentLine): LogLineReport {
  const { time, level, thread, event, message, fields = {} } = record;
  return { number, time_ms: time, level, thread, event, message, fields };
}

function namesIn(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

export function logsRoute(document: (question: LogsQuestion) => LogsDocument): Route {
  return documentRoute(
    'logs',
    'Latest lines of the log, oldest first; ?level= (least), ?thread=, ?event= and ?text= select lines, ?after= newer ones, ?count= (-1: all) limits their number.',
    ({ query }) => document(questionOf(query)),
    [
      word('level', 'Least level.', LOG_LEVELS),
      string('thread', 'Thread that logged the lines.'),
      string('event', 'Code of the event.'),
      string('text', 'Words that a line contains, in any case.'),
      integer('after', 'Number of the last known line; only newer lines are returned.'),
      countParameter(COUNT),
    ],
  );
}

function questionOf(query: URLSearchParams): LogsQuestion {
  return {
    after: numberBelow(query, 'after', Number.MAX_SAFE_INTEGER),
    count: countOf(query, COUNT),
    level: levelOf(query.get('level') ?? 'trace'),
    thread: query.get('thread') ?? undefined,
    event: query.get('event') ?? undefined,
    text: query.get('text') ?? undefined,
  };
}

function levelOf(word: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === word);
  if (level === undefined)
    throw new HttpError(400, `level must be one of ${LOG_LEVELS.join(', ')}`);
  return level;
}
