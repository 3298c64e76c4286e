/**
 * All databases of one shard, and the work that is done between commands: expiry, eviction and
 * giving memory back.
 *
 * The store reads no clock: whoever drives it sets `nowMs` and `clock` before commands, so that a test
 * can replay a day.
 */
import { assert } from '#base';
import type { EvictionPolicy } from './records/access.ts';
import { Defragmenter } from './memory/defrag.ts';
import { Evictor } from './keyspace/eviction.ts';
import { Expirer } from './keyspace/expiry.ts';
import { FieldExpirer } from './hash/field-expirer.ts';
import { Keyspace } from './keyspace/keyspace.ts';
import { MemoryCount } from './memory/memory-count.ts';
import { KeyPrefetch } from './index/prefetch.ts';
import { RecordTools, type ValueView } from './records/record-tools.ts';

export interface StoreOptions {
  databases: number;
  /** 16 secret bytes for the hash. */
  seed: Uint8Array;
  /** A number from 0 up to 1. */
  random: () => number;
}

/** Told after a key is gone; the bytes of the key are valid during the call only. */
export interface StoreEvents {
  expired(database: number, key: Uint8Array, at: number, length: number): void;
  evicted(database: number, key: Uint8Array, at: number, length: number): void;
  /** Fields of a hash have expired; when they were the last ones, the key is gone too. */
  fieldsExpired(
    database: number,
    key: Uint8Array,
    at: number,
    length: number,
    isGone: boolean,
  ): void;
}

/** Told why keys go. */
export interface FateListener {
  /** `fate` is a number of KeyFate. The bytes of the key are valid during the call only. */
  gone(database: number, fate: number, key: Uint8Array, at: number, length: number): void;
  /** A database with so many keys is about to be emptied. */
  flushed(database: number, keys: number): void;
}

/** Counters that only grow, but for the estimate. */
export interface StoreStats {
  hits: number;
  misses: number;
  expired: number;
  /** Fields of hashes. */
  expiredFields: number;
  evicted: number;
  /** Slices of active expiry that ended because their time was over. */
  expiredTimeCapReached: number;
  /** Share of keys with an expiry that are expired and still there, as sampled lately, in percent. */
  staleEstimatePercent: number;
  /** Records that defragmentation moved. */
  defragMoved: number;
}

export class Store {
  readonly databases: Keyspace[] = [];
  readonly random: () => number;
  readonly memory = new MemoryCount();
  readonly view: ValueView;
  readonly keyPrefetch: KeyPrefetch;
  readonly stats: StoreStats = {
    hits: 0,
    misses: 0,
    expired: 0,
    expiredFields: 0,
    evicted: 0,
    expiredTimeCapReached: 0,
    staleEstimatePercent: 0,
    defragMoved: 0,
  };
  /** Wall clock in milliseconds. */
  nowMs = 0;
  /** Seconds modulo 2^24, for access times. */
  clock = 0;
  /** Bytes from which on an element of a list gets a node of its own; 0: what its settings say. */
  listPlainBytes = 0;
  /** The freeze bit of records that are new, or that the last freeze has met. */
  freezeBit = 0;
  /** While true, look-ups leave access bits alone. */
  noTouch = false;
  events: StoreEvents = { expired: ignore, evicted: ignore, fieldsExpired: ignore };
  fates: FateListener = { gone: ignore, flushed: ignore };
  lfuLogFactor = 10;
  lfuDecayMinutes = 1;
  /** Keys sampled from each database to fill the pool of eviction. */
  samples = 5;
  activeExpire = true;
  /** While true, expired keys are absent but not removed: on a replica, the primary says when. */
  lazyExpireDisabled = false;
  /** True under LFU policies: access bits count uses. */
  countsUses = false;
  #policy: EvictionPolicy = 'noeviction';
  readonly #expirer: Expirer;
  readonly #fieldExpirer: FieldExpirer;
  readonly #evictor: Evictor;
  readonly #defragmenter: Defragmenter;

