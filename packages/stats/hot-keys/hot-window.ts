/**
 * The hottest keys of one window of time after the other, found without anybody's asking.
 *
 * Windows are numbered by the wall clock, so that those of all shards are the same time. A shard counts
 * sampled commands in a space-saving sketch for the window at hand, and keeps the one before it.
 */

import { type Bytes, keyName, keyOfName } from '#base';
import { TopKeys, type TopKey } from './top-keys.ts';
import { shardCall } from '../calls/shard-calls.ts';

/** Keys that a sketch knows, for each key that is reported. */
const SLOTS_PER_KEY = 32;
const SLOTS_MIN = 512;
/** A share holds more keys than are reported: what is borrowed is counted on several shards. */
const SHARE_FACTOR = 4;
/** Standard deviations of the sampling that are reported as error: 99.7 % of all counts lie within. */
const ERROR_SIGMAS = 3;

export interface HotWindowOptions {
  readonly isEnabled: boolean;
  /** Keys that are reported. */
  readonly topKeys: number;
  readonly seconds: number;
  /** Sampling ratio: one of this many commands is sampled. */
  readonly sample: number;
}

/** A sampled key: database, bytes, reads, writes, and the maximum error of both counts. */
type WindowKey = readonly [
  database: number,
  key: Bytes,
  reads: number,
  writes: number,
  error: number,
];

/** Samples that one shard has taken in a window. */
interface HotWindowShare {
  /** Uses of keys that were looked at. */
  readonly samples: number;
  /** The most uses that a key can have had without being known. */
  readonly unknownMax: number;
  readonly keys: readonly WindowKey[];
}

/** The share of the window with that number; null where it was not watched from its beginning. */
export const HOT_WINDOW = shardCall<{ readonly number: number }, HotWindowShare | null>(
  'hot-window',
);

/** The number of the window that holds a moment. */
export function windowAt(unixMs: number, seconds: number): number {
  return Math.floor(unixMs / (1_000 * seconds));
}

interface Window {
  readonly number: number;
  readonly top: TopKeys;
  samples: number;
}

const OFF: HotWindowOptions = { isEnabled: false, topKeys: 1, seconds: 1, sample: 1 };

/** One per shard. While it is off, nothing is kept. */
export class HotWindows {
  #options = OFF;
  readonly #random: () => number;
  #countdown = 1;
  #current: Window | undefined;
  #complete: Window | undefined;
  /** The window in which watching began: it is not whole. */
  #begunIn = Infinity;
  readonly #amounts: [reads: number, writes: number] = [0, 0];

  constructor(random: () => number) {
    this.#random = random;
  }

  get isActive(): boolean {
    return this.#options.isEnabled;
  }

  /** Restarts when an option has changed. */
  configure(options: HotWindowOptions, nowMs: number): void {
    const { isEnabled, topKeys, seconds, sample } = this.#options;
    const isSame =
      options.isEnabled === isEnabled &&
      options.topKeys === topKeys &&
      options.seconds === seconds &&
      options.sample === sample;
    if (isSame) return;
    this.#options = options;
    this.#current = undefined;
    this.#complete = undefined;
    this.#begunIn = options.isEnabled ? windowAt(nowMs, options.seconds) : Infinity;
    this.#countdown = this.#gap();
  }

