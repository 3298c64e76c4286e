/** Figures of the disk of one shard: doubles in shared memory that its tier thread alone writes. */

import type { SharedMemory } from '#link';

const FIGURES = [
  /** A number of TierFault. */
  'fault',
  /** Milliseconds of Unix time since which it is so. */
  'faultSinceMs',
  /** 1 while nothing more is taken; a fault is reported for a while after that. */
  'isRefusing',
  /** Bytes of the file. */
  'fileBytes',
  /** Bytes that were written to the disk. */
  'writtenBytes',
  'extentReads',
  'commits',
  'commitUs',
  'errors',
  /** Values that could not be read, or were damaged; they are among the errors. */
  'unread',
] as const;

type Figure = (typeof FIGURES)[number];

/** Faults that keep a disk from being written or read; `stats` has words for the numbers. */
export const TierFault = { none: 0, full: 1, unwritable: 2, vanished: 3, dead: 4 } as const;

export class TierFigures {
  static readonly bytes = FIGURES.length * Float64Array.BYTES_PER_ELEMENT;
  readonly #values: Float64Array;

  constructor(memory: SharedMemory) {
    this.#values = new Float64Array(memory);
  }

  get(figure: Figure): number {
    return this.#values[FIGURES.indexOf(figure)]!;
  }

  set(figure: Figure, value: number): void {
    this.#values[FIGURES.indexOf(figure)] = value;
  }

  add(figure: Figure, value: number): void {
    this.set(figure, this.get(figure) + value);
  }

  /** True when nothing more is written. */
  get isFailing(): boolean {
    return this.get('isRefusing') === 1 || this.get('fault') === TierFault.dead;
  }
}
