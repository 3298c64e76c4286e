/** The limit of memory as a shard keeps it: what must go, when, and for how long at a time. */

import type { Clock } from '#base';
import { AT, Tally, type FlightRecorder, type Page } from '#stats';
import { memoryPressure, warmSpill } from '#usdt';
import { SPILL_BUSY, SPILL_SEARCHING, type Store } from '#store';
import type { Settings } from '../settings/settings.ts';
import type { Role } from '../replica/role.ts';
import type { Slowness } from '../observation/slowness.ts';

/** Eviction takes this long for each step of its tenacity, up to the tenth, and then ever longer, as in Redis 7.4 (evict.c). */
const EVICT_STEP_US = 50;
const EVICT_STEPS = 10;
const EVICT_GROWTH = 1.15;
const TENACITY_MAX = 100;
/** Memory usage, as a share of the limit, from which the shard blocks for the disk of the warm tier, TIER_WAIT_MS at a time. */
const OVER_SHARE = 1.05;
/** From this part of the limit on a shard waits for no other one to spill, which may be busy with something else. */
const FAR_OVER_SHARE = 1.25;
const TIER_WAIT_MS = 2;
/** Below this share of its limit memory is taken to have room for what is fetched. */
const ROOM_SHARE = 0.97;

export interface MemoryRoomOptions {
  readonly store: Store;
  readonly page: Page;
  readonly clock: Clock;
  readonly slowness: Pick<Slowness, 'occurred'>;
  readonly usedBytesOfAll: () => number;
  /** True while another shard may spill. */
  readonly othersMaySpill?: () => boolean;
  /** True at a barrier: nothing may change but by the commands of its transaction. */
  readonly isStopped: () => boolean;
  readonly flight: FlightRecorder;
  readonly role: Pick<Role, 'isReplica'>;
  readonly index: number;
}

/** True when the next call may free something at once. */
function mayGoOn(freed: number): boolean {
  return freed > 0 || freed === SPILL_SEARCHING;
}

export class MemoryRoom {
  readonly #options: MemoryRoomOptions;
  readonly #store: Store;
  readonly #page: Page;
  readonly #publish: () => void;
  readonly #nowUs: () => number;
  readonly #usedBytesOfAll: () => number;
  readonly #isStopped: () => boolean;
  readonly #evictions: Tally;
  /** `makeRoomBefore` has looked at what was published last. */
  #hasCompared = false;
  /** False while there is nothing to evict. */
  #hasToEvict = true;
  #maxmemory = 0;
  /** Most microseconds of eviction at a time. */
  #evictUs = EVICT_STEP_US * EVICT_STEPS;
  /** On a replica, the primary sees to the limit. */
  #ignoresMaxmemory = true;
  /** While true nothing is evicted. */
  isPaused = false;

