/**
 * Active expiry of hash fields: removes expired fields that no command accesses. A cursor walks the hashes that may
 * have such fields, over all databases. Checking a hash reads only its earliest expiry, and fields are removed a few at
 * a time, so that a slice keeps to its time regardless of the size of a hash.
 */
import { KeyFate, reused } from '#base';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Ref } from '../memory/segment.ts';
import type { Databases } from '../keyspace/databases.ts';
import { ValueType } from '../values/value-type.ts';
import type { PackedLimits } from '../values/packed-limits.ts';
import { HashValue } from './hash-value.ts';

/** Hashes looked at before the clock is asked again. */
const LOOK_COUNT = 20;
/** Fields taken out before the clock is asked again. */
const REMOVE_COUNT = 50;
/** Taking out never makes a hash grow. */
const NO_LIMITS: PackedLimits = { entries: Infinity, valueBytes: Infinity };

export class FieldExpirer {
  readonly #store: Databases;
  readonly #cursors: number[];
  readonly #hash = reused(new HashValue());
  #database = 0;
  readonly #due: Uint8Array[] = [];
  #keyspace: Keyspace;
  readonly #look = (ref: Ref): void => {
    const { soonest } = this.#hash.open(this.#keyspace, ref, NO_LIMITS);
    if (soonest < 0 || soonest >= this.#store.nowMs || this.#keyspace.isHidden(ref)) return;
    const { bytes, at, length } = this.#keyspace.key(ref);
    this.#due.push(bytes.slice(at, at + length));
  };

  constructor(store: Databases) {
    this.#store = store;
    this.#cursors = store.databases.map(() => 0);
    this.#keyspace = store.databases[0]!;
  }

  /** Works for at most one round over all databases; returns how many fields went. */
  slice(nowUs: () => number, budgetUs: number): number {
    const { databases } = this.#store;
    const endUs = nowUs() + budgetUs;
    let removed = 0;
    for (let visited = 0; visited < databases.length; visited += 1) {
      this.#keyspace = databases[this.#database]!;
      do {
        if (this.#keyspace.fieldExpires === 0) {
          this.#cursors[this.#database] = 0;
          break;
        }
        const cursor = this.#cursors[this.#database]!;
        const { fieldVolatile } = this.#keyspace.contents;
        this.#cursors[this.#database] = fieldVolatile.scan(cursor, LOOK_COUNT, this.#look);
        for (const key of this.#due) removed += this.#clean(key, nowUs, endUs);
        this.#due.length = 0;
        if (nowUs() >= endUs) return removed;
      } while (this.#cursors[this.#database] !== 0);
      this.#database = (this.#database + 1) % databases.length;
    }
    return removed;
  }

  /** Takes out all fields of one hash that have ended by now, and the hash with the last of them. */
  expireIn(keyspace: Keyspace, key: Uint8Array): void {
    const ref = keyspace.lookUp(key, key.length);
    if (ref === 0 || !isHash(keyspace, ref)) return;
    const hash = this.#hash.open(keyspace, ref, NO_LIMITS);
    hash.removeEnded(this.#store.nowMs, Infinity);
    if (hash.count === 0) keyspace.takeOut(hash.ref);
  }

  #clean(key: Uint8Array, nowUs: () => number, endUs: number): number {
    const store = this.#store;
    const keyspace = this.#keyspace;
    const ref = keyspace.lookUp(key, key.length);
    if (ref === 0 || nowUs() >= endUs) return 0;
    const hash = this.#hash.open(keyspace, ref, NO_LIMITS);
    let removed = 0;
    let more = 0;
    const fields: Uint8Array[] = [];
    do {
      more = hash.removeEnded(store.nowMs, REMOVE_COUNT, store.namesFields ? fields : undefined);
      removed += more;
    } while (more === REMOVE_COUNT && nowUs() < endUs);
    if (removed === 0) return 0;
    store.stats.add('expiredFields', removed);
    const isKeyGone = hash.count === 0;
    if (isKeyGone) keyspace.removeRef(hash.ref, KeyFate.expiredFields);
    const database = store.databases.indexOf(keyspace);
    store.events.fieldsExpired(database, key, 0, key.length, { isKeyGone, fields });
    return removed;
  }
}

function isHash(keyspace: Keyspace, ref: Ref): boolean {
  return keyspace.type(ref) === ValueType.hash;
}
