/**
 * Keys that clients have written on a writable replica and that expire. What a primary has sent goes when the primary says
 * so; of these keys it knows nothing, so the replica itself removes them when their time is over.
 */

import { type Bytes, KeyFate, keyName } from '#base';
import type { Store } from '#store';

/** Keys looked at between two looks at the clock. */
const STEP_KEYS = 16;

interface OwnKey {
  readonly database: number;
  readonly key: Bytes;
}

export class OwnExpiry {
  readonly #store: Store;
  readonly #keys = new Map<string, OwnKey>();
  /** Goes over the keys, as many at a time as there is time for. */
  #walk: MapIterator<[string, OwnKey]> = this.#keys.entries();

  constructor(store: Store) {
    this.#store = store;
  }

  get count(): number {
    return this.#keys.size;
  }

  /** A client has changed a key, or given it an end: if it expires, it is one of these from now on. */
  changed(database: number, bytes: Bytes, at: number, length: number): void {
    const keyspace = this.#store.databases[database]!;
    const ref = keyspace.lookUp(bytes, length, at);
    if (ref === 0 || keyspace.expireAt(ref) < 0) return;
    const name = keyName(database, bytes, at, length);
    if (this.#keys.has(name)) return;
    this.#keys.set(name, { database, key: Uint8Array.from(bytes.subarray(at, at + length)) });
  }

  /** Clears all keys: they were removed, or expire like others. */
  clear(): void {
    this.#keys.clear();
    this.#walk = this.#keys.entries();
  }

  /** Looks at all keys, or at as many as there is time for; removes those whose time is over. */
  slice(nowUs: () => number, budgetUs: number): void {
    const endUs = nowUs() + budgetUs;
    for (let left = this.#keys.size; left > 0; left -= 1) {
      if (left % STEP_KEYS === 0 && nowUs() >= endUs) return;
      const next = this.#next();
      if (next !== undefined) this.#look(...next);
    }
  }

  /** Returns the next key of the walk, which restarts after the last. */
  #next(): [string, OwnKey] | undefined {
    const next = this.#walk.next();
    if (next.done !== true) return next.value;
    this.#walk = this.#keys.entries();
    const first = this.#walk.next();
    return first.done === true ? undefined : first.value;
  }

  #look(name: string, { database, key }: OwnKey): void {
    const store = this.#store;
    const keyspace = store.databases[database]!;
    const ref = keyspace.lookUp(key, key.length, 0);
    const expireAt = ref === 0 ? -1 : keyspace.expireAt(ref);
    if (expireAt >= store.nowMs) return;
    this.#keys.delete(name);
    if (expireAt >= 0) keyspace.expire(ref, KeyFate.expiredActive);
  }
}
