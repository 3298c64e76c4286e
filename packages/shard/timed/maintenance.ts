/** Maintenance of a shard between batches: expiry, eviction, defragmentation, and updating its page. */

import { type Clock, isResourceError, type PrefixMatcher } from '#base';
import { STORE_COUNTERS } from '#quantities';
import { AT, type LatencyEvent, type Page, RESETTABLE } from '#stats';
import type { EvictionPolicy, Store } from '#store';
import type { Settings } from '../settings/settings.ts';
import type { OwnExpiry } from '../replica/own-expiry.ts';
import { KeySizeWalk } from './key-size-walk.ts';
import { MemoryRoom, type MemoryRoomOptions } from './memory-room.ts';

/** Period of rounds while there is nothing to expire, evict or move, in milliseconds: only the heartbeat is updated. */
const IDLE_PERIOD_MS = 1_000;
/** Most microseconds of one slice of expiry at `active-expire-effort` 1; grows with the effort. */
const EXPIRE_US = 1_000;
const DEFRAG_US = 500;
/** Between two slices of the walk for key sizes. */
const KEY_SIZES_PERIOD_MS = 25;
/** Microseconds of a requested defragmentation. */
const PURGE_US = 20_000;
/** While keys are over the limit or sparse slabs are left, rounds follow this closely. */
const BUSY_PERIOD_MS = 5;

/** Places on the page of what the store counts. */
const STORE_PLACES = STORE_COUNTERS.map((counter) => AT[counter]);

interface MaintenanceOptions extends MemoryRoomOptions {
  readonly ownExpiry: OwnExpiry;
  /** True while a value is being read in steps. */
  readonly isReading: () => boolean;
}

export class Maintenance {
  /** The limit of memory. */
  readonly room: MemoryRoom;
  readonly #store: Store;
  readonly #page: Page;
  readonly #clock: Clock;
  readonly #slowness: MaintenanceOptions['slowness'];
  readonly #nowUs: () => number;
  readonly #role: MaintenanceOptions['role'];
  readonly #ownExpiry: OwnExpiry;
  /** True while a value is being read in steps: no field of it may expire by itself. */
  readonly #isReading: () => boolean;
  /** Between two rounds of timed work: a second divided by `hz`. */
  #periodMs = 100;
  #expireUs = EXPIRE_US;
  #defragments = true;
  #dueUs = 0;
  /** True when anything would expire or be counted, as of the last update of the page. */
  #hasWork = false;
  /** Counts of the store when counting began. */
  readonly #before = new Float64Array(STORE_COUNTERS.length);
  readonly #keySizes: KeySizeWalk;

  constructor(options: MaintenanceOptions) {
    const { store, page, clock, slowness, isReading, role } = options;
    this.#role = role;
    this.#ownExpiry = options.ownExpiry;
    this.#isReading = isReading;
    this.#store = store;
    this.#page = page;
    this.#clock = clock;
    this.#slowness = slowness;
    this.#nowUs = () => clock.nowUs();
    this.#keySizes = new KeySizeWalk(store, page, this.#nowUs);
    this.room = new MemoryRoom(options, () => {
      this.publish();
    });
  }

  apply(settings: Settings): void {
    const store = this.#store;
    this.room.apply(settings);
    this.#periodMs = 1_000 / settings.number('server.hz');
    this.#expireUs = EXPIRE_US * settings.number('memory.active-expire-effort');
    this.#defragments = settings.boolean('memory.active-defrag');
    store.setPolicy(settings.string('memory.maxmemory-policy') as EvictionPolicy);
    store.samples = settings.number('memory.maxmemory-samples');
    store.lfuLogFactor = settings.number('memory.lfu-log-factor');
    store.lfuDecayMinutes = settings.number('memory.lfu-decay-time');
    this.room.limitChanged();
  }

  /** While paused, no key is removed: expired keys are invisible, and nothing is evicted. */
  set isPaused(value: boolean) {
    this.room.isPaused = value;
    this.roleChanged();
  }

