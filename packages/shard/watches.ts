/**
 * WATCH on one shard: which clients watch which keys, and which of them have seen a change.
 *
 * Clients are known by main's slot. A client's watches end in the frames that main sends before it
 * gives the slot to another, so a slot never inherits any.
 */

import { keyName, type Bytes } from '#base';
import type { Keyspace, Store } from '#store';

/** One client's watch on one key. */
interface Watch {
  readonly slot: number;
  readonly database: number;
  readonly key: Bytes;
  /** Whether the key was there when the watch began. */
  readonly existed: boolean;
  /** It was there but over its time: that it then goes is no change. */
  wasExpired: boolean;
}

export class Watches {
  readonly #store: Store;
  readonly #byKey = new Map<string, Map<number, Watch>>();
  readonly #bySlot = new Map<number, Map<string, Watch>>();
  /** Clients that have seen a change; their next transaction is not run. */
  readonly #broken = new Set<number>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** False nearly always: then no change need be looked at. */
  get isActive(): boolean {
    return this.#byKey.size > 0;
  }

  watch(slot: number, database: number, key: Bytes): void {
    const name = keyName(database, key);
    const own = this.#bySlot.get(slot) ?? new Map<string, Watch>();
    if (own.has(name)) return;
    const keyspace = this.#store.databases[database]!;
    const watch: Watch = {
      ...{ slot, database, key },
      existed: isThere(keyspace, key),
      wasExpired: this.#isExpired(keyspace, key),
    };
    this.#bySlot.set(slot, own.set(name, watch));
    this.#byKey.set(name, (this.#byKey.get(name) ?? new Map<number, Watch>()).set(slot, watch));
  }

  /** The names of the keys that a client watches here. */
  namesOf(slot: number): readonly string[] {
    return [...(this.#bySlot.get(slot)?.keys() ?? [])];
  }

  /** A key has changed, or is gone. */
  touch(database: number, key: Bytes, at: number, length: number): void {
    const watches = this.#byKey.get(keyName(database, key, at, length));
    if (watches === undefined) return;
    const keyspace = this.#store.databases[database]!;
    for (const watch of watches.values()) {
      // Who saw it over its time already sees nothing new in that it is gone.
      if (watch.wasExpired && !isThere(keyspace, watch.key)) watch.wasExpired = false;
      else this.#broken.add(watch.slot);
    }
  }

  /** A database was emptied, or all of them (-1). */
  flushed(database: number): void {
    for (const watch of this.#all()) {
      if (database >= 0 && watch.database !== database) continue;
      if (watch.wasExpired) watch.wasExpired = false;
      else if (watch.existed) this.#broken.add(watch.slot);
    }
  }

  /** Two databases have changed places. */
  swapped(one: number, other: number): void {
    for (const watch of this.#all()) {
      if (watch.database === one || watch.database === other) this.#exchanged(watch);
    }
  }

  /** Whether a client may not run its transaction; its watches end with the answer. */
  take(slot: number): boolean {
    const isBroken = this.#broken.has(slot) || this.#hasExpired(slot);
    this.forget(slot);
    return isBroken;
  }

  forget(slot: number): void {
    for (const name of this.namesOf(slot)) {
      const watches = this.#byKey.get(name);
      watches?.delete(slot);
      if (watches?.size === 0) this.#byKey.delete(name);
    }
    this.#bySlot.delete(slot);
    this.#broken.delete(slot);
  }

  *#all(): Iterable<Watch> {
    for (const watches of this.#byKey.values()) yield* watches.values();
  }

  /** Another database's key, or none, now stands where the watched one did. */
  #exchanged(watch: Watch): void {
    const { key } = watch;
    const keyspace = this.#store.databases[watch.database]!;
    const exists = isThere(keyspace, key);
    const isExpired = this.#isExpired(keyspace, key);
    if (watch.wasExpired) {
      if (!exists) watch.wasExpired = false;
      else if (!isExpired) this.#broken.add(watch.slot);
    } else if (watch.existed || (exists && !isExpired)) {
      this.#broken.add(watch.slot);
    } else if (isExpired) {
      watch.wasExpired = true;
    }
  }

  #hasExpired(slot: number): boolean {
    for (const { database, key, wasExpired } of this.#bySlot.get(slot)?.values() ?? []) {
      if (!wasExpired && this.#isExpired(this.#store.databases[database]!, key)) return true;
    }
    return false;
  }

  #isExpired(keyspace: Keyspace, key: Bytes): boolean {
    const ref = keyspace.lookUp(key, key.length);
    if (ref === 0) return false;
    const expireAt = keyspace.expireAt(ref);
    return expireAt >= 0 && expireAt <= this.#store.nowMs;
  }
}

/** Whether the key has a record, be it over its time or not. */
function isThere(keyspace: Keyspace, key: Bytes): boolean {
  return keyspace.lookUp(key, key.length) !== 0;
}
