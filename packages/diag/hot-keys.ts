/** The sampler of hot keys of one shard, and how the shares of all shards become one ranking. */

import { fromLatin1, latin1, type Bytes } from '#base';
import { TopKeys, type TopKey } from './top-keys.ts';
import { topic } from './topic.ts';

/** What keys are ranked by: time of execution, or bytes of request and reply. */
export type HotMetric = 'cpu' | 'net';

/** Keys that a sketch knows, for each key that is reported; and the least, so that counts are exact enough. */
const SLOTS_PER_KEY = 64;
const SLOTS_MIN = 2_048;
/** A share holds more keys than are reported: what is borrowed is counted on several shards. */
const SHARE_FACTOR = 4;

export interface HotKeysOptions {
  readonly metrics: readonly HotMetric[];
  readonly count: number;
  /** One command in so many is looked at. */
  readonly sample: number;
}

/** A key of a report: its bytes, calls, microseconds, bytes of traffic, and by how much it may be over-counted. */
export type HotKey = readonly [key: Bytes, calls: number, us: number, bytes: number, error: number];

/** What one shard has seen. Totals are of all commands, sampled or not. */
export interface HotKeysShare {
  readonly allUs: number;
  readonly allBytes: number;
  /** Of commands with keys. */
  readonly keyedUs: number;
  readonly keyedBytes: number;
  readonly byMetric: Readonly<Partial<Record<HotMetric, readonly HotKey[]>>>;
}

export type HotKeysQuestion = { readonly start: HotKeysOptions } | 'stop' | 'reset' | 'get';

/** Begins, ends or forgets a session in a shard, or asks what it has seen. */
export const HOT_KEYS = topic<HotKeysQuestion, HotKeysShare | null>('hot-keys');

/** One sampler per shard. While it is not active, a command costs one look at `isActive`. */
export class HotKeys {
  isActive = false;
  readonly #random: () => number;
  #options: HotKeysOptions | undefined;
  #sketches: { metric: HotMetric; top: TopKeys }[] = [];
  #countdown = 1;
  #allUs = 0;
  #allBytes = 0;
  #keyedUs = 0;
  #keyedBytes = 0;
  /** Calls, microseconds and bytes; filled anew for each key. */
  readonly #amounts: [number, number, number] = [0.5, 0.5, 0.5];

  constructor(random: () => number) {
    this.#random = random;
  }

  answer(question: HotKeysQuestion): HotKeysShare | null {
    if (question === 'get') return this.#share();
    this.isActive = false;
    if (question === 'reset') this.#options = undefined;
    else if (question !== 'stop') this.#start(question.start);
    return null;
  }

  #start(options: HotKeysOptions): void {
    const capacity = Math.max(SLOTS_MIN, SLOTS_PER_KEY * options.count);
    this.#options = options;
    this.#sketches = options.metrics.map((metric) => ({ metric, top: new TopKeys(capacity, 3) }));
    this.#allUs = 0;
    this.#allBytes = 0;
    this.#keyedUs = 0;
    this.#keyedBytes = 0;
    this.#countdown = this.#gap(options.sample);
    this.isActive = true;
  }

  /** Counts a command; answers whether its keys are to be counted too, by `sampled`. */
  counts(us: number, bytes: number, hasKeys: boolean): boolean {
    this.#allUs += us;
    this.#allBytes += bytes;
    if (!hasKeys) return false;
    this.#keyedUs += us;
    this.#keyedBytes += bytes;
    this.#countdown -= 1;
    if (this.#countdown > 0) return false;
    this.#countdown = this.#gap(this.#options?.sample ?? 1);
    return true;
  }

  /** Counts a key of a command that was chosen, for all those that were not. */
  sampled(key: string, us: number, bytes: number): void {
    const factor = this.#options?.sample ?? 1;
    const amounts = this.#amounts;
    amounts[0] = factor;
    amounts[1] = us * factor;
    amounts[2] = bytes * factor;
    for (const { metric, top } of this.#sketches) {
      top.add(key, metric === 'cpu' ? amounts[1] : amounts[2], amounts);
    }
  }

  /** By chance, so that no pattern of the commands can hide between samples; `sample` on average. */
  #gap(sample: number): number {
    return 1 + Math.floor(this.#random() * (2 * sample - 1));
  }

  #share(): HotKeysShare | null {
    const options = this.#options;
    if (options === undefined) return null;
    const byMetric: Partial<Record<HotMetric, readonly HotKey[]>> = {};
    for (const { metric, top } of this.#sketches) {
      byMetric[metric] = top.heaviest(SHARE_FACTOR * options.count).map(hotKeyOf);
    }
    return {
      ...{ allUs: this.#allUs, allBytes: this.#allBytes },
      ...{ keyedUs: this.#keyedUs, keyedBytes: this.#keyedBytes, byMetric },
    };
  }
}

function hotKeyOf({ key, sums, error }: TopKey): HotKey {
  const [calls = 0, us = 0, bytes = 0] = sums;
  return [fromLatin1(key), calls, us, bytes, error];
}

/**
 * The shares of all shards together. A key is on one shard, but a command that borrows it counts it where it
 * runs: so a key may be in several shares, and they are added up.
 */
export function mergeShares(shares: readonly HotKeysShare[], count: number): HotKeysShare {
  const sum = (of: (share: HotKeysShare) => number): number =>
    shares.reduce((total, share) => total + of(share), 0);
  const merged = (metric: HotMetric): HotKey[] =>
    byKey(shares.flatMap((share) => share.byMetric[metric] ?? []))
      .sort((a, b) => weightOf(b, metric) - weightOf(a, metric))
      .slice(0, count);
  return {
    allUs: sum(({ allUs }) => allUs),
    allBytes: sum(({ allBytes }) => allBytes),
    keyedUs: sum(({ keyedUs }) => keyedUs),
    keyedBytes: sum(({ keyedBytes }) => keyedBytes),
    byMetric: { cpu: merged('cpu'), net: merged('net') },
  };
}

function byKey(all: readonly HotKey[]): HotKey[] {
  const sums = new Map<string, HotKey>();
  for (const one of all) {
    const name = latin1(one[0], 0, one[0].length);
    const other = sums.get(name);
    sums.set(name, other === undefined ? one : added(one, other));
  }
  return [...sums.values()];
}

function added(one: HotKey, other: HotKey): HotKey {
  const [key, calls, us, bytes, error] = one;
  return [key, calls + other[1], us + other[2], bytes + other[3], error + other[4]];
}

/** What a key is ranked by, with what it may be over-counted by. */
export function weightOf([, , us, bytes, error]: HotKey, metric: HotMetric): number {
  return (metric === 'cpu' ? us : bytes) + error;
}
