/** The sampler of hot keys of one shard, and how the shares of all shards become one ranking. */

import { type Bytes, fromLatin1, latin1, SLOT_COUNT } from '#base';
import { KeyHash, TopKeys, type TopKey } from './top-keys.ts';
import { shardCall } from '../calls/shard-calls.ts';

/** Metric that keys are ranked by: time of execution, or bytes of request and reply. */
type HotMetric = 'cpu' | 'net';

/** Keys that a sketch knows, for each key that is reported; and the least, so that counts are exact enough. */
const SLOTS_PER_KEY = 64;
const SLOTS_MIN = 2_048;
/** Number of sampled keys that are counted together: one by one, the sketches would not stay in the cache. */
const BATCH = 64;
/** Longer keys are kept apart. */
const KEY_BYTES = 64;
const NO_KEY: Bytes = new Uint8Array(0);
/** A share holds more keys than are reported: what is borrowed is counted on several shards. */
const SHARE_FACTOR = 4;

interface HotKeysOptions {
  readonly metrics: readonly HotMetric[];
  readonly count: number;
  /** Sampling ratio: one of this many commands is sampled. */
  readonly sample: number;
  /** Slots of keys that are looked at; empty: all. */
  readonly slots?: readonly number[];
}

/** A key of a report: its bytes, calls, microseconds, bytes of traffic, and by how much it may be over-counted. */
export type HotKey = readonly [key: Bytes, calls: number, us: number, bytes: number, error: number];

/** Findings of one shard. Totals are of all commands, sampled or not. */
export interface HotKeysShare {
  readonly allUs: number;
  readonly allBytes: number;
  /** Totals of the commands with keys. */
  readonly keyedUs: number;
  readonly keyedBytes: number;
  /** Totals of the commands with keys in the slots that were chosen, and of those of them that were looked at. */
  readonly selectedUs: number;
  readonly selectedBytes: number;
  readonly sampledUs: number;
  readonly sampledBytes: number;
  readonly byMetric: Readonly<Partial<Record<HotMetric, readonly HotKey[]>>>;
}

export type HotKeysQuestion = { readonly start: HotKeysOptions } | 'stop' | 'reset' | 'get';

/** Starts, stops or resets a session in a shard, or returns its results. */
export const HOT_KEYS = shardCall<HotKeysQuestion, HotKeysShare | null>('hot-keys');

const ALL_US = 0;
const ALL_BYTES = 1;
const KEYED_US = 2;
const KEYED_BYTES = 3;
const SELECTED_US = 4;
const SELECTED_BYTES = 5;
const SAMPLED_US = 6;
const SAMPLED_BYTES = 7;
const TOTALS = 8;

