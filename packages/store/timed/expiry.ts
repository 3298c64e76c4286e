/**
 * Active expiry: removes expired keys that no command accesses. A cursor walks each database's index of expiring keys,
 * a sample at a time. It stays with a database while samples show many expired keys, moves to the next otherwise, and
 * ends after one round.
 */
import { KeyFate } from '#base';
import type { Ref } from '../memory/segment.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { EXPIRE_AGAIN_SHARE, EXPIRE_SAMPLE_COUNT } from '../memory/limits.ts';
import type { Databases } from '../keyspace/databases.ts';

/** Weight of the newest sample in the running estimate. */
const ESTIMATE_WEIGHT = 0.05;

export class Expirer {
  readonly #store: Databases;
  readonly #cursors: number[];
  #database = 0;
  #sampled = 0;
  readonly #due: Ref[] = [];
  /** The keyspace being sampled; a field, so that `#look` is made once. */
  #keyspace: Keyspace;
  readonly #look = (ref: Ref): void => {
    this.#sampled += 1;
    if (this.#keyspace.expireAt(ref) >= this.#store.nowMs) return;
    if (!this.#keyspace.isHidden(ref)) this.#due.push(ref);
  };

  constructor(store: Databases) {
    this.#store = store;
    this.#cursors = store.databases.map(() => 0);
    this.#keyspace = store.databases[0]!;
  }

  slice(nowUs: () => number, budgetUs: number): number {
    const store = this.#store;
    if (!store.activeExpire || store.lazyExpireDisabled) return 0;
    const endUs = nowUs() + budgetUs;
    let removed = 0;
    let sampled = 0;
    let visited = 0;
    while (visited < store.databases.length) {
      this.#keyspace = store.databases[this.#database]!;
      const due = this.#sample();
      removed += due;
      sampled += this.#sampled;
      const isDone = this.#keyspace.expires === 0 || this.#isNearlyClean(due);
      if (isDone) {
        this.#database = (this.#database + 1) % store.databases.length;
        visited += 1;
      }
      if (nowUs() >= endUs) {
        if (visited < store.databases.length) store.stats.add('expiredTimeCapReached', 1);
        break;
      }
    }
    this.#estimate(removed, sampled);
    return removed;
  }

  /** Looks at one sample of the current database, and removes what is due. Returns how many. */
  #sample(): number {
    this.#sampled = 0;
    if (this.#keyspace.expires === 0) return 0;
    const at = this.#database;
    this.#cursors[at] = this.#keyspace.scanVolatile(
      this.#cursors[at]!,
      EXPIRE_SAMPLE_COUNT,
      this.#look,
    );
    const due = this.#due;
    const count = due.length;
    // Removing one record moves no other, so what was collected stays valid.
    for (let i = 0; i < count; i += 1) this.#keyspace.expire(due[i]!, KeyFate.expiredActive);
    due.length = 0;
    return count;
  }

  #isNearlyClean(due: number): boolean {
    // A sample of nothing is a stretch of empty slots, and says nothing unless the round is over.
    if (this.#sampled === 0) return this.#cursors[this.#database] === 0;
    return due <= this.#sampled * EXPIRE_AGAIN_SHARE;
  }

  #estimate(removed: number, sampled: number): void {
    const stats = this.#store.stats;
    const percent = sampled > 0 ? (removed / sampled) * 100 : 0;
    stats.add('stalePercent', (percent - stats.get('stalePercent')) * ESTIMATE_WEIGHT);
  }
}
