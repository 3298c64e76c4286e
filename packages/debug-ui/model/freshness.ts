/** Freshness of shown data: current, outdated, or never received. */

import { clockTime } from './format.ts';

/** From best to worst. */
const ORDER = [
  'fresh',
  'paused',
  'stale',
  'waiting',
  'refused',
  'unreachable',
  'forbidden',
] as const;

export type Freshness = (typeof ORDER)[number];

/** Reason why there was no answer. */
export interface Failure {
  readonly kind: 'refused' | 'unreachable' | 'forbidden';
  /** A sentence without its full stop. */
  readonly message: string;
}

/** State of one document: the last answer, and the reason why there is no newer one. */
export interface Reading<T = unknown> {
  /** The last answer; null before the first. */
  readonly data: T | null;
  /** Time of the last answer, as Unix milliseconds by the clock of the reader. */
  readonly answeredMs: number | null;
  /** Reason why there is no newer answer; null while nothing is wrong. */
  readonly failure: Failure | null;
  /** True if a reply is overdue. */
  readonly isOverdue: boolean;
  readonly isPaused: boolean;
}

export function freshnessOf({ data, failure, isOverdue, isPaused }: Reading): Freshness {
  if (isPaused) return 'paused';
  if (failure !== null) return failure.kind;
  if (isOverdue) return 'stale';
  return data === null ? 'waiting' : 'fresh';
}

/** The reading that is to be believed least. */
export function worstOf(readings: readonly Reading[]): Reading {
  const rank = (reading: Reading): number =>
    ORDER.indexOf(freshnessOf(reading)) + (reading.data === null ? ORDER.length : 0);
  return readings.reduce((worst, each) => (rank(each) > rank(worst) ? each : worst));
}

/** A word or two for a badge; empty while all is well. */
export function badgeOf(freshness: Freshness): string {
  switch (freshness) {
    case 'fresh':
      return '';
    case 'paused':
      return 'paused';
    case 'stale':
      return 'not responding';
    case 'waiting':
      return 'loading';
    case 'refused':
      return 'no answer';
    case 'unreachable':
      return 'not reachable';
    case 'forbidden':
      return 'not allowed';
  }
}

/** Returns the time of shown data, if it is not current. */
export function asOf({ answeredMs }: Reading): string {
  return answeredMs === null ? '' : `as of ${clockTime(answeredMs)}`;
}

/** Returns the text that is shown while there is no answer yet. */
export function placeholderOf(reading: Reading): string {
  const { failure } = reading;
  switch (freshnessOf(reading)) {
    case 'paused':
      return 'Paused: not requested yet.';
    case 'stale':
      return 'No reply from the server yet.';
    case 'refused':
    case 'unreachable':
    case 'forbidden':
      return `${capital(failure?.message ?? '')}.`;
    default:
      return 'Loading…';
  }
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
