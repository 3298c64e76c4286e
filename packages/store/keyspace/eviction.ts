/**
 * Eviction: which key goes when memory runs out.
 *
 * As in Redis, the policy is approximate: each call samples a few keys of every database into a pool
 * of the best candidates seen so far, and the best of the pool goes. The pool keeps copies of keys,
 * because records move and go between calls, and a candidate's score is taken again before it goes.
 */
import { KeyFate } from '#base';
import type { EvictionPolicy } from '../records/access.ts';
import type { Ref } from '../memory/segment.ts';
import type { Keyspace } from './keyspace.ts';
import { EVICTION_POOL_ENTRIES, EVICTION_POOL_KEY_BYTES } from '../limits.ts';
import type { Databases } from './databases.ts';

const FREQUENCY_MAX = 255;

/** A candidate. Entries are reused, and so are the bytes they keep a key in. */
interface Candidate {
  score: number;
  database: number;
  key: Uint8Array;
  length: number;
}

export class Evictor {
  readonly #store: Databases;
  /** In use up to `#count`, by rising score. */
  readonly #pool: Candidate[] = [];
  #count = 0;
  /** The database whose turn it is under the random policies. */
  #turn = 0;

  constructor(store: Databases) {
    this.#store = store;
    for (let i = 0; i < EVICTION_POOL_ENTRIES; i += 1) {
      const key = new Uint8Array(EVICTION_POOL_KEY_BYTES);
      this.#pool.push({ score: 0, database: 0, key, length: 0 });
    }
  }

  /** Drops the candidates: the policy changed, or the databases were exchanged or emptied. */
  forget(): void {
    this.#count = 0;
  }

  evictOne(): number {
    switch (this.#store.policy) {
      case 'noeviction':
        return 0;
      case 'allkeys-random':
      case 'volatile-random':
        return this.#evictRandom();
      case 'allkeys-lru':
      case 'allkeys-lfu':
      case 'volatile-lru':
      case 'volatile-lfu':
      case 'volatile-ttl':
        return this.#evictBest();
    }
  }

  #evictRandom(): number {
    const databases = this.#store.databases;
    const isVolatile = isVolatileOnly(this.#store.policy);
    for (let i = 0; i < databases.length; i += 1) {
      const database = this.#turn;
      this.#turn = (this.#turn + 1) % databases.length;
      const keyspace = databases[database]!;
      const ref = keyspace.randomRef(isVolatile);
      if (ref !== 0) return this.#evict(keyspace, database, ref);
    }
    return 0;
  }

  #evictBest(): number {
    for (;;) {
      const candidates = this.#fill();
      while (this.#count > 0) {
        this.#count -= 1;
        const entry = this.#pool[this.#count]!;
        const keyspace = this.#store.databases[entry.database]!;
        const ref = this.#stillBest(keyspace, entry);
        if (ref !== 0) return this.#evict(keyspace, entry.database, ref);
      }
      if (candidates === 0) return 0;
    }
  }

  /** The candidate's record, unless it is gone or was used since it was sampled. */
  #stillBest(keyspace: Keyspace, entry: Candidate): Ref {
    const ref = keyspace.lookUp(entry.key, entry.length);
    if (ref === 0) return 0;
    if (isVolatileOnly(this.#store.policy) && keyspace.expireAt(ref) < 0) return 0;
    return this.#score(keyspace, ref) >= entry.score ? ref : 0;
  }

  /** Samples every database; answers how many keys the policy allows to evict there are. */
  #fill(): number {
    const isVolatile = isVolatileOnly(this.#store.policy);
    const databases = this.#store.databases;
    let candidates = 0;
    for (let database = 0; database < databases.length; database += 1) {
      const keyspace = databases[database]!;
      const count = isVolatile ? keyspace.expires : keyspace.size;
      if (count === 0) continue;
      candidates += count;
      const samples = Math.min(this.#store.samples, count);
      for (let i = 0; i < samples; i += 1) {
        const ref = keyspace.randomRef(isVolatile);
        this.#offer(keyspace, database, ref);
      }
    }
    return candidates;
  }

  /** Returns a score, the higher the better it is to evict this record rather than another. */
  #score(keyspace: Keyspace, ref: Ref): number {
    if (this.#store.policy === 'volatile-ttl') return -keyspace.expireAt(ref);
    return this.#store.countsUses
      ? FREQUENCY_MAX - keyspace.frequency(ref)
      : keyspace.idleSeconds(ref);
  }

  #offer(keyspace: Keyspace, database: number, ref: Ref): void {
    const score = this.#score(keyspace, ref);
    const pool = this.#pool;
    const view = keyspace.key(ref);
    if (this.#holds(database, view.bytes, view.at, view.length)) return;
    let place = 0;
    while (place < this.#count && pool[place]!.score < score) place += 1;
    if (this.#count === pool.length) {
      // Full: the worst goes, unless the newcomer is worse.
      if (place === 0) return;
      place -= 1;
      const worst = pool[0]!;
      for (let i = 0; i < place; i += 1) pool[i] = pool[i + 1]!;
      pool[place] = worst;
    } else {
      const unused = pool[this.#count]!;
      for (let i = this.#count; i > place; i -= 1) pool[i] = pool[i - 1]!;
      pool[place] = unused;
      this.#count += 1;
    }
    const entry = pool[place]!;
    entry.score = score;
    entry.database = database;
    if (view.length > entry.key.length) entry.key = new Uint8Array(view.length);
    for (let i = 0; i < view.length; i += 1) entry.key[i] = view.bytes[view.at + i]!;
    entry.length = view.length;
  }

  #holds(database: number, bytes: Uint8Array, at: number, length: number): boolean {
    for (let i = 0; i < this.#count; i += 1) {
      const entry = this.#pool[i]!;
      if (entry.database !== database || entry.length !== length) continue;
      let same = 0;
      while (same < length && entry.key[same] === bytes[at + same]) same += 1;
      if (same === length) return true;
    }
    return false;
  }

  #evict(keyspace: Keyspace, database: number, ref: Ref): number {
    const store = this.#store;
    const before = store.memory.usedBytes;
    const { bytes, at, length } = keyspace.key(ref);
    keyspace.removeRef(ref, KeyFate.evicted);
    store.stats.evicted += 1;
    // The freed cell keeps the key's bytes until something is written.
    store.events.evicted(database, bytes, at, length);
    return before - store.memory.usedBytes;
  }
}

function isVolatileOnly(policy: EvictionPolicy): boolean {
  return policy.startsWith('volatile');
}