  /** Called when the role has changed: a replica does not expire keys on its own. */
  roleChanged(): void {
    this.#store.lazyExpireDisabled = this.room.isPaused || this.#role.isReplica;
    // On a primary they expire as any other.
    if (!this.#role.isReplica) this.#ownExpiry.clear();
  }

  /** Counts keys by these prefixes from now on: what is known of others is void. */
  countPrefixes(prefixes: PrefixMatcher | undefined): void {
    this.#watch(this.#keySizes.countPrefixes(prefixes));
  }

  /** Runs one round of timed work. Work without memory is retried in a later round. */
  run(): void {
    try {
      this.#round();
    } catch (error) {
      if (!isResourceError(error)) throw error;
      this.publish();
      this.#dueUs = this.#nowUs() + this.#idlePeriodMs() * 1_000;
    }
  }

  #round(): void {
    const store = this.#store;
    const startUs = this.#nowUs();
    store.clock = Math.floor(this.#clock.wallMs() / 1_000) & 0xff_ffff;
    const isBehind = store.activeExpire && this.#expireSlice();
    const expiredUs = this.#nowUs();
    const evicting = this.room.evictSlice();
    const evictedUs = this.#nowUs();
    const moved = this.#defragments ? store.defragSlice(this.#nowUs, DEFRAG_US) : 0;
    const defraggedUs = this.#nowUs();
    const counting = this.#keySizes.slice();
    const page = this.#page;
    page.add('expireUs', expiredUs - startUs);
    page.add('defragUs', defraggedUs - evictedUs);
    // SWAPDB exchanges indexes, and their sum stays.
    this.#publishIndexes();
    this.publish();
    const isBusy = evicting || isBehind || moved > 0;
    const restMs = counting ? KEY_SIZES_PERIOD_MS : this.#idlePeriodMs();
    this.#dueUs = this.#nowUs() + (isBusy ? BUSY_PERIOD_MS : restMs) * 1_000;
  }

  /** Removes expired fields for a slice; returns true if there are more. */
  #expireSlice(): boolean {
    const store = this.#store;
    const beganUs = this.#nowUs();
    store.expireSlice(this.#nowUs, this.#expireUs);
    if (this.#role.isReplica && !this.room.isPaused) {
      this.#ownExpiry.slice(this.#nowUs, this.#expireUs);
    }
    const startUs = this.#nowUs();
    const fields = this.#isReading() ? 0 : store.expireFieldsSlice(this.#nowUs, this.#expireUs);
    this.#took('expire-cycle', beganUs);
    return fields > 0 && this.#nowUs() - startUs >= this.#expireUs;
  }

  /** Moves records out of sparse slabs at once, because somebody has asked; returns the bytes given back. */
  purge(): number {
    const { memory } = this.#store;
    const before = memory.segmentBytes;
    this.#store.defragSlice(this.#nowUs, PURGE_US);
    this.publish();
    return before - memory.segmentBytes;
  }

  /** True when `run` is due: by the clock, or because memory is over the limit, by what clients do not read, say. */
  isDue(nowUs: number): boolean {
    return nowUs >= this.#dueUs || this.room.isDue;
  }

  dueInMs(nowUs: number): number {
    return Math.max(0, (this.#dueUs - nowUs) / 1_000);
  }

  /** Brings the page up to date with the store. */
  publish(): void {
    this.room.published();
    const { memory, stats, databases } = this.#store;
    const { values } = this.#page;
    values[AT.usedBytes] = memory.usedBytes;
    values[AT.peakBytes] = memory.peakBytes;
    values[AT.recordBytes] = memory.recordBytes;
    if (values[AT.indexBytes] !== memory.indexBytes) this.#publishIndexes();
    values[AT.indexBytes] = memory.indexBytes;
    values[AT.blobBytes] = memory.blobBytes;
    values[AT.objectBytes] = memory.objectBytes;
    values[AT.segmentBytes] = memory.segmentBytes;
    for (let nth = 0; nth < STORE_PLACES.length; nth += 1) {
      values[STORE_PLACES[nth]!] = stats.values[nth]! - this.#before[nth]!;
    }
    values[AT.ownExpiries] = this.#ownExpiry.count;
    let volatile = 0;
    for (let index = 0; index < databases.length; index += 1) {
      const { servedSize: size, expires, fieldExpires, meanExpiry } = databases[index]!;
      volatile += expires + fieldExpires;
      this.#page.setDatabase(index, size, expires, fieldExpires, meanExpiry);
    }
    this.#watch(volatile > 0 || this.#keySizes.isDue);
  }

  /** Shows how large the indexes of each database are: not with every batch, which seldom changes any. */
  #publishIndexes(): void {
    for (let index = 0; index < this.#store.databases.length; index += 1) {
      const bytes = this.#store.indexBytes(index);
      this.#page.setIndexBytes(index, bytes.keys, bytes.expiries);
    }
  }

  /** Counts what happened from now on. */
  resetStatistics(): void {
    for (const [nth, counter] of STORE_COUNTERS.entries()) {
      if (RESETTABLE.has(counter)) this.#before[nth] = this.#store.stats.values[nth]!;
    }
  }

  /** A piece of timed work that began then has ended. */
  #took(event: LatencyEvent, startUs: number): void {
    this.#slowness.occurred(event, this.#nowUs() - startUs, this.#clock.wallMs());
  }

  /** Brings the next round forward when something to expire comes: it must not wait for as long as without. */
  #watch(hasWork: boolean): void {
    if (hasWork && !this.#hasWork) {
      this.#dueUs = Math.min(this.#dueUs, this.#nowUs() + this.#periodMs * 1_000);
    }
    this.#hasWork = hasWork;
  }

  #idlePeriodMs(): number {
    return this.#hasWork || this.room.hasLimit ? this.#periodMs : IDLE_PERIOD_MS;
  }
}
