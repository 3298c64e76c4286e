/** What a shard does between batches: expiry, eviction, defragmentation, and telling its page. */

import type { Clock } from '#base';
import { AT, type LatencyEvent, type Page } from '#diag';
import type { EvictionPolicy, Store } from '#store';
import type { Settings } from './settings.ts';
import type { Slowness } from './slowness.ts';

/** The same while there is nothing to expire, evict or move: a sign of life is all. */
const IDLE_PERIOD_MS = 1_000;
/** Most microseconds of one slice of expiry at `active-expire-effort` 1; grows with the effort. */
const EXPIRE_US = 1_000;
const DEFRAG_US = 500;
const EVICT_US = 500;
/** While keys are over the limit or sparse slabs are left, rounds follow this closely. */
const BUSY_PERIOD_MS = 5;

export interface UpkeepParts {
  readonly store: Store;
  readonly page: Page;
  readonly clock: Clock;
  readonly slowness: Slowness;
  readonly usedBytesOfAll: () => number;
}

export class Upkeep {
  readonly #store: Store;
  readonly #page: Page;
  readonly #clock: Clock;
  readonly #slowness: Slowness;
  readonly #usedBytesOfAll: () => number;
  readonly #nowUs: () => number;
  #maxmemory = 0;
  #isPaused = false;
  /** Between two rounds of timed work: a second divided by `hz`. */
  #periodMs = 100;
  #expireUs = EXPIRE_US;
  #dueUs = 0;
  /** Whether anything would expire, as of the last time the page was brought up to date. */
  #hasVolatile = false;
  #expiredBefore = 0;
  #evictedBefore = 0;
  #fieldsBefore = 0;
  #capReachedBefore = 0;

  constructor({ store, page, clock, slowness, usedBytesOfAll }: UpkeepParts) {
    this.#store = store;
    this.#page = page;
    this.#clock = clock;
    this.#slowness = slowness;
    this.#usedBytesOfAll = usedBytesOfAll;
    this.#nowUs = () => clock.nowUs();
  }

  apply(settings: Settings): void {
    const store = this.#store;
    this.#periodMs = 1_000 / settings.number('hz');
    this.#maxmemory = settings.number('maxmemory');
    this.#expireUs = EXPIRE_US * settings.number('active-expire-effort');
    store.policy = settings.string('maxmemory-policy') as EvictionPolicy;
    store.samples = settings.number('maxmemory-samples');
    store.lfuLogFactor = settings.number('lfu-log-factor');
    store.lfuDecayMinutes = settings.number('lfu-decay-time');
  }

  /** While paused nothing is removed: what has expired is absent, and what is too much stays. */
  set isPaused(value: boolean) {
    this.#isPaused = value;
    this.#store.lazyExpireDisabled = value;
  }

  /** Whether a write must make room first. */
  mustEvict(): boolean {
    return !this.#isPaused && this.#maxmemory > 0 && this.#usedBytesOfAll() > this.#maxmemory;
  }

  /** Evicts until all shards together are within the limit, or this one has nothing left to evict. */
  makeRoom(): void {
    const { values } = this.#page;
    const startUs = this.#nowUs();
    while (this.mustEvict() && this.#store.evictOne() > 0) {
      values[AT.usedBytes] = this.#store.memory.usedBytes;
    }
    this.#took('eviction-cycle', startUs);
    this.publish();
  }

  /** One round of timed work. */
  run(): void {
    const store = this.#store;
    store.clock = Math.floor(this.#clock.wallMs() / 1_000) & 0xff_ffff;
    let isBehind = false;
    if (store.activeExpire) {
      const beganUs = this.#nowUs();
      store.expireSlice(this.#nowUs, this.#expireUs);
      const startUs = this.#nowUs();
      const fields = store.expireFieldsSlice(this.#nowUs, this.#expireUs);
      isBehind = fields > 0 && this.#nowUs() - startUs >= this.#expireUs;
      this.#took('expire-cycle', beganUs);
    }
    const evicting = this.#evictSlice();
    const moved = store.defragSlice(this.#nowUs, DEFRAG_US);
    this.publish();
    const periodMs = evicting || isBehind || moved > 0 ? BUSY_PERIOD_MS : this.#idlePeriodMs();
    this.#dueUs = this.#nowUs() + periodMs * 1_000;
  }

  /** Whether `run` is due. */
  isDue(nowUs: number): boolean {
    return nowUs >= this.#dueUs;
  }

  dueInMs(nowUs: number): number {
    return Math.max(0, (this.#dueUs - nowUs) / 1_000);
  }

  /** Brings the page up to date with the store. */
  publish(): void {
    const { memory, stats, databases } = this.#store;
    const { values } = this.#page;
    values[AT.usedBytes] = memory.usedBytes;
    values[AT.peakBytes] = memory.peakBytes;
    values[AT.recordBytes] = memory.recordBytes;
    values[AT.indexBytes] = memory.indexBytes;
    values[AT.blobBytes] = memory.blobBytes;
    values[AT.objectBytes] = memory.objectBytes;
    values[AT.segmentBytes] = memory.segmentBytes;
    values[AT.expired] = stats.expired - this.#expiredBefore;
    values[AT.evicted] = stats.evicted - this.#evictedBefore;
    values[AT.expiredFields] = stats.expiredFields - this.#fieldsBefore;
    values[AT.expiredTimeCapReached] = stats.expiredTimeCapReached - this.#capReachedBefore;
    let volatile = 0;
    for (let index = 0; index < databases.length; index += 1) {
      const { size, expires, fieldExpires } = databases[index]!;
      volatile += expires + fieldExpires;
      this.#page.setDatabase(index, size, expires, fieldExpires);
    }
    this.#watch(volatile > 0);
  }

  /** Counts what happened from now on. */
  resetStatistics(): void {
    const { stats } = this.#store;
    this.#expiredBefore = stats.expired;
    this.#evictedBefore = stats.evicted;
    this.#fieldsBefore = stats.expiredFields;
    this.#capReachedBefore = stats.expiredTimeCapReached;
  }

  /** Evicts for a while when over the limit, though nobody writes here: another shard may need the room. */
  #evictSlice(): boolean {
    if (!this.mustEvict()) return false;
    const startUs = this.#nowUs();
    const endUs = startUs + EVICT_US;
    const { values } = this.#page;
    let freed = 0;
    do {
      freed = this.#store.evictOne();
      values[AT.usedBytes] = this.#store.memory.usedBytes;
    } while (freed > 0 && this.mustEvict() && this.#nowUs() < endUs);
    this.#took('eviction-cycle', startUs);
    return freed > 0;
  }

  /** A piece of timed work that began then has ended. */
  #took(event: LatencyEvent, startUs: number): void {
    this.#slowness.occurred(event, this.#nowUs() - startUs, this.#clock.wallMs());
  }

  /** When something to expire comes, the next round must not wait for as long as without. */
  #watch(hasVolatile: boolean): void {
    if (hasVolatile && !this.#hasVolatile) {
      this.#dueUs = Math.min(this.#dueUs, this.#nowUs() + this.#periodMs * 1_000);
    }
    this.#hasVolatile = hasVolatile;
  }

  #idlePeriodMs(): number {
    return this.#hasVolatile || this.#maxmemory > 0 ? this.#periodMs : IDLE_PERIOD_MS;
  }
}
