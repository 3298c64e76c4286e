/** Samples of one length: those of a second are merged into longer ones, and collected into chunks. */

import { CHUNK_SAMPLES, OpenChunk, type SampleTime, type SeriesOwner } from '../chunks/samples.ts';
import { GrowthSum } from './histogram-growth.ts';
import type { Series, SeriesKind } from './series.ts';

/** Values of a second, as the sampler has read them. */
export interface Reading {
  readonly owners: readonly SeriesOwner[];
  readonly series: readonly Series[];
  readonly values: readonly number[];
  /** Phases of which percentiles are computed; `column` is the index of the first. */
  readonly phases: readonly { readonly grown: GrowthSum; readonly column: number }[];
}

/** A length of samples, and how many are kept. */
export interface TierShape {
  readonly name: string;
  readonly seconds: number;
  /** Samples kept: the newest, by their number. */
  readonly samplesMax: number;
  /** Seconds between two writes of the open chunk, which a killed process loses at most. */
  readonly saveSeconds: number;
}

export const TIERS: readonly TierShape[] = [
  { name: '1s', seconds: 1, samplesMax: 900, saveSeconds: 10 },
  { name: '10s', seconds: 10, samplesMax: 2_160, saveSeconds: 60 },
  { name: '1m', seconds: 60, samplesMax: 20_160, saveSeconds: 300 },
];

export class Tier {
  readonly shape: TierShape;
  readonly #closed: (chunk: OpenChunk) => void;
  readonly #sums: number[] = [];
  readonly #phases: GrowthSum[] = [];
  #open = new OpenChunk(0);
  #added = 0;
  #intervalUs = 0;
  /** Multiple of the length that the sample in the making belongs to. */
  #round: number | undefined;

  /** `closed` is called with each chunk that is full, or that is closed before. */
  constructor(shape: TierShape, closed: (chunk: OpenChunk) => void) {
    this.shape = shape;
    this.#closed = closed;
  }

  /** The chunk that samples are added to, which may be empty. */
  get open(): OpenChunk {
    return this.#open;
  }

  /** Adds a sample of a second, which ends at `nowUs` of the monotonic clock. */
  add(reading: Reading, nowUs: number, time: SampleTime): void {
    this.#merge(reading);
    this.#intervalUs += time.intervalUs;
    // Samples are taken at full seconds or a little later.
    const round = Math.floor(nowUs / 1_000_000 / this.shape.seconds);
    const isFirst = this.#round === undefined;
    if (round === this.#round) return;
    this.#round = round;
    // The first one is shorter: it ends where the next begins.
    if (isFirst && this.shape.seconds > 1) return;
    this.#finish(reading, time.wallMs);
  }

  /** Closes the open chunk, with the sample in the making, if there is any. */
  close(reading: Reading, wallMs: number): void {
    if (this.#intervalUs > 0) this.#finish(reading, wallMs);
    if (this.#open.count > 0) this.#close();
  }

  #merge({ values, series, phases }: Reading): void {
    for (let column = 0; column < values.length; column += 1) {
      this.#sums[column] = merged(series[column]!.kind, this.#sums[column] ?? NaN, values[column]!);
    }
    for (const [index, { grown }] of phases.entries()) {
      (this.#phases[index] ??= new GrowthSum()).add(grown);
    }
  }

  #finish({ owners, phases }: Reading, wallMs: number): void {
    for (const [index, { column }] of phases.entries()) {
      const sum = this.#phases[index]!;
      for (const [nth, value] of sum.percentiles().entries()) this.#sums[column + nth] = value;
      sum.clear();
    }
    this.#open.add(owners, this.#sums, { wallMs, intervalUs: Math.round(this.#intervalUs) });
    this.#sums.fill(NaN);
    this.#intervalUs = 0;
    this.#added += 1;
    if (this.#open.isFull) this.#close();
  }

  #close(): void {
    const closed = this.#open;
    this.#open = new OpenChunk(this.#added);
    this.#closed(closed);
  }
}

/** Merges values of one series; NaN is none. */
export function merged(kind: SeriesKind, before: number, value: number): number {
  if (Number.isNaN(before)) return value;
  if (Number.isNaN(value)) return before;
  if (kind === 'growth') return before + value;
  return kind === 'flags' ? before | value : Math.max(before, value);
}

/** Most chunks of a tier: those that are not full, since the server was restarted, count too. */
export function chunksMax({ samplesMax }: TierShape): number {
  return 2 * Math.ceil(samplesMax / CHUNK_SAMPLES);
}
