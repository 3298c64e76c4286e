/** State shared by all databases of a store: the time, the memory in use, the settings of keys, and the listeners. */
import { HiddenSlots } from './hidden-slots.ts';
import type { EvictionPolicy } from '../records/access.ts';
import { MemoryCount } from '../memory/memory-count.ts';
import { StoreStats } from './store-stats.ts';
import { SharedViews } from '../values/shared-views.ts';
import { WarmTier, type WarmWays } from '../warm/warm-tier.ts';

/** Listener called after a key was removed; the bytes of the key are valid during the call only. */
export interface StoreEvents {
  expired(database: number, key: Uint8Array, at: number, length: number): void;
  evicted(database: number, key: Uint8Array, at: number, length: number): void;
  /** Fields of a hash have expired; if no field is left, the key was removed as well. */
  fieldsExpired(
    database: number,
    key: Uint8Array,
    at: number,
    length: number,
    gone: FieldsGone,
  ): void;
  /** A command has met fields that had expired, and has removed them: it announces that itself. */
  fieldsDropped(
    database: number,
    key: Uint8Array,
    at: number,
    length: number,
    fields: readonly Uint8Array[],
  ): void;
  /** A key is given an end, while the store's `tellsEnds` says that this is wanted. */
  endSet(database: number, key: Uint8Array, at: number, length: number): void;
}

/** Fields of a hash that have expired. */
export interface FieldsGone {
  /** True if no field was left: the key was removed as well. */
  readonly isKeyGone: boolean;
  /** Names of the fields, if the store reports them. */
  readonly fields: readonly Uint8Array[];
}

/** Listener for the reasons of removed keys. */
export interface FateListener {
  /** `fate` is a number of KeyFate. The bytes of the key are valid during the call only. */
  gone(database: number, fate: number, key: Uint8Array, at: number, length: number): void;
  /** A database with `keys` keys is about to be flushed. */
  flushed(database: number, keys: number): void;
}

/** Listeners of a store: to what happens to its keys, and to what its warm tier needs. */
export interface StoreListeners {
  readonly events?: StoreEvents;
  readonly fates?: FateListener;
  readonly tier?: WarmWays;
}

export abstract class StoreContext {
  readonly random: () => number;
  readonly memory = new MemoryCount();
  readonly views = new SharedViews();
  readonly stats = new StoreStats();
  readonly tier = new WarmTier(this.stats);
  /** Wall clock in milliseconds. */
  nowMs = 0;
  /** Seconds modulo 2^24, for access times. */
  clock = 0;
  /** Size in bytes from which an element of a list gets its own node; 0 to use the settings. */
  listPlainBytes = 0;
  /** The freeze bit of records that are new, or that the last freeze has met. */
  freezeBit = 0;
  /** While true, look-ups do not update access bits. */
  noTouch = false;
  /** Somebody wants to know the names of fields that expire. */
  namesFields = false;
  /** Given when the store is made, as are `fates`. */
  abstract readonly events: StoreEvents;
  abstract readonly fates: FateListener;
  lfuLogFactor = 10;
  lfuDecayMinutes = 1;
  /** Keys sampled from each database to fill the pool of eviction. */
  samples = 5;
  activeExpire = true;
  /** While true, expired keys are absent but not removed: on a replica, the primary says when. */
  lazyExpireDisabled = false;
  /** Slots whose keys are in the store but not served. */
  readonly hiddenSlots = new HiddenSlots();
  /** While true, expired keys are there: for what a primary sends, which knows when their time is over. */
  seesExpired = false;
  /** True while the store reports which keys are given an end. */
  reportsEnds = false;
  /** True under LFU policies: access bits count uses. */
  countsUses = false;
  /** True under LRM policies: access bits have the time of the last change, and reading leaves them. */
  keepsChanges = false;
  /** To be set by `Store.setPolicy`. */
  policy: EvictionPolicy = 'noeviction';

  /** Keys are counted by their slots. */
  readonly countsSlots: boolean;

  /** `random` returns a number from 0 up to 1. */
  constructor(random: () => number, countsSlots = false) {
    this.random = random;
    this.countsSlots = countsSlots;
  }
}

/** Returns listeners that do nothing. */
export function noListeners(): Required<Pick<StoreListeners, 'events' | 'fates'>> {
  return {
    events: {
      expired: ignore,
      evicted: ignore,
      fieldsExpired: ignore,
      fieldsDropped: ignore,
      endSet: ignore,
    },
    fates: { gone: ignore, flushed: ignore },
  };
}

function ignore(): void {
  // No listener.
}
