/**
 * WATCH on one shard: which clients watch which keys, and which of them have seen a change.
 *
 * Clients are known by main's slot. A client's watches end in the frames that main sends before it
 * gives the slot to another, so a slot never inherits any.
 */

import { type Bytes, keyName } from '#base';
import type { Keyspace, Store } from '#store';

/**
 * One client's watch on one key. Those on one key are linked, with the newest first: a map for each key would
 * cost a client that watches 100,000 of them more than all else.
 */
interface Watch {
  readonly slot: number;
  readonly database: number;
  readonly key: Bytes;
  /** True when the key was there when the watch began. */
  readonly existed: boolean;
  /** True if the key existed but had expired: its later removal is no change. */
  wasExpired: boolean;
  newer: Watch | undefined;
  older: Watch | undefined;
}

/**
 * Name of the lock of a client's watches: locked like a key, so that WATCH and the transactions that end it run in
 * order, regardless of the keys that they wait for.
 */
export function watchPlace(slot: number): string {
  return `watches of ${slot}`;
}

export class Watches {
  readonly #store: Store;
  /** The newest watch on each key. */
  readonly #byKey = new Map<string, Watch>();
  readonly #bySlot = new Map<number, Map<string, Watch>>();
  /** Names of keys whose WATCH is deferred; a later EXEC of the client must wait for it. */
  readonly #awaited = new Map<number, Set<string>>();
  /** Clients that have seen a change; their next transaction is not run. */
  readonly #broken = new Set<number>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** False nearly always: then no change need be looked at. */
  get isActive(): boolean {
    return this.#byKey.size > 0;
  }

  /** Records a deferred WATCH of keys that are locked. */
  awaits(slot: number, names: readonly string[]): void {
    const awaited = this.#awaited.get(slot) ?? new Set();
    for (const name of names) awaited.add(name);
    this.#awaited.set(slot, awaited);
  }

  watch(slot: number, database: number, key: Bytes): void {
    const name = keyName(database, key);
    this.#awaited.get(slot)?.delete(name);
    let own = this.#bySlot.get(slot);
    if (own === undefined) {
      own = new Map();
      this.#bySlot.set(slot, own);
    }
    if (own.has(name)) return;
    const keyspace = this.#store.databases[database]!;
    const existed = isThere(keyspace, key);
    const wasExpired = existed && this.#isExpired(keyspace, key);
    const older = this.#byKey.get(name);
    const watch: Watch = { slot, database, key, existed, wasExpired, newer: undefined, older };
    if (older !== undefined) older.newer = watch;
    own.set(name, watch);
    this.#byKey.set(name, watch);
  }

  /** The names of the keys that a client watches here, or is about to. */
  namesOf(slot: number): readonly string[] {
    return [...(this.#bySlot.get(slot)?.keys() ?? []), ...(this.#awaited.get(slot) ?? [])];
  }

  /** A key was changed or removed. */
  touch(database: number, key: Bytes, at: number, length: number): void {
    let watch = this.#byKey.get(keyName(database, key, at, length));
    if (watch === undefined) return;
    const keyspace = this.#store.databases[database]!;
    for (; watch !== undefined; watch = watch.older) {
      // Expiry of a key already seen as expired does not dirty the WATCH.
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

  /** True when a client may not run its transaction; its watches end with the answer. */
  take(slot: number): boolean {
    const isBroken = this.#broken.has(slot) || this.#hasExpired(slot);
    this.forget(slot);
    return isBroken;
  }

  forget(slot: number): void {
    for (const [name, { newer, older }] of this.#bySlot.get(slot) ?? []) {
      if (older !== undefined) older.newer = newer;
      if (newer !== undefined) newer.older = older;
      else if (older !== undefined) this.#byKey.set(name, older);
      else this.#byKey.delete(name);
    }
    this.#bySlot.delete(slot);
    this.#awaited.delete(slot);
    this.#broken.delete(slot);
  }

  *#all(): Iterable<Watch> {
    for (const watches of this.#bySlot.values()) yield* watches.values();
  }

  /** Checks a watched key after its database was flushed or swapped. */
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

/** True when the key has a record, expired or not. */
function isThere(keyspace: Keyspace, key: Bytes): boolean {
  return keyspace.lookUp(key, key.length) !== 0;
}
