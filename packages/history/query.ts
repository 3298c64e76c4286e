/** Values of some series over a time, in steps: of the tier that fits, and of the others where it has none. */

import type { HistoryColumn, HistoryDocument } from '#api-types';
import type { Samples } from './chunks/samples.ts';
import { isThread } from './samples/sampler.ts';
import { merged } from './samples/tier.ts';
import type { Series } from './samples/series.ts';

/** Most steps of an answer, and most values. */
export const STEPS_MAX = 3_000;
export const VALUES_MAX = 150_000;

/** Values that are wanted: of one series, from the columns of some owners. */
export interface WantedColumn {
  readonly series: Series;
  readonly thread: string | null;
  /** Owner of the values; null for all threads together, as many as there were then. */
  readonly owner: string | null;
}

interface HistoryRange {
  readonly fromMs: number;
  readonly steps: number;
  readonly stepMs: number;
}

/** Place where samples are read from, finest tier first. */
export interface SampleSource {
  readonly seconds: number;
  read(
    range: { readonly fromMs: number; readonly toMs: number },
    isWanted: (owner: string, name: string) => boolean,
  ): AsyncIterable<Samples>;
}

export interface HistoryQuery {
  readonly range: HistoryRange;
  readonly columns: readonly WantedColumn[];
  /** Command, or code of error replies, that the columns are of. */
  readonly command?: string | null;
  readonly error?: string | null;
}

export async function historyDocument(
  { range, columns, command = null, error = null }: HistoryQuery,
  sources: readonly SampleSource[],
): Promise<HistoryDocument> {
  const steps = new Steps(range, columns);
  const wanted = new Set(
    columns.map(({ series, owner }) => (owner === null ? series.name : `${owner} ${series.name}`)),
  );
  const isWanted = (owner: string, name: string): boolean =>
    wanted.has(`${owner} ${name}`) || (isThread(owner) && wanted.has(name));
  const toMs = range.fromMs + range.steps * range.stepMs;
  const used: number[] = [];
  for (const source of inOrder(sources, range.stepMs / 1_000)) {
    let isUsed = false;
    for await (const samples of source.read({ fromMs: range.fromMs, toMs }, isWanted)) {
      isUsed = steps.take(samples) || isUsed;
    }
    steps.settle();
    if (isUsed) used.push(source.seconds);
    if (steps.isComplete) break;
  }
  return {
    from_time_ms: range.fromMs,
    to_time_ms: toMs,
    step_seconds: range.stepMs / 1_000,
    sample_seconds: used,
    steps: range.steps,
    command,
    error,
    series: steps.columns(),
  };
}

/** The longest samples that fit into a step first, then shorter ones, then those that are longer than a step. */
function inOrder(sources: readonly SampleSource[], stepSeconds: number): SampleSource[] {
  const fitting = sources.filter(({ seconds }) => seconds <= stepSeconds);
  const longer = sources.filter(({ seconds }) => seconds > stepSeconds);
  return [...fitting.reverse(), ...longer];
}

/** Values by step. A step that has samples of one tier takes none of another. */
class Steps {
  readonly #range: HistoryRange;
  readonly #columns: readonly WantedColumn[];
  readonly #values: readonly Float64Array[];
  /** Microseconds that the samples of each step cover. */
  readonly #coveredUs: Float64Array;
  /** Steps that have values of a tier that was read before. */
  readonly #isSettled: Uint8Array;

  constructor(range: HistoryRange, columns: readonly WantedColumn[]) {
    this.#range = range;
    this.#columns = columns;
    this.#values = columns.map(() => new Float64Array(range.steps).fill(NaN));
    this.#coveredUs = new Float64Array(range.steps);
    this.#isSettled = new Uint8Array(range.steps);
  }

  get isComplete(): boolean {
    return this.#isSettled.every((isSettled) => isSettled === 1);
  }

  /** Adds samples of a chunk; returns whether any of them is used. */
  take(samples: Samples): boolean {
    const sources = this.#columns.map(({ series, owner }) => ownValues(samples, series, owner));
    let isUsed = false;
    for (let index = 0; index < samples.count; index += 1) {
      const intervalUs = samples.intervalsUs[index]!;
      const [first, last] = this.#stepsOf(samples.timesMs[index]!, intervalUs);
      const share = 1 / Math.max(1, last - first + 1);
      for (
        let step = Math.max(0, first);
        step <= Math.min(last, this.#range.steps - 1);
        step += 1
      ) {
        if (this.#isSettled[step] === 1) continue;
        isUsed = true;
        this.#coveredUs[step]! += intervalUs * share;
        this.#add(step, index, { sources, share });
      }
    }
    return isUsed;
  }

  /** Keeps the steps that have values from those of other tiers. */
  settle(): void {
    for (const [step, us] of this.#coveredUs.entries()) {
      if (us > 0) this.#isSettled[step] = 1;
    }
  }

  columns(): HistoryColumn[] {
    return this.#columns.map(({ series, thread }, column) => ({
      name: series.name,
      thread,
      kind: series.kind,
      unit: series.unit,
      values: [...this.#values[column]!].map((value, step) => {
        if (Number.isNaN(value)) return null;
        const seconds = series.kind === 'growth' ? this.#coveredUs[step]! / 1_000_000 : 1;
        return rounded(value / seconds);
      }),
    }));
  }

  #add(
    step: number,
    index: number,
    from: { readonly sources: readonly (Float64Array | undefined)[]; readonly share: number },
  ): void {
    for (const [column, source] of from.sources.entries()) {
      if (source === undefined) continue;
      const { kind } = this.#columns[column]!.series;
      const value = kind === 'growth' ? source[index]! * from.share : source[index]!;
      const values = this.#values[column]!;
      values[step] = merged(kind, values[step]!, value);
    }
  }

  /** Steps that a sample covers: the one that its middle is in, or several if it is longer than a step. */
  #stepsOf(endMs: number, intervalUs: number): readonly [first: number, last: number] {
    const { fromMs, stepMs } = this.#range;
    const intervalMs = intervalUs / 1_000;
    const count = Math.max(1, Math.round(intervalMs / stepMs));
    if (count === 1) {
      const middle = Math.floor((endMs - intervalMs / 2 - fromMs) / stepMs);
      return [middle, middle];
    }
    const first = Math.round((endMs - intervalMs - fromMs) / stepMs);
    return [first, first + count - 1];
  }
}

/** Values of a series in a chunk, of one owner or merged over all threads; undefined where none has it. */
function ownValues(
  samples: Samples,
  series: Series,
  owner: string | null,
): Float64Array | undefined {
  if (owner !== null) return samples.column(owner, series.name);
  const columns = samples.owners
    .filter((each) => isThread(each.owner))
    .map((each) => samples.column(each.owner, series.name))
    .filter((column) => column !== undefined);
  if (columns.length <= 1) return columns[0];
  const sums = new Float64Array(samples.count).fill(NaN);
  for (const column of columns) {
    for (let index = 0; index < samples.count; index += 1) {
      sums[index] = overThreads(series, sums[index]!, column[index]!);
    }
  }
  return sums;
}

function overThreads({ kind, isGreatest }: Series, before: number, value: number): number {
  if (kind === 'gauge' && isGreatest !== true) return merged('growth', before, value);
  return merged(kind, before, value);
}

/** Three decimal places are more than any series has. */
function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
