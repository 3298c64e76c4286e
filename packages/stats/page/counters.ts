/** The counters of a page, as the table of quantities names them: what a thread tells of itself by name. */

import { type Counter, QUANTITIES } from '#quantities';

/** Counters and gauges of a page, in the order in which they lie there. */
export const COUNTERS: readonly Counter[] = [...new Set(QUANTITIES.map(({ counter }) => counter))];

/** A counter's index, to be used as `page.values[AT.hits]`. */
export const AT = Object.fromEntries(COUNTERS.map((name, index) => [name, index])) as Readonly<
  Record<Counter, number>
>;

/** Counters that CONFIG RESETSTAT sets back: what has happened, and not how things are. */
export const RESETTABLE: ReadonlySet<Counter> = new Set(
  QUANTITIES.filter(({ resets }) => resets).map(({ counter }) => counter),
);
