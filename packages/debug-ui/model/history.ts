/**
 * The last minutes, one sample a second as taken by the server: missed samples are fetched later, so that a chart has
 * no gaps.
 */

import type { LiveColumns, LiveSample } from './api.ts';

/** As many as the server keeps. */
const SAMPLES_MAX = 300;
/** Between two samples that are further apart than this nothing is drawn. */
const GAP_MS = 3_500;

/** The columns of a chart: times in seconds, then a column for each line. */
export type Columns = [times: number[], ...lines: (number | null)[][]];

export class History {
  #samples: readonly LiveSample[] = [];
  #boot = '';

  get samples(): readonly LiveSample[] {
    return this.#samples;
  }

  get latest(): LiveSample | undefined {
    return this.#samples.at(-1);
  }

  /** Number of the newest sample: later ones are requested. */
  get since(): number {
    return this.latest?.seq ?? 0;
  }

  /** Adds samples from the server; those of another process replace the old ones. */
  add(boot: string, columns: LiveColumns): void {
    const samples = samplesOf(columns);
    const kept = boot === this.#boot ? this.#samples : [];
    const since = kept.at(-1)?.seq ?? 0;
    this.#boot = boot;
    this.#samples = [...kept, ...samples.filter(({ seq }) => seq > since)].slice(-SAMPLES_MAX);
  }
}

/** Makes samples again of what the server sends as a list for each figure. */
export function samplesOf(columns: LiveColumns): LiveSample[] {
  const { totals, times, shards, replication } = columns;
  let time = columns.first_time_ms ?? 0;
  return columns.after_ms.map((after, index) => {
    time += after;
    return {
      seq: (columns.first_seq ?? 0) + index,
      time_ms: time,
      totals: valueAt(totals, index) as LiveSample['totals'],
      times: valueAt(times, index) as LiveSample['times'],
      shards: valueAt(shards, index) as LiveSample['shards'],
      replication: valueAt(replication, index) as LiveSample['replication'],
    };
  });
}

/** The value at that place of every list; null in place of an object whose values are all null. */
function valueAt(columns: unknown, index: number): unknown {
  if (columns === null || typeof columns !== 'object') return null;
  if (Array.isArray(columns)) {
    // A list of values has one that is not null, or there would be no list.
    const isByShard = columns.every((each) => each === null || Array.isArray(each));
    return isByShard ? columns.map((each) => valueAt(each, index)) : (columns[index] ?? null);
  }
  const values = Object.entries(columns).map(
    ([name, each]) => [name, valueAt(each, index)] as const,
  );
  return values.every(([, value]) => value === null) ? null : Object.fromEntries(values);
}

/** Makes a chart's columns; where samples are missing, a point without values breaks the lines. */
export function columnsOf(
  samples: readonly LiveSample[],
  lines: readonly ((sample: LiveSample) => number | null | undefined)[],
): Columns {
  const times: number[] = [];
  const values: (number | null)[][] = lines.map(() => []);
  let before = 0;
  for (const sample of samples) {
    if (before > 0 && sample.time_ms - before > GAP_MS) {
      times.push((before + 1_000) / 1_000);
      for (const column of values) column.push(null);
    }
    before = sample.time_ms;
    times.push(sample.time_ms / 1_000);
    lines.forEach((line, index) => values[index]!.push(line(sample) ?? null));
  }
  return [times, ...values];
}

/** Indexes of values without a neighbour: no line leads through them, so they are drawn as points. */
export function lonely(column: ArrayLike<number | null | undefined>): number[] {
  const isThere = (index: number): boolean => typeof column[index] === 'number';
  return Array.from({ length: column.length }, (_, index) => index).filter(
    (index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1),
  );
}

/** Minimum, mean and maximum of the values, for the text of a chart. */
export function summaryOf(column: readonly (number | null)[]): {
  readonly least: number;
  readonly mean: number;
  readonly greatest: number;
  readonly last: number;
} | null {
  const known = column.filter((value) => value !== null);
  if (known.length === 0) return null;
  return {
    least: Math.min(...known),
    mean: known.reduce((sum, value) => sum + value, 0) / known.length,
    greatest: Math.max(...known),
    last: known.at(-1)!,
  };
}
