/** Maintenance of a shard between batches: expiry, eviction, defragmentation, and updating its page. */

import { type Clock, isResourceError, type PrefixMatcher } from '#base';
import { STORE_COUNTERS } from '#quantities';
import {
  AT,
  type FlightRecorder,
  type LatencyEvent,
  type Page,
  RESETTABLE,
  setPrefixKeySizes,
  Tally,
} from '#stats';
import { memoryPressure, warmSpill } from '#usdt';
import { type EvictionPolicy, KeySizes, SPILL_BUSY, SPILL_SEARCHING, type Store } from '#store';
import type { TierPage } from '../warm/tier-page.ts';
import type { Settings } from '../settings/settings.ts';
import type { OwnExpiry } from '../replica/own-expiry.ts';
import type { Role } from '../replica/role.ts';
import type { Slowness } from '../observation/slowness.ts';

/** The same while there is nothing to expire, evict or move: a sign of life is all. */
const IDLE_PERIOD_MS = 1_000;
/** Most microseconds of one slice of expiry at `active-expire-effort` 1; grows with the effort. */
const EXPIRE_US = 1_000;
const DEFRAG_US = 500;
/** Eviction takes this long for each step of its tenacity, up to the tenth, and then ever longer, as in Redis 7.4 (evict.c). */
const EVICT_STEP_US = 50;
const EVICT_STEPS = 10;
const EVICT_GROWTH = 1.15;
const TENACITY_MAX = 100;
/** Most microseconds of one slice of the walk for key sizes: a hundredth of the time between two of them. */
const KEY_SIZES_US = 250;
const KEY_SIZES_PERIOD_MS = 25;
/** Changes are counted in steps of this, so that a sum of bytes fits between two. */
const CHANGES_STEP = 65_536;
/** One defragmentation that was asked for. */
const PURGE_US = 20_000;
/** From this share of its limit on memory has to wait for the disk that takes what is spilled, for so long at a time. */
const OVER_SHARE = 1.05;
/** From this part of the limit on a shard waits for no other one to spill, which may be busy with something else. */
const FAR_OVER_SHARE = 1.25;
const TIER_WAIT_MS = 2;
/** Below this share of its limit memory is taken to have room for what is fetched. */
const ROOM_SHARE = 0.97;
/** While keys are over the limit or sparse slabs are left, rounds follow this closely. */
const BUSY_PERIOD_MS = 5;

/** Places on the page of what the store counts. */
const STORE_PLACES = STORE_COUNTERS.map((counter) => AT[counter]);

interface MaintenanceOptions {
  readonly store: Store;
  readonly page: Page;
  readonly clock: Clock;
  readonly slowness: Pick<Slowness, 'occurred'>;
  readonly usedBytesOfAll: () => number;
  readonly othersMaySpill?: () => boolean;
  /** True at a barrier: nothing may change but by the commands of its transaction. */
  readonly isStopped: () => boolean;
  readonly flight: FlightRecorder;
  readonly role: Pick<Role, 'isReplica'>;
  readonly ownExpiry: OwnExpiry;
  /** True while a value is being read in steps. */
  readonly isReading: () => boolean;
  readonly tierPage: TierPage | undefined;
  readonly shardCount: number;
  readonly index: number;
}

/** True when the next call may free something at once. */
function mayGoOn(freed: number): boolean {
  return freed > 0 || freed === SPILL_SEARCHING;
}

export class Maintenance {
  readonly #store: Store;
  readonly #page: Page;
  readonly #clock: Clock;
  readonly #slowness: Pick<Slowness, 'occurred'>;
  readonly #usedBytesOfAll: () => number;
  readonly #nowUs: () => number;
  readonly #isStopped: () => boolean;
  /** `makeRoomBefore` has looked at what was published last. */
  #hasCompared = false;
  /** False while there is nothing to evict. */
  #hasToEvict = true;
  #maxmemory = 0;
  /** Most microseconds of eviction at a time. */
  #evictUs = EVICT_STEP_US * EVICT_STEPS;
  #isPaused = false;
  readonly #shardCount: number;
  readonly #shardIndex: number;
  /** Undefined without a warm tier. */
  readonly #tierPage: TierPage | undefined;
  readonly #role: MaintenanceOptions['role'];
  readonly #ownExpiry: OwnExpiry;
  /** On a replica, the primary sees to the limit. */
  #ignoresMaxmemory = true;
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
  readonly #evictions: Tally;
  readonly #keySizes: KeySizes;
  /** The count of changes when the walk under way began; -1 when none is under way. */
  #keySizesChanges = -1;
  /** No walk has counted keys by the prefixes of now. */
  #hasOtherPrefixes = false;

