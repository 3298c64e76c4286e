/** The counters of a page, as named by the table of quantities: the named statistics of a thread. */

import { type Counter, QUANTITIES } from '#quantities';

/** Counters and gauges of a page, in the order in which they lie there. */
export const COUNTERS: readonly Counter[] = [...new Set(QUANTITIES.map(({ counter }) => counter))];

/** A counter's index, to be used as `page.values[AT.hits]`. */
export const AT = Object.fromEntries(COUNTERS.map((name, index) => [name, index])) as Readonly<
  Record<Counter, number>
>;

/** Counters that CONFIG RESETSTAT resets: counts of events, and not current states. */
export const RESETTABLE: ReadonlySet<Counter> = new Set(
  QUANTITIES.filter(({ resets }) => resets).map(({ counter }) => counter),
);