/** One sampler per shard. While it is not active, a command costs one look at `isActive`. */
export class HotKeys {
  isActive = false;
  readonly #random: () => number;
  #options: HotKeysOptions | undefined;
  #sketches: { metric: HotMetric; top: TopKeys }[] = [];
  /** 1 for each slot that was chosen; undefined where all are. */
  #slots: Uint8Array | undefined;
  #countdown = 1;
  /** Microseconds and bytes of all commands, and of those with keys. In an array, so that adding makes no garbage. */
  readonly #totals = new Float64Array(TOTALS);
  /** Keys of samples that are not counted yet, each in its place or, where it is long, apart; and their lengths. */
  readonly #keys = new Uint8Array(BATCH * KEY_BYTES);
  readonly #longKeys = new Array<Bytes>(BATCH).fill(NO_KEY);
  readonly #lengths = new Int32Array(BATCH);
  /** Microseconds and bytes of these samples. */
  readonly #us = new Float64Array(BATCH);
  readonly #bytes = new Float64Array(BATCH);
  #uncounted = 0;
  #hash = new KeyHash();
  readonly #hashes = new Int32Array(BATCH);
  /** Calls, microseconds and bytes; reused for each key. */
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
    this.#slots = chosen(options.slots ?? []);
    const hash = new KeyHash();
    this.#hash = hash;
    this.#sketches = options.metrics.map((metric) => ({
      metric,
      top: new TopKeys(capacity, 3, hash),
    }));
    this.#totals.fill(0);
    this.#uncounted = 0;
    this.#countdown = this.#gap(options.sample);
    this.isActive = true;
  }

  /** Counts a command; answers whether its keys are to be counted too, by `sampled`. */
  counts(us: number, bytes: number, hasKeys: boolean): boolean {
    const totals = this.#totals;
    totals[ALL_US] = totals[ALL_US]! + us;
    totals[ALL_BYTES] = totals[ALL_BYTES]! + bytes;
    if (!hasKeys) return false;
    totals[KEYED_US] = totals[KEYED_US]! + us;
    totals[KEYED_BYTES] = totals[KEYED_BYTES]! + bytes;
    this.#countdown -= 1;
    if (this.#countdown > 0) return false;
    this.#countdown = this.#gap(this.#options?.sample ?? 1);
    return true;
  }

  /** True when slots were chosen. */
  get hasSlots(): boolean {
    return this.#slots !== undefined;
  }

  /** Counts a command by the slot of its keys; answers whether those are to be counted. */
  selects(slot: number, us: number, bytes: number, isSampled: boolean): boolean {
    if (this.#slots?.[slot] !== 1) return false;
    const totals = this.#totals;
    totals[SELECTED_US] = totals[SELECTED_US]! + us;
    totals[SELECTED_BYTES] = totals[SELECTED_BYTES]! + bytes;
    if (!isSampled) return false;
    totals[SAMPLED_US] = totals[SAMPLED_US]! + us;
    totals[SAMPLED_BYTES] = totals[SAMPLED_BYTES]! + bytes;
    return true;
  }

  /** Counts a key of a command that was chosen, for all those that were not. */
  sampled(source: Bytes, at: number, length: number, us: number, bytes: number): void {
    const nth = this.#uncounted;
    const keys = this.#keys;
    this.#lengths[nth] = length;
    if (length > KEY_BYTES) this.#longKeys[nth] = source.slice(at, at + length);
    else {
      // A loop is quicker than `set` for so few bytes.
      const keyAt = nth * KEY_BYTES;
      for (let index = 0; index < length; index += 1) keys[keyAt + index] = source[at + index]!;
    }
    this.#us[nth] = us;
    this.#bytes[nth] = bytes;
    this.#uncounted = nth + 1;
    if (this.#uncounted === BATCH) this.#count();
  }

  /** Counts the keys of the samples since the last call. */
  #count(): void {
    const count = this.#uncounted;
    this.#uncounted = 0;
    for (let nth = 0; nth < count; nth += 1) {
      const isLong = this.#lengths[nth]! > KEY_BYTES;
      const source = isLong ? this.#longKeys[nth]! : this.#keys;
      this.#hashes[nth] = this.#hash.of(source, isLong ? 0 : nth * KEY_BYTES, this.#lengths[nth]!);
    }
    for (const { metric, top } of this.#sketches) this.#addTo(top, metric, count);
    for (let nth = 0; nth < count; nth += 1) this.#longKeys[nth] = NO_KEY;
  }

  #addTo(top: TopKeys, metric: HotMetric, count: number): void {
    const factor = this.#options?.sample ?? 1;
    const amounts = this.#amounts;
    for (let nth = 0; nth < count; nth += 1) {
      const length = this.#lengths[nth]!;
      const isLong = length > KEY_BYTES;
      const source = isLong ? this.#longKeys[nth]! : this.#keys;
      amounts[0] = factor;
      amounts[1] = this.#us[nth]! * factor;
      amounts[2] = this.#bytes[nth]! * factor;
      const weight = metric === 'cpu' ? amounts[1] : amounts[2];
      const at = isLong ? 0 : nth * KEY_BYTES;
      top.addBytes(source, at, length, this.#hashes[nth]!, weight, amounts);
    }
  }

  /**
   * Returns the number of commands until the next sample: random, so that no pattern of the commands can hide between
   * samples; `sample` on average.
   */
  #gap(sample: number): number {
    return 1 + Math.floor(this.#random() * (2 * sample - 1));
  }

  #share(): HotKeysShare | null {
    const options = this.#options;
    if (options === undefined) return null;
    this.#count();
    const [allUs = 0, allBytes = 0, keyedUs = 0, keyedBytes = 0, ...rest] = this.#totals;
    const [selectedUs = 0, selectedBytes = 0, sampledUs = 0, sampledBytes = 0] = rest;
    const selected = { selectedUs, selectedBytes, sampledUs, sampledBytes };
    const byMetric: Partial<Record<HotMetric, readonly HotKey[]>> = {};
    for (const { metric, top } of this.#sketches) {
      byMetric[metric] = top.heaviest(SHARE_FACTOR * options.count).map(hotKeyOf);
    }
    return { allUs, allBytes, keyedUs, keyedBytes, ...selected, byMetric };
  }
}

function chosen(slots: readonly number[]): Uint8Array | undefined {
  if (slots.length === 0) return undefined;
  const flags = new Uint8Array(SLOT_COUNT);
  for (const slot of slots) flags[slot] = 1;
  return flags;
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
    selectedUs: sum(({ selectedUs }) => selectedUs),
    selectedBytes: sum(({ selectedBytes }) => selectedBytes),
    sampledUs: sum(({ sampledUs }) => sampledUs),
    sampledBytes: sum(({ sampledBytes }) => sampledBytes),
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

/** Returns the value by which a key is ranked, with its maximum overestimate. */
export function weightOf([, , us, bytes, error]: HotKey, metric: HotMetric): number {
  return (metric === 'cpu' ? us : bytes) + error;
}
