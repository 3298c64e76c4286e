/** Figures of one shard's log: written by the owner of the log (`link/log/log-ownership.ts`), read by all. */

/** One double each. */
const LOG_FIGURES = [
  /** Number of the segment that is written, and its bytes. */
  'segment',
  'segmentBytes',
  /** Since the start: bytes, blocks (writes) and records written. */
  'bytes',
  'blocks',
  'records',
  /** Syncs that are through, their time together, the longest and the last, in microseconds. */
  'syncs',
  'syncUs',
  'syncUsMax',
  'syncUsLast',
  /** Syncs that came due while one was under way. */
  'delayedSyncs',
  /** Since when (monotonic microseconds) something is written that is not on disk for certain; 0 = nothing is. */
  'unsyncedSinceUs',
  /** Records written since the last sync began. */
  'unsyncedRecords',
  'unsyncedBytes',
  /** Writes and syncs that failed, and records that were dropped because of it. */
  'writeErrors',
  'syncErrors',
  'lostRecords',
] as const;

export type LogFigure = (typeof LOG_FIGURES)[number];

const AT = Object.fromEntries(LOG_FIGURES.map((name, index) => [name, index])) as Readonly<
  Record<LogFigure, number>
>;

export class LogFigures {
  readonly #values: Float64Array;

  static readonly bytes = LOG_FIGURES.length * Float64Array.BYTES_PER_ELEMENT;

  constructor(memory: ArrayBufferLike) {
    this.#values = new Float64Array(memory);
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

  /** A sync is through that took so many microseconds. */
  countSync(us: number): void {
    this.add('syncs', 1);
    this.add('syncUs', us);
    this.set('syncUsLast', us);
    this.set('syncUsMax', Math.max(us, this.get('syncUsMax')));
  }
}
