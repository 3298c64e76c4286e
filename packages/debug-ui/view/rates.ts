/** Rates of counts between the last two answers of a document. */

import { useRef } from 'preact/hooks';
import type { Reading } from '../model/freshness.ts';
import { ratesBetween, type Counts } from '../model/activity/count-rates.ts';

export type Rates = ReadonlyMap<string, number>;

/** Returns the rates per second by name; `countsOf` returns the counts of an answer. */
export function useRates<T>(
  { data, answeredMs }: Reading<T>,
  countsOf: (data: T) => ReadonlyMap<string, number>,
): Rates {
  const latest = useRef<Counts | null>(null);
  const rates = useRef<Rates>(new Map());
  if (data !== null && answeredMs !== null && answeredMs !== latest.current?.timeMs) {
    const now = { timeMs: answeredMs, counts: countsOf(data) };
    rates.current = ratesBetween(latest.current, now);
    latest.current = now;
  }
  return rates.current;
}
