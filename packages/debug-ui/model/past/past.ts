/** The page of the history: its state in the address, columns of its charts, runs of its bands. */

import type { EventEntry, Past, PastSeries } from '../api.ts';
import type { Columns } from '../history.ts';

/** Lengths of time that are offered, in seconds. */
export const RANGES = [
  { seconds: 900, label: '15 min' },
  { seconds: 3_600, label: '1 h' },
  { seconds: 21_600, label: '6 h' },
  { seconds: 86_400, label: '1 d' },
  { seconds: 1_209_600, label: '14 d' },
] as const;

/** Earlier times to compare with, in seconds. */
export const COMPARISONS = [
  { seconds: 0, label: 'nothing' },
  { seconds: 3_600, label: 'an hour before' },
  { seconds: 86_400, label: 'a day before' },
] as const;

const SECONDS_DEFAULT = 900;
/** Shortest time that is zoomed into. */
const SECONDS_MIN = 10;
const SECONDS_MAX = 1_209_600;

/** State of the page, all of it in the address. */
export interface PastView {
  readonly seconds: number;
  /** Unix milliseconds of the end; null follows the present. */
  readonly toMs: number | null;
  /** Seconds between a time and the one that it is compared with; 0 for none. */
  readonly compare: number;
  /** Kind and least level of the events that are shown; empty for all. */
  readonly kind: string;
  readonly level: string;
}

/** Reads the state from the part of the address after the `#`; a wrong value is the default. */
export function viewOf(hash: string): PastView {
  const query = new URLSearchParams(hash.split('?')[1] ?? '');
  const number = (name: string): number => Number(query.get(name) ?? NaN);
  const seconds = number('range');
  const toMs = number('to');
  const compare = number('compare');
  return {
    seconds:
      seconds >= SECONDS_MIN && seconds <= SECONDS_MAX ? Math.round(seconds) : SECONDS_DEFAULT,
    toMs: Number.isSafeInteger(toMs) && toMs > 0 ? toMs : null,
    compare: COMPARISONS.some((each) => each.seconds === compare) ? compare : 0,
    kind: wordIn(query, 'kind'),
    level: wordIn(query, 'level'),
  };
}

/** Returns a parameter that is a word in lower case; empty for any other. */
function wordIn(query: URLSearchParams, name: string): string {
  const text = query.get(name) ?? '';
  return /^[a-z-]+$/.test(text) ? text : '';
}

/** Returns the address of a state, without defaults. */
export function hashOf({ seconds, toMs, compare, kind, level }: PastView): string {
  const query = new URLSearchParams();
  if (seconds !== SECONDS_DEFAULT) query.set('range', String(seconds));
  if (toMs !== null) query.set('to', String(toMs));
  if (compare !== 0) query.set('compare', String(compare));
  if (kind !== '') query.set('kind', kind);
  if (level !== '') query.set('level', level);
  const text = query.toString();
  return text === '' ? '#/history' : `#/history?${text}`;
}

/** Returns the state that shows a part of the time. */
export function zoomed(view: PastView, fromMs: number, toMs: number): PastView {
  const seconds = Math.max(SECONDS_MIN, Math.ceil((toMs - fromMs) / 1_000));
  return { ...view, seconds, toMs: Math.round(toMs) };
}

/** Returns the state moved by a part of its length; one that would end in the future follows the present. */
export function moved(view: PastView, share: number, nowMs: number): PastView {
  const toMs = Math.round((view.toMs ?? nowMs) + share * view.seconds * 1_000);
  return { ...view, toMs: toMs >= nowMs ? null : toMs };
}

/** Times of the steps in seconds up to the last with a value, and values of some series; those that are compared with follow. */
export function columnsFor(
  past: Past,
  before: Past | null,
  names: readonly (readonly [name: string, thread: string | null])[],
  scale = 1,
): Columns {
  const step = past.step_seconds;
  const times = Array.from(
    { length: past.steps },
    (_, nth) => past.from_time_ms / 1_000 + nth * step,
  );
  const values = (from: Past | null, [name, thread]: readonly [string, string | null]) => {
    const found = seriesIn(from, name, thread)?.values ?? [];
    return times.map((_, nth) => {
      const value = found[nth] ?? null;
      return value === null ? null : value * scale;
    });
  };
  const first = names[0];
  const columns = [
    ...names.map((name) => values(past, name)),
    ...(before === null || first === undefined ? [] : [values(before, first)]),
  ];
  // The latest step may have no samples yet: the figures beside the title are those of the last that has values.
  const end =
    1 + Math.max(0, ...columns.map((column) => column.findLastIndex((value) => value !== null)));
  return [times.slice(0, end), ...columns.map((column) => column.slice(0, end))];
}

function seriesIn(
  past: Past | null,
  name: string,
  thread: string | null = null,
): PastSeries | undefined {
  return past?.series.find((series) => series.name === name && series.thread === thread);
}

/** Time in which a value stays the same; positions are shares of the whole. */
export interface Run {
  readonly value: number;
  readonly from: number;
  readonly to: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the runs of equal values, without gaps and, if `bit` is given, of one bit of them. */
export function runsOf(past: Past, name: string, bit?: number): Run[] {
  const values = seriesIn(past, name)?.values ?? [];
  const stepMs = 1_000 * past.step_seconds;
  const runs: Run[] = [];
  values.forEach((raw, nth) => {
    if (raw === null) return;
    const value = bit === undefined ? raw : (raw >> bit) & 1;
    const fromMs = past.from_time_ms + nth * stepMs;
    const last = runs.at(-1);
    const to = (nth + 1) / values.length;
    if (last !== undefined && last.value === value && last.toMs === fromMs) {
      runs[runs.length - 1] = { ...last, to, toMs: fromMs + stepMs };
    } else runs.push({ value, from: nth / values.length, to, fromMs, toMs: fromMs + stepMs });
  });
  return runs;
}

/** Events as marks of charts: those that call for attention are distinct. */
export function marksOf(
  events: readonly EventEntry[],
): { readonly seconds: number; readonly isBad: boolean }[] {
  return events.map(({ time_ms: ms, level }) => ({
    seconds: ms / 1_000,
    isBad: level === 'error' || level === 'warn',
  }));
}
