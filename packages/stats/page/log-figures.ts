/** Figures of one shard's log: written by the owner of the log (`link/log/log-ownership.ts`), read by all. */

import { LOG_QUANTITIES } from '#quantities';
import { bucketOf, HISTOGRAM_BUCKETS, TICKS_PER_US, type Counts } from './histogram.ts';

const ROWS = Object.values(LOG_QUANTITIES).flat();

export type LogFigure = (typeof ROWS)[number]['figure'];

/** One double each. */
const LOG_FIGURES: readonly LogFigure[] = ROWS.map(({ figure }) => figure);

const AT = Object.fromEntries(LOG_FIGURES.map((name, index) => [name, index])) as Readonly<
  Record<LogFigure, number>
>;

export class LogFigures {
  readonly #values: Float64Array;
  /** Histogram of the times of syncs, since the start. */
  readonly syncTimes: Counts;

  static readonly bytes = (LOG_FIGURES.length + HISTOGRAM_BUCKETS) * Float64Array.BYTES_PER_ELEMENT;

  constructor(memory: ArrayBufferLike) {
    this.#values = new Float64Array(memory);
    this.syncTimes = this.#values.subarray(LOG_FIGURES.length);
  }

  get(figure: LogFigure): number {
    return this.#values[AT[figure]]!;
  }

  set(figure: LogFigure, value: number): void {
    this.#values[AT[figure]] = value;
  }

  add(figure: LogFigure, amount: number): void {
    this.#values[AT[figure]]! += amount;
  }

  /** All is on disk, or given up. */
  clearUnsynced(): void {
    for (const each of ['unsyncedSinceUs', 'unsyncedBytes', 'unsyncedRecords'] as const)
      this.set(each, 0);
  }

  /** Counts a finished sync of `us` microseconds. */
  countSync(us: number): void {
    this.add('syncs', 1);
    this.add('syncUs', us);
    this.set('syncUsLast', us);
    this.set('syncUsMax', Math.max(us, this.get('syncUsMax')));
    this.syncTimes[bucketOf(us * TICKS_PER_US)]! += 1;
  }
}
