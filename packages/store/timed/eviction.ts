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
import type { Keyspace } from '../keyspace/keyspace.ts';
import { EVICTION_POOL_ENTRIES, EVICTION_POOL_KEY_BYTES } from '../memory/limits.ts';
import { maySpill, spill } from './spill.ts';
import type { Databases } from '../keyspace/databases.ts';

const FREQUENCY_MAX = 255;
/** Returned instead of a number of freed bytes: there is a value to spill, but the disk has no room for it yet. */
export const SPILL_BUSY = -1;
/** Result of a search in progress: keys are being checked one after another for a value to spill. */
export const SPILL_SEARCHING = -2;
/** Result without a candidate: no value can be spilled here, but another shard may still spill. */
export const SPILL_ELSEWHERE = -3;
/** Keys looked at to find one whose value is in memory, for each sample that is wanted: most are warm. */
const SPILL_TRIES = 24;
/** Samples without any value to spill, behind which all keys are searched for one. */
const SPILL_ROUNDS = 4;
/** Keys looked at in one step of a search: some tens of microseconds. */
const SEARCH_KEYS = 1_000;
/** Number of keys visited by a search without result for each eviction that it then allows. */
const SEARCHED_PER_EVICTION = 100;
/** From this share of dead bytes on a full tier waits for them to be given back. */
const DEAD_SHARE = 0.25;
/** Share of a new victim in what is known of the last ones. */
const VICTIM_SHARE = 1 / 64;

/** A candidate. Entries are reused, and so are the bytes they keep a key in. */
interface Candidate {
  score: number;
  database: number;
  key: Uint8Array;
  length: number;
}

/** Search of all keys for a value to spill. */
interface Search {
  database: number;
  cursor: number;
  /** Keys looked at since it began. */
  looked: number;
  /** Number of keys that may be evicted before the next search. */
  evictions: number;
}

export class Evictor {
  readonly #store: Databases;
  /** In use up to `#count`, by rising score. */
  readonly #pool: Candidate[] = [];
  #count = 0;
  /** The database whose turn it is under the random policies. */
  #turn = 0;
  /** Candidates have values in memory, which are to be spilled. */
  #isSpilling = false;
  readonly #search: Search = { database: 0, cursor: 0, looked: 0, evictions: 0 };

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
    Object.assign(this.#search, { database: 0, cursor: 0, looked: 0, evictions: 0 });
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
      case 'allkeys-lrm':
      case 'volatile-lrm':
      case 'volatile-lfu':
      case 'volatile-ttl':
        return this.#evictBest();
      case 'tiered-lru':
      case 'tiered-lfu':
        return this.#spillOrEvict();
    }
  }

  /** Spills the value of the coldest key, and evicts none. */
  spillOne(): number {
    const { tier } = this.#store;
    if (!tier.canTakeMore) return 0;
    return tier.isFlowing ? this.#spillBest() : SPILL_BUSY;
  }

  #spillOrEvict(): number {
    const { tier } = this.#store;
    if (tier.canTakeMore) {
      const freed = this.spillOne();
      tier.isExhausted = freed === 0;
      if (freed !== 0) return freed;
      if (tier.othersMaySpill()) return SPILL_ELSEWHERE;
    } else if (tier.deadBytes > tier.extents.byteCount * DEAD_SHARE && !tier.isFailing) {
      return SPILL_BUSY;
    }
    tier.isExhausted = true;
    if (tier.isOn && !tier.evictsWhenFull) return 0;
    this.#choose(false);
    this.#search.evictions -= 1;
    return this.#evictBest();
  }

  #choose(isSpilling: boolean): void {
    if (this.#isSpilling !== isSpilling) this.#count = 0;
    this.#isSpilling = isSpilling;
  }

  /** Spills the coldest of the pool. */
  #spillBest(): number {
    this.#choose(true);
    for (let round = 0; round < SPILL_ROUNDS; round += 1) {
      this.#fill();
      const freed = this.#spillFromPool();
      if (freed !== 0) return freed;
    }
    return this.#search.evictions > 0 ? 0 : this.#searchStep();
  }

  #spillFromPool(): number {
    const store = this.#store;
    while (this.#count > 0) {
      this.#count -= 1;
      const entry = this.#pool[this.#count]!;
      const keyspace = store.databases[entry.database]!;
      const ref = this.#stillBest(keyspace, entry);
      if (ref === 0) continue;
      const before = store.memory.usedBytes;
      const { tier } = store;
      const uses = keyspace.frequency(ref);
      if (spill(keyspace, tier, ref)) {
        tier.victimFrequency += (uses - tier.victimFrequency) * VICTIM_SHARE;
        return Math.max(1, before - store.memory.usedBytes);
      }
      if (!tier.isFlowing) return SPILL_BUSY;
    }
    return 0;
  }

  /**
   * Looks at the next keys, and spills the first value that it finds in memory: where nearly all are warm, chance meets the
   * last ones too seldom to say that there are none. Returns 0 after the last key of the last database.
   */
  #searchStep(): number {
    const search = this.#search;
    const { databases, tier } = this.#store;
    for (let looked = 0; looked < SEARCH_KEYS;) {
      const { database } = search;
      const keyspace = databases[database]!;
      const before = looked;
      search.cursor = keyspace.scan(search.cursor, EVICTION_POOL_ENTRIES, (ref) => {
        looked += 1;
        if (maySpill(keyspace, tier, ref)) this.#offer(keyspace, database, ref);
      });
      search.looked += looked - before;
      const isEnd = search.cursor === 0;
      if (isEnd) search.database = (database + 1) % databases.length;
      const freed = this.#spillFromPool();
      if (freed !== 0) return freed;
      if (!isEnd || search.database !== 0) continue;
      search.evictions = Math.ceil(search.looked / SEARCHED_PER_EVICTION);
      search.looked = 0;
      return 0;
    }
    return SPILL_SEARCHING;
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

  /** Returns the candidate's record, unless it was removed or used since it was sampled. */
  #stillBest(keyspace: Keyspace, entry: Candidate): Ref {
    const ref = keyspace.lookUp(entry.key, entry.length);
    if (ref === 0) return 0;
    if (isVolatileOnly(this.#store.policy) && keyspace.expireAt(ref) < 0) return 0;
    if (this.#isSpilling && !maySpill(keyspace, this.#store.tier, ref)) return 0;
    return this.#score(keyspace, ref) >= entry.score ? ref : 0;
  }

  /** Samples every database; returns how many keys the policy allows to evict there are. */
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
      if (this.#isSpilling) {
        this.#fillWarm(keyspace, database, samples);
        continue;
      }
      for (let i = 0; i < samples; i += 1) {
        const ref = keyspace.randomRef(isVolatile);
        this.#offer(keyspace, database, ref);
      }
    }
    return candidates;
  }

  /** Samples keys whose values are in memory. */
  #fillWarm(keyspace: Keyspace, database: number, samples: number): void {
    let found = 0;
    for (let tries = samples * SPILL_TRIES; tries > 0 && found < samples; tries -= 1) {
      const ref = keyspace.randomRef();
      if (ref === 0 || !maySpill(keyspace, this.#store.tier, ref)) continue;
      found += 1;
      this.#offer(keyspace, database, ref);
    }
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
    store.stats.add('evicted', 1);
    // The freed cell keeps the key's bytes until something is written.
    store.events.evicted(database, bytes, at, length);
    return before - store.memory.usedBytes;
  }
}

function isVolatileOnly(policy: EvictionPolicy): boolean {
  return policy.startsWith('volatile');
}