  constructor(options: StoreOptions) {
    this.random = options.random;
    const tools = new RecordTools(options.seed);
    this.keyPrefetch = new KeyPrefetch(tools, this.databases);
    this.view = tools.view;
    for (let i = 0; i < options.databases; i += 1)
      this.databases.push(new Keyspace(this, tools, i));
    this.#expirer = new Expirer(this);
    this.#fieldExpirer = new FieldExpirer(this);
    this.#evictor = new Evictor(this);
    this.#defragmenter = new Defragmenter(this);
  }

  /** Keys of all databases, with expired ones that nobody has met yet. */
  get keyCount(): number {
    return this.databases.reduce((sum, { size }) => sum + size, 0);
  }

  get policy(): EvictionPolicy {
    return this.#policy;
  }

  set policy(policy: EvictionPolicy) {
    this.#policy = policy;
    this.countsUses = policy.endsWith('lfu');
    this.#evictor.forget();
  }

  /** Bytes of segments for each byte of live records; 1 when there are none. */
  get fragmentation(): number {
    const live = this.memory.recordBytes;
    return live > 0 ? this.memory.segmentBytes / live : 1;
  }

  /** SWAPDB: exchanges the contents of two databases. */
  swap(source: number, target: number): void {
    Keyspace.exchange(this.#database(source), this.#database(target));
    this.#evictor.forget();
  }

  /** Empties one database, or all. Nothing is walked: what they held is dropped whole. */
  flush(database?: number): void {
    if (database !== undefined) {
      this.#flushOne(database);
      return;
    }
    for (let index = 0; index < this.databases.length; index += 1) this.#flushOne(index);
  }

  #flushOne(database: number): void {
    const keys = this.#database(database).size;
    if (keys > 0) this.fates.flushed(database, keys);
    this.clear(database);
  }

  /** Empties a database whose keys do not end thereby: they are about to be loaded again. */
  clear(database: number): void {
    this.#database(database).clear();
    this.#evictor.forget();
  }

  /** Removes expired keys until few are left or the time is over; answers how many. */
  expireSlice(nowUs: () => number, budgetUs: number): number {
    return this.#expirer.slice(nowUs, budgetUs);
  }

  /** The same for fields of hashes; answers how many fields went. */
  expireFieldsSlice(nowUs: () => number, budgetUs: number): number {
    if (!this.activeExpire || this.lazyExpireDisabled) return 0;
    return this.#fieldExpirer.slice(nowUs, budgetUs);
  }

  /** Removes the fields of one hash that have ended: once more, as it was done before. */
  expireFieldsIn(database: number, key: Uint8Array): void {
    this.#fieldExpirer.expireIn(this.#database(database), key);
  }

  /** Removes one key as the policy says; answers the bytes that freed, 0 when there is nothing to evict. */
  evictOne(): number {
    return this.#evictor.evictOne();
  }

  /** True while defragmentation is in the middle of its work. */
  get isDefragmenting(): boolean {
    return this.#defragmenter.isActive;
  }

  /** Moves records out of sparse slabs until memory is dense or the time is over; answers bytes given back. */
  defragSlice(nowUs: () => number, budgetUs: number): number {
    return this.#defragmenter.slice(nowUs, budgetUs);
  }

  #database(number: number): Keyspace {
    const keyspace = this.databases[number];
    assert(keyspace !== undefined, 'a database that exists');
    return keyspace;
  }

  /** Bytes of a database's index of keys, and of those of keys and fields that expire. */
  indexBytes(database: number): { readonly keys: number; readonly expiries: number } {
    const { index, volatile, fieldVolatile } = this.databases[database]!.contents;
    return { keys: index.bytes, expiries: volatile.bytes + fieldVolatile.bytes };
  }
}

function ignore(): void {
  // Nobody listens yet.
}
