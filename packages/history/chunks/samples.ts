/** Samples of many series: those being collected in memory, and the form in which queries read any. */

/** Samples of a chunk, open or closed. */
export interface Samples {
  readonly count: number;
  /** Unix milliseconds of the end of each sample. */
  readonly timesMs: Float64Array;
  /** Microseconds that each sample covers, by the monotonic clock. */
  readonly intervalsUs: Float64Array;
  /** Owners of series, as of then. */
  readonly owners: readonly SeriesOwner[];
  /** Values of a series; undefined where the chunk does not have it. */
  column(owner: string, name: string): Float64Array | undefined;
}

/** Series of one owner: a thread, the server, a command. */
export interface SeriesOwner {
  readonly owner: string;
  readonly names: readonly string[];
}

/** Samples that one chunk has at most. */
export const CHUNK_SAMPLES = 60;

/** The chunk that samples are added to. Owners may be added while it is open: they have no values before. */
export class OpenChunk implements Samples {
  /** Number of the first sample. */
  readonly first: number;
  readonly timesMs = new Float64Array(CHUNK_SAMPLES);
  readonly intervalsUs = new Float64Array(CHUNK_SAMPLES);
  readonly owners: SeriesOwner[] = [];
  readonly columns: Float64Array[] = [];
  /** Index of each owner's first column. */
  readonly #starts = new Map<string, number>();
  #count = 0;

  constructor(first: number) {
    this.first = first;
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === CHUNK_SAMPLES;
  }

  /** Adds a sample: the values of all owners, in their order. */
  add(owners: readonly SeriesOwner[], values: ArrayLike<number>, time: SampleTime): void {
    for (const owner of owners.slice(this.owners.length)) this.#addOwner(owner);
    const index = this.#count;
    this.timesMs[index] = time.wallMs;
    this.intervalsUs[index] = time.intervalUs;
    for (let column = 0; column < this.columns.length; column += 1) {
      this.columns[column]![index] = values[column]!;
    }
    this.#count = index + 1;
  }

  column(owner: string, name: string): Float64Array | undefined {
    const start = this.#starts.get(owner);
    if (start === undefined) return undefined;
    const at = this.owners.find((each) => each.owner === owner)!.names.indexOf(name);
    return at < 0 ? undefined : this.columns[start + at];
  }

  #addOwner(owner: SeriesOwner): void {
    this.#starts.set(owner.owner, this.columns.length);
    this.owners.push(owner);
    for (let nth = 0; nth < owner.names.length; nth += 1) {
      this.columns.push(new Float64Array(CHUNK_SAMPLES).fill(NaN));
    }
  }
}

/** Time of a sample by both clocks. */
export interface SampleTime {
  readonly wallMs: number;
  /** Microseconds since the sample before it, by the monotonic clock. */
  readonly intervalUs: number;
}
