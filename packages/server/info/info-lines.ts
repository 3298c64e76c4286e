/** A line of INFO, lines of the table of quantities, and how sizes are written. */

import type { InfoForm, LogQuantity, PageQuantity } from '#quantities';
import { readQuantity, type LogFigure } from '#stats';
import type { ServerMetrics } from './server-metrics.ts';

export type Line = readonly [name: string, value: string | number];

const FORMS: Readonly<Record<InfoForm, (us: number) => string | number>> = {
  'whole-ms': (us) => Math.round(us / 1_000),
  'whole-us': Math.round,
  'exact-ms': (us) => (us / 1_000).toFixed(3),
};

/** Lines of the rows that have one. */
export function linesOf(
  { main, shards }: Pick<ServerMetrics, 'main' | 'shards'>,
  ...lists: readonly (readonly PageQuantity[])[]
): Line[] {
  return lists.flat().flatMap((row): Line[] => {
    const { info, infoAs } = row;
    if (info === undefined) return [];
    const value = readQuantity(row, main, shards);
    return [[info, infoAs === undefined ? value : FORMS[infoAs](value)]];
  });
}

/** Lines of the figures of all logs together. */
export function logLines(
  { logTotals }: Pick<ServerMetrics, 'logTotals'>,
  rows: readonly (LogQuantity & { readonly figure: LogFigure })[],
): Line[] {
  return rows.flatMap(({ info, figure }): Line[] =>
    info === undefined ? [] : [[info, logTotals(figure)]],
  );
}

const BYTE_UNITS = ['B', 'K', 'M', 'G', 'T', 'P'];

/** 1.50M, as Redis writes sizes for people. */
function humanBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${String(bytes)}B` : `${value.toFixed(2)}${BYTE_UNITS[unit] ?? ''}`;
}

/** A size as a number, and for people. */
export function size(name: string, bytes: number): Line[] {
  return [
    [name, bytes],
    [`${name}_human`, humanBytes(bytes)],
  ];
}