  /** `publish` brings the page up to date with the store. */
  constructor(options: MemoryRoomOptions, publish: () => void) {
    const { store, page, clock, flight, usedBytesOfAll, isStopped } = options;
    this.#options = options;
    this.#store = store;
    this.#page = page;
    this.#publish = publish;
    this.#nowUs = () => clock.nowUs();
    this.#usedBytesOfAll = usedBytesOfAll;
    this.#isStopped = isStopped;
    this.#evictions = new Tally((atUs, us, keys) => {
      flight.note('eviction-cycle', atUs, [us, keys]);
    });
  }

  apply(settings: Settings): void {
    this.#maxmemory = settings.number('memory.maxmemory');
    this.#ignoresMaxmemory = settings.boolean('replication.ignore-maxmemory');
    this.#evictUs = evictionUs(settings.number('memory.maxmemory-eviction-tenacity'));
    this.#hasCompared = false;
  }

  /**
   * The limit has changed: the next command of the client that lowered it must see the evictions; in a transaction,
   * they follow it.
   */
  limitChanged(): void {
    if (!this.#isStopped() && this.mustEvict()) this.makeRoom();
  }

  get hasLimit(): boolean {
    return this.#maxmemory > 0;
  }

  /** True when eviction is due because memory is over the limit, by what clients do not read, say. */
  get isDue(): boolean {
    return this.#hasToEvict && this.mustEvict();
  }

  /** True while another shard may spill, and memory is not so far over its limit that this one must do so itself. */
  othersMaySpill(): boolean {
    const { othersMaySpill } = this.#options;
    return othersMaySpill?.() === true && this.#usedBytesOfAll() < this.#maxmemory * FAR_OVER_SHARE;
  }

  /** Called after the page was updated: compares memory usage with the limit again. */
  published(): void {
    this.#hasCompared = false;
  }

  /** True when a write must make room first. */
  mustEvict(): boolean {
    if (this.isPaused) return false;
    if (this.#ignoresMaxmemory && this.#options.role.isReplica) return false;
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
   * Makes room before a write if memory is over its limit. Usage is compared once for each time that it was
   * published: in between it hardly changes, and reading the pages of other threads is slow.
   */
  makeRoomBefore(): void {
    if (this.#hasCompared || this.#isStopped()) return;
    this.#hasCompared = true;
    if (this.mustEvict()) this.makeRoom();
  }

  /** Evicts for a while before a write; the rest is evicted between commands. */
  makeRoom(): void {
    this.evictSlice();
    this.#publish();
  }

  /** Makes room for the last write before its reply; false if nothing must or can be evicted. */
  makeRoomBehind(): boolean {
    if (!this.mustEvict()) {
      this.#hasToEvict = true;
      return false;
    }
    if (!this.#hasToEvict) return false;
    this.makeRoom();
    return true;
  }

  /** Evicts for a while when over the limit, even without writes here: another shard may need the room. */
  evictSlice(): boolean {
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
    const spillsBefore = stats.get('tierSpills');
    let freed = 0;
    do {
      freed = this.#store.evictOne();
      values[AT.usedBytes] = this.#store.memory.usedBytes;
    } while (mayGoOn(freed) && this.mustEvict() && this.#nowUs() < endUs);
    // The disk has no room yet: values are spilled later.
    this.#hasToEvict = freed !== 0;
    if (freed === SPILL_BUSY) this.#waitForTier();
    const { isOn, evictsWhenFull, isExhausted } = this.#store.tier;
    values[AT.tierExhausted] = Number(isExhausted);
    values[AT.tierRefuses] = Number(isOn && !evictsWhenFull && freed === 0);
    const spills = stats.get('tierSpills') - spillsBefore;
    if (spills > 0 && warmSpill.isWatched) {
      warmSpill.fire(this.#options.index, spills, this.#nowUs() - startUs);
    }
    this.#evicted(startUs, stats.evicted - before);
    return mayGoOn(freed);
  }

  /** Has a shard that takes in more than its disk does wait for that. */
  #waitForTier(): void {
    const { tier, stats } = this.#store;
    if (this.#usedBytesOfAll() < this.#maxmemory * OVER_SHARE) return;
    stats.add('tierWaits', 1);
    tier.outlet?.waitForRoom(TIER_WAIT_MS);
  }

  /** Records the end of an eviction that started at `startUs` and removed `keys` keys. */
  #evicted(startUs: number, keys: number): void {
    const { slowness, clock } = this.#options;
    slowness.occurred('eviction-cycle', this.#nowUs() - startUs, clock.wallMs());
    const nowUs = this.#nowUs();
    this.#page.add('evictionUs', nowUs - startUs);
    if (keys > 0) this.#evictions.add(nowUs, nowUs - startUs, keys);
  }

  #probePressure(): void {
    if (!memoryPressure.isWatched) return;
    memoryPressure.fire(this.#usedBytesOfAll(), this.#maxmemory, 'evict');
  }
}

/** Microseconds of eviction at a time. */
function evictionUs(tenacity: number): number {
  if (tenacity <= EVICT_STEPS) return EVICT_STEP_US * tenacity;
  if (tenacity >= TENACITY_MAX) return Infinity;
  return EVICT_STEP_US * EVICT_STEPS * EVICT_GROWTH ** (tenacity - EVICT_STEPS);
}