  constructor(options: MaintenanceOptions) {
    const { store, page, clock, slowness, usedBytesOfAll, flight, isReading, role } = options;
    const { othersMaySpill } = options;
    this.#role = role;
    this.#shardCount = options.shardCount;
    this.#shardIndex = options.index;
    this.#tierPage = options.tierPage;
    this.#ownExpiry = options.ownExpiry;
    this.#isStopped = options.isStopped;
    this.#isReading = isReading;
    this.#evictions = new Tally((atUs, us, keys) => {
      flight.note('eviction-cycle', atUs, [us, keys]);
    });
    this.#store = store;
    this.#page = page;
    this.#clock = clock;
    this.#slowness = slowness;
    store.tier.othersMaySpill = () =>
      othersMaySpill?.() === true && usedBytesOfAll() < this.#maxmemory * FAR_OVER_SHARE;
    this.#usedBytesOfAll = usedBytesOfAll;
    this.#nowUs = () => clock.nowUs();
    this.#keySizes = new KeySizes(store);
  }

  apply(settings: Settings): void {
    const store = this.#store;
    this.#periodMs = 1_000 / settings.number('server.hz');
    this.#maxmemory = settings.number('memory.maxmemory');
    this.#ignoresMaxmemory = settings.boolean('replication.ignore-maxmemory');
    this.#expireUs = EXPIRE_US * settings.number('memory.active-expire-effort');
    this.#evictUs = evictionUs(settings.number('memory.maxmemory-eviction-tenacity'));
    this.#defragments = settings.boolean('memory.active-defrag');
    store.setPolicy(settings.string('memory.maxmemory-policy') as EvictionPolicy);
    this.#applyTier(settings);
    store.samples = settings.number('memory.maxmemory-samples');
    store.lfuLogFactor = settings.number('memory.lfu-log-factor');
    store.lfuDecayMinutes = settings.number('memory.lfu-decay-time');
    this.#hasCompared = false;
    // Whoever has lowered the limit may look at once what has gone; in a transaction, after it.
    if (!this.#isStopped() && this.mustEvict()) this.makeRoom();
  }

  #applyTier(settings: Settings): void {
    const { tier } = this.#store;
    tier.isOn =
      tier.outlet !== undefined && settings.string('memory.maxmemory-policy').startsWith('tiered-');
    tier.bytesMin = settings.number('tiered.min-value-bytes');
    tier.bytesMax = settings.number('tiered.max-bytes') / this.#shardCount;
    tier.evictsWhenFull = settings.string('tiered.when-full') === 'evict';
  }

  /** While paused nothing is removed: what has expired is absent, and what is too much stays. */
  set isPaused(value: boolean) {
    this.#isPaused = value;
    this.roleChanged();
  }

  /** The shard has another role: on a replica nothing expires by itself. */
  roleChanged(): void {
    this.#store.lazyExpireDisabled = this.#isPaused || this.#role.isReplica;
    // On a primary they expire as any other.
    if (!this.#role.isReplica) this.#ownExpiry.clear();
  }

  /** Counts keys by these prefixes from now on: what is known of others is void. */
  countPrefixes(prefixes: PrefixMatcher | undefined): void {
    this.#keySizes.prefixes = prefixes;
    this.#keySizesChanges = -1;
    this.#hasOtherPrefixes = prefixes !== undefined;
    this.#watch(this.#hasOtherPrefixes);
  }

  /** True when a write must make room first. */
  mustEvict(): boolean {
    if (this.#isPaused || (this.#role.isReplica && this.#ignoresMaxmemory)) return false;
    return this.#maxmemory > 0 && this.#usedBytesOfAll() > this.#maxmemory;
  }

  /** True when memory is not full: what is fetched may stay. */
  get hasRoom(): boolean {
    return this.#maxmemory === 0 || this.#usedBytesOfAll() < this.#maxmemory * ROOM_SHARE;
  }

  /** True when memory is over its limit and nothing can be evicted. */
  isOutOfMemory(): boolean {
    if (!this.mustEvict()) return false;
    this.makeRoom();
    return this.mustEvict() && !this.#hasToEvict;
  }

  /**
   * Makes room before a write where memory is over its limit. What is in use is compared once for each time that it was
   * published: in between it stands, here and mostly elsewhere, and the pages of others are far from this processor.
   */
  makeRoomBefore(): void {
    if (this.#hasCompared || this.#isStopped()) return;
    this.#hasCompared = true;
    if (this.mustEvict()) this.makeRoom();
  }

  /** Evicts for a while before a write; what is more than that goes between commands. */
  makeRoom(): void {
    this.#evictSlice();
    this.publish();
  }

  /** The same for what was just written, before that is answered; false when nothing has to go, or nothing can. */
  makeRoomBehind(): boolean {
    if (!this.mustEvict()) {
      this.#hasToEvict = true;
      return false;
    }
    if (!this.#hasToEvict) return false;
    this.makeRoom();
    return true;
  }

  /** One round of timed work. What finds no room now is done in another. */
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
    const evicting = this.#evictSlice();
    const evictedUs = this.#nowUs();
    const moved = this.#defragments ? store.defragSlice(this.#nowUs, DEFRAG_US) : 0;
    const defraggedUs = this.#nowUs();
    const counting = this.#countSlice();
    const page = this.#page;
    page.add('expireUs', expiredUs - startUs);
    page.add('defragUs', defraggedUs - evictedUs);
    // SWAPDB exchanges indexes, and their sum stays.
    this.#publishIndexes();
    this.#tierPage?.publishPercentiles();
    this.publish();
    const isBusy = evicting || isBehind || moved > 0;
    const restMs = counting ? KEY_SIZES_PERIOD_MS : this.#idlePeriodMs();
    this.#dueUs = this.#nowUs() + (isBusy ? BUSY_PERIOD_MS : restMs) * 1_000;
  }

  /** Answers whether fields are left to expire. */
  #expireSlice(): boolean {
    const store = this.#store;
    const beganUs = this.#nowUs();
    store.expireSlice(this.#nowUs, this.#expireUs);
    if (this.#role.isReplica && !this.#isPaused) {
      this.#ownExpiry.slice(this.#nowUs, this.#expireUs);
    }
    const startUs = this.#nowUs();
    const fields = this.#isReading() ? 0 : store.expireFieldsSlice(this.#nowUs, this.#expireUs);
    this.#took('expire-cycle', beganUs);
    return fields > 0 && this.#nowUs() - startUs >= this.#expireUs;
  }

  /** Counts keys by size for a while, when there were changes; answers whether there is more to count. */
  #countSlice(): boolean {
    const { values } = this.#page;
    const keySizes = this.#keySizes;
    if (this.#keySizesChanges < 0) {
      if (!this.#areKeySizesOld()) return false;
      this.#keySizesChanges = this.#changes();
      keySizes.restart();
    }
    if (!keySizes.slice(this.#nowUs, KEY_SIZES_US)) return true;
    this.#page.setKeySizes(keySizes.counts);
    if (keySizes.prefixKeys.length > 0) {
      setPrefixKeySizes(this.#page, keySizes.prefixKeys, keySizes.prefixBytes);
    }
    this.#hasOtherPrefixes = false;
    values[AT.keySizesUs] = this.#nowUs();
    values[AT.keySizesChanges] = this.#keySizesChanges;
    this.#keySizesChanges = -1;
    return false;
  }

  #areKeySizesOld(): boolean {
    const { values } = this.#page;
    if (this.#hasOtherPrefixes) return true;
    return values[AT.keySizesUs] === 0 || values[AT.keySizesChanges] !== this.#changes();
  }

  /**
   * A number that is another one when the size of a key has changed: by a command here, by a command of
   * another shard that has borrowed the key, or by itself.
   */
  #changes(): number {
    const { stats, memory } = this.#store;
    const gone = stats.expired + stats.evicted + stats.expiredFields;
    return (
      (this.#page.values[AT.changes]! + gone) * CHANGES_STEP + (memory.usedBytes % CHANGES_STEP)
    );
  }

  /** Moves records out of sparse slabs at once, because somebody has asked; answers the bytes given back. */
  purge(): number {
    const { memory } = this.#store;
    const before = memory.segmentBytes;
    this.#store.defragSlice(this.#nowUs, PURGE_US);
    this.publish();
    return before - memory.segmentBytes;
  }

  /** True when `run` is due: by the clock, or because memory is over the limit, by what clients do not read, say. */
  isDue(nowUs: number): boolean {
    return nowUs >= this.#dueUs || (this.#hasToEvict && this.mustEvict());
  }

  dueInMs(nowUs: number): number {
    return Math.max(0, (this.#dueUs - nowUs) / 1_000);
  }

  /** Brings the page up to date with the store. */
  publish(): void {
    this.#hasCompared = false;
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
    this.#tierPage?.publish();
    let volatile = 0;
    for (let index = 0; index < databases.length; index += 1) {
      const { servedSize: size, expires, fieldExpires, meanExpiry } = databases[index]!;
      volatile += expires + fieldExpires;
      this.#page.setDatabase(index, size, expires, fieldExpires, meanExpiry);
    }
    this.#watch(volatile > 0 || this.#areKeySizesOld());
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
    this.#tierPage?.reset();
  }

  /** Evicts for a while when over the limit, though nobody writes here: another shard may need the room. */
  #evictSlice(): boolean {
    this.#hasToEvict = true;
    if (!this.mustEvict()) {
      this.#page.values[AT.tierRefuses] = 0;
      this.#page.values[AT.tierExhausted] = 0;
      return false;
    }
    this.#probePressure();
    const startUs = this.#nowUs();
    const endUs = startUs + this.#evictUs;
    const { values } = this.#page;
    const { stats } = this.#store;
    const before = stats.evicted;
    const spillsBefore = this.#store.tier.stats.spills;
    let freed = 0;
    do {
      freed = this.#store.evictOne();
      values[AT.usedBytes] = this.#store.memory.usedBytes;
    } while (mayGoOn(freed) && this.mustEvict() && this.#nowUs() < endUs);
    // The disk has no room yet: what is too much goes later.
    this.#hasToEvict = freed !== 0;
    if (freed === SPILL_BUSY) this.#waitForTier();
    const { isOn, evictsWhenFull, isExhausted } = this.#store.tier;
    values[AT.tierExhausted] = Number(isExhausted);
    values[AT.tierRefuses] = Number(isOn && !evictsWhenFull && freed === 0);
    const spills = this.#store.tier.stats.spills - spillsBefore;
    if (spills > 0 && warmSpill.isWatched) {
      warmSpill.fire(this.#shardIndex, spills, this.#nowUs() - startUs);
    }
    this.#evicted(startUs, stats.evicted - before);
    return mayGoOn(freed);
  }

  /** Spills until memory has room again; evicts nothing, since what is read may not be the last word. */
  spillWhileLoading(): void {
    const { tier, memory } = this.#store;
    const { values } = this.#page;
    values[AT.usedBytes] = memory.usedBytes;
    if (!tier.isOn) return;
    while (this.mustEvict()) {
      const freed = this.#store.spillOne();
      if (freed === 0) break;
      if (freed === SPILL_BUSY) tier.outlet?.waitForRoom(TIER_WAIT_MS);
      values[AT.usedBytes] = memory.usedBytes;
    }
  }

  /** Has a shard that takes in more than its disk does wait for that. */
  #waitForTier(): void {
    const { tier } = this.#store;
    if (this.#usedBytesOfAll() < this.#maxmemory * OVER_SHARE) return;
    tier.stats.waits += 1;
    tier.outlet?.waitForRoom(TIER_WAIT_MS);
  }

  /** Eviction that began then has ended, and so many keys are gone. */
  #evicted(startUs: number, keys: number): void {
    this.#took('eviction-cycle', startUs);
    const nowUs = this.#nowUs();
    this.#page.add('evictionUs', nowUs - startUs);
    if (keys > 0) this.#evictions.add(nowUs, nowUs - startUs, keys);
  }

  #probePressure(): void {
    if (!memoryPressure.isWatched) return;
    memoryPressure.fire(this.#usedBytesOfAll(), this.#maxmemory, 'evict');
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
    return this.#hasWork || this.#maxmemory > 0 ? this.#periodMs : IDLE_PERIOD_MS;
  }
}

/** Microseconds of eviction at a time. */
function evictionUs(tenacity: number): number {
  if (tenacity <= EVICT_STEPS) return EVICT_STEP_US * tenacity;
  if (tenacity >= TENACITY_MAX) return Infinity;
  return EVICT_STEP_US * EVICT_STEPS * EVICT_GROWTH ** (tenacity - EVICT_STEPS);
}