  /** True when the keys of the current command are to be counted. */
  samples(): boolean {
    this.#countdown -= 1;
    if (this.#countdown > 0) return false;
    this.#countdown = this.#gap();
    return true;
  }

  /** Counts a key of a command that was chosen; `name` is its `keyName`. */
  sampled(name: string, isWrite: boolean, nowMs: number): void {
    const window = this.#at(windowAt(nowMs, this.#options.seconds));
    window.samples += 1;
    this.#amounts[0] = isWrite ? 0 : 1;
    this.#amounts[1] = isWrite ? 1 : 0;
    window.top.add(name, 1, this.#amounts);
  }

  answer(number: number, nowMs: number): HotWindowShare | null {
    if (!this.isActive || number <= this.#begunIn) return null;
    this.#at(windowAt(nowMs, this.#options.seconds));
    const window = [this.#current, this.#complete].find((each) => each?.number === number);
    // Nothing was sampled in a window that there is no sketch of.
    if (window === undefined) return { samples: 0, unknownMax: 0, keys: [] };
    const { top, samples } = window;
    const keys = top.heaviest(SHARE_FACTOR * this.#options.topKeys);
    return { samples, unknownMax: top.lightest, keys: keys.map(windowKeyOf) };
  }

  /** The window of now; the one before it is complete, if it was the last that was counted in. */
  #at(number: number): Window {
    const current = this.#current;
    // After the clock was set back, counting continues in the current window.
    if (current !== undefined && number <= current.number) return current;
    this.#complete = current?.number === number - 1 ? current : undefined;
    const capacity = Math.max(SLOTS_MIN, SLOTS_PER_KEY * this.#options.topKeys);
    this.#current = { number, samples: 0, top: new TopKeys(capacity, 2) };
    return this.#current;
  }

  /**
   * Returns the number of commands until the next sample: random, so that no pattern of the commands can hide between
   * samples; `sample` on average.
   */
  #gap(): number {
    return 1 + Math.floor(this.#random() * (2 * this.#options.sample - 1));
  }
}

function windowKeyOf({ key, sums, error }: TopKey): WindowKey {
  const [reads = 0, writes = 0] = sums;
  const { database, key: bytes } = keyOfName(key);
  return [database, bytes, reads, writes, error];
}

/** A key of a window's report; rates are uses per second. */
interface HotWindowKey {
  readonly database: number;
  readonly key: Bytes;
  readonly opsPerSecond: number;
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** Error bound of `opsPerSecond`, from sampling (three standard deviations) and from what the sketch forgot. */
  readonly errorPerSecond: number;
}

export interface HotWindowReport {
  readonly startMs: number;
  readonly seconds: number;
  readonly sample: number;
  /** Uses of keys that were looked at. */
  readonly samples: number;
  readonly opsPerSecond: number;
  /** A key that is used more often than this is certain to be known, but for chance. */
  readonly floorPerSecond: number;
  readonly keys: readonly HotWindowKey[];
}

/** The shares of all shards together. */
export function mergeWindow(
  number: number,
  shares: readonly HotWindowShare[],
  { topKeys, seconds, sample }: HotWindowOptions,
): HotWindowReport {
  const rate = (count: number): number => (count * sample) / seconds;
  const samples = shares.reduce((sum, share) => sum + share.samples, 0);
  const keys = byName(shares.flatMap((share) => share.keys))
    .sort((a, b) => b[2] + b[3] - (a[2] + a[3]))
    .slice(0, topKeys)
    .map(([database, key, reads, writes, error]): HotWindowKey => {
      const seen = reads + writes;
      // Of n samples by chance, the number of uses that they stand for is known to sqrt(n).
      const chance = sample === 1 ? 0 : ERROR_SIGMAS * Math.sqrt(seen);
      return {
        database,
        key,
        opsPerSecond: rate(seen),
        readsPerSecond: rate(reads),
        writesPerSecond: rate(writes),
        errorPerSecond: rate(error + chance),
      };
    });
  return {
    startMs: 1_000 * seconds * number,
    seconds,
    sample,
    samples,
    opsPerSecond: rate(samples),
    floorPerSecond: rate(shares.reduce((most, share) => Math.max(most, share.unknownMax), 0)),
    keys,
  };
}

function byName(all: readonly WindowKey[]): WindowKey[] {
  const sums = new Map<string, WindowKey>();
  for (const one of all) {
    const [database, key, reads, writes, error] = one;
    const name = keyName(database, key);
    const other = sums.get(name);
    sums.set(
      name,
      other === undefined
        ? one
        : [database, key, reads + other[2], writes + other[3], error + other[4]],
    );
  }
  return [...sums.values()];
}
