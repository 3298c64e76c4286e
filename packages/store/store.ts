/**
 * All databases of one shard, and the work between commands: expiry, eviction and defragmentation. The store reads no
 * clock: its owner sets `nowMs` and `clock` before commands, so that a test can replay a day.
 */
import { assert } from '#base';
import type { EvictionPolicy } from './records/access.ts';
import { Defragmenter } from './timed/defrag.ts';
import { Evictor } from './timed/eviction.ts';
import { Expirer } from './timed/expiry.ts';
import { FieldExpirer } from './hash/field-expirer.ts';
import { Keyspace } from './keyspace/keyspace.ts';
import { KeyPrefetch } from './prefetch/prefetch.ts';
import { Databases } from './keyspace/databases.ts';
import {
  noListeners,
  type FateListener,
  type StoreEvents,
  type StoreListeners,
} from './keyspace/store-context.ts';
import { KeyHasher } from './records/key-hasher.ts';
import type { ValueView } from './values/shared-views.ts';

interface StoreOptions {
  databases: number;
  /** 16 secret bytes for the hash. */
  seed: Uint8Array;
  /** A number from 0 up to 1. */
  random: () => number;
  /** Keys are counted by their slots in a cluster. */
  countsSlots?: boolean;
}

export class Store extends Databases {
  readonly #hasher: KeyHasher;
  readonly view: ValueView;
  readonly keyPrefetch: KeyPrefetch;
  readonly #expirer: Expirer;
  readonly #fieldExpirer: FieldExpirer;
  readonly #evictor: Evictor;
  readonly #defragmenter: Defragmenter;
  readonly events: StoreEvents;
  readonly fates: FateListener;

  constructor(options: StoreOptions, listenersOf: (store: Store) => StoreListeners = noListeners) {
    super(options.random, options.countsSlots);
    const hasher = new KeyHasher(options.seed);
    this.#hasher = hasher;
    this.keyPrefetch = new KeyPrefetch(hasher, this.databases);
    this.view = this.views.value;
    for (let i = 0; i < options.databases; i += 1)
      this.databases.push(new Keyspace(this, hasher, i));
    this.#expirer = new Expirer(this);
    this.#fieldExpirer = new FieldExpirer(this);
    this.#evictor = new Evictor(this);
    this.#defragmenter = new Defragmenter(this);
    const { events, fates, tier } = { ...noListeners(), ...listenersOf(this) };
    this.events = events;
    this.fates = fates;
    if (tier !== undefined) this.tier.connect(tier);
  }

  /** Makes a store with those who listen to it, who are made of it; returns the parts that come beside them. */
  static with<Parts>(
    options: StoreOptions,
    make: (store: Store) => readonly [listeners: StoreListeners, parts: Parts],
  ): Parts {
    const made: Parts[] = [];
    new Store(options, (store) => {
      const [listeners, parts] = make(store);
      made.push(parts);
      return listeners;
    });
    return made[0]!;
  }

  setPolicy(policy: EvictionPolicy): void {
    this.policy = policy;
    this.countsUses = policy.endsWith('lfu');
    this.keepsChanges = policy.endsWith('lrm');
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

  /** Hides these slots from now on, and no others. */
  hideSlots(spans: readonly (readonly [first: number, last: number])[]): void {
    this.hiddenSlots.update(spans);
    for (const { contents } of this.databases) contents.slots?.countHidden();
  }

  newDatabase(): Keyspace {
    return new Keyspace(this, this.#hasher, 0);
  }

  /** Empty databases beside those that are served, as many: what they come to hold counts as memory at once. */
  newDatabases(): readonly Keyspace[] {
    return this.databases.map((_, number) => new Keyspace(this, this.#hasher, number));
  }

  /** Serves what other databases hold instead of what there is, which is dropped. They are empty then. */
  replaceAll(others: readonly Keyspace[]): void {
    for (const [number, other] of others.entries()) {
      Keyspace.exchange(this.#database(number), other);
      if (other.size > 0) this.fates.flushed(number, other.size);
      other.clear();
    }
    this.#evictor.forget();
  }

  /** Flushes one database, or all, without visiting their keys. */
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

  /** Removes expired keys until few are left or the time is over; returns how many. */
  expireSlice(nowUs: () => number, budgetUs: number): number {
    return this.#expirer.slice(nowUs, budgetUs);
  }

  /** Removes expired hash fields for `budgetUs` microseconds; returns the number of fields removed. */
  expireFieldsSlice(nowUs: () => number, budgetUs: number): number {
    if (!this.activeExpire || this.lazyExpireDisabled) return 0;
    return this.#fieldExpirer.slice(nowUs, budgetUs);
  }

  /** Replays the removal of the expired fields of one hash. */
  expireFieldsIn(database: number, key: Uint8Array): void {
    this.#fieldExpirer.expireIn(this.#database(database), key);
  }

  /** Evicts one key by the policy; returns the freed bytes, 0 if there is nothing to evict. */
  evictOne(): number {
    return this.#evictor.evictOne();
  }

  /** Spills the value of one key; returns the bytes that freed, 0 when there is nothing to spill, SPILL_BUSY or SPILL_SEARCHING. */
  spillOne(): number {
    return this.#evictor.spillOne();
  }

  /** True while defragmentation is in the middle of its work. */
  get isDefragmenting(): boolean {
    return this.#defragmenter.isActive;
  }

  /** Moves records out of sparse slabs until memory is dense or the time is over; returns bytes given back. */
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
