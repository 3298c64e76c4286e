/** A line of INFO, lines of the table of quantities, and how sizes are written. */

import type { InfoForm, LogQuantity, PageQuantity } from '#quantities';
import { type LogFigure, readQuantity } from '#stats';
import type { ServerMetrics } from './server-metrics.ts';

export type Line = readonly [name: string, value: string | number];

const FORMS: Readonly<Record<InfoForm, (us: number) => string | number>> = {
  'whole-ms': (us) => Math.round(us / 1_000),
  'whole-us': Math.round,
  'exact-ms': (us) => (us / 1_000).toFixed(3),
};

/** Part of a section: rows of the table of quantities, or lines that are worked out; some only while something holds. */
export type Part =
  | readonly PageQuantity[]
  | ((metrics: ServerMetrics) => readonly Line[])
  | { readonly when: (metrics: ServerMetrics) => boolean; readonly parts: readonly Part[] };

/** Lines of a section. */
export function linesOfParts(metrics: ServerMetrics, parts: readonly Part[]): readonly Line[] {
  return parts.flatMap((part) => {
    if (typeof part === 'function') return part(metrics);
    if ('when' in part) return part.when(metrics) ? linesOfParts(metrics, part.parts) : [];
    return linesOf(metrics, part);
  });
}

/** Rows that sections show. */
export function rowsOfParts(parts: readonly Part[]): readonly PageQuantity[] {
  return parts.flatMap((part) => {
    if (typeof part === 'function') return [];
    return 'when' in part ? rowsOfParts(part.parts) : part;
  });
}

/** Lines of the rows that have one. */
function linesOf(
  { main, shards }: Pick<ServerMetrics, 'main' | 'shards'>,
  rows: readonly PageQuantity[],
): Line[] {
  return rows.flatMap((row): Line[] => {
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
