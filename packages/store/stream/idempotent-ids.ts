/**
 * Idempotent ids that producers gave with entries (XADD IDMP), and the ids of those entries: a producer that sends an
 * entry again gets the id of the first one.
 *
 * An id is forgotten when it is older than the stream's duration, by the milliseconds of the entry's id, or when the
 * producer has more than the maximum. Expired ids are removed when the next entry is added, so that no timer is needed;
 * look-ups and counts ignore them before that.
 */

import type { Steps } from '#base';
import type { MemoryTally } from './memory-tally.ts';
import type { StreamId } from './stream-id.ts';

const WORD = 2 ** 32;
const MS_PER_SECOND = 1_000;
/** Bytes that Node keeps for a producer, and for an idempotent id, without their names (measured). */
const PRODUCER_OVERHEAD_BYTES = 330;
const ID_OVERHEAD_BYTES = 170;

/** Limits of idempotent ids. */
export interface IdempotencyLimits {
  /** Seconds for which an idempotent id is remembered. */
  readonly durationSeconds: number;
  /** Maximum number of idempotent ids of one producer. */
  readonly maxSize: number;
}

/** Limits of streams for which nothing else was set. */
export const IDEMPOTENCY_STANDARD: IdempotencyLimits = { durationSeconds: 100, maxSize: 100 };

/** A key with its value, between those that were added before and after it. */
interface Aged<Value> {
  readonly key: string;
  value: Value;
  older: Aged<Value> | undefined;
  younger: Aged<Value> | undefined;
}

/**
 * A map that knows its oldest key. The order of a JavaScript map does not serve: a new iterator passes over the holes of
 * removed keys, and one that is kept keeps the tables of the past.
 */
class AgedMap<Value> {
  readonly #byKey = new Map<string, Aged<Value>>();
  #oldest: Aged<Value> | undefined;
  #youngest: Aged<Value> | undefined;

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): Value | undefined {
    return this.#byKey.get(key)?.value;
  }

  /** The key that was added first; undefined if there is none. */
  get oldest(): string | undefined {
    return this.#oldest?.key;
  }

  /** Adds a key as the youngest, also one that is there. */
  add(key: string, value: Value): void {
    let aged = this.#byKey.get(key);
    if (aged === undefined) {
      aged = { key, value, older: undefined, younger: undefined };
      this.#byKey.set(key, aged);
    } else {
      this.#unlink(aged);
      aged.value = value;
    }
    aged.older = this.#youngest;
    aged.younger = undefined;
    if (this.#youngest === undefined) this.#oldest = aged;
    else this.#youngest.younger = aged;
    this.#youngest = aged;
  }

  delete(key: string): void {
    const aged = this.#byKey.get(key);
    if (aged === undefined) return;
    this.#byKey.delete(key);
    this.#unlink(aged);
  }

  /** All keys and values, the oldest first; the current one may be deleted. */
  *entries(): IterableIterator<[string, Value]> {
    for (let aged = this.#oldest; aged !== undefined;) {
      const { key, value, younger } = aged;
      yield [key, value];
      aged = younger;
    }
  }

  #unlink({ older, younger }: Aged<Value>): void {
    if (older === undefined) this.#oldest = younger;
    else older.younger = younger;
    if (younger === undefined) this.#youngest = older;
    else younger.older = older;
  }
}

/** Idempotent ids of one producer, with the ids of their entries. */
type ProducerIds = AgedMap<StreamId>;

export class IdempotentIds {
  limits: IdempotencyLimits;
  /** Number of entries that came with an idempotent id. */
  added = 0;
  /** Number of entries that were not added, as their idempotent id was known. */
  duplicates = 0;
  readonly #tally: MemoryTally;
  /** Producers by name, the one that added an id last at the end; undefined until there is one. */
  #producers: AgedMap<ProducerIds> | undefined;

  constructor(tally: MemoryTally, limits: IdempotencyLimits) {
    this.#tally = tally;
    this.limits = limits;
  }

  /** True when nothing distinguishes the stream from one that never had an idempotent id. */
  get isUnused(): boolean {
    const { durationSeconds, maxSize } = this.limits;
    return (
      this.producerCount === 0 &&
      this.added === 0 &&
      this.duplicates === 0 &&
      durationSeconds === IDEMPOTENCY_STANDARD.durationSeconds &&
      maxSize === IDEMPOTENCY_STANDARD.maxSize
    );
  }

  /** Returns the id of the entry that a producer has added under an idempotent id; undefined if it is not known. */
  find(producer: string, idempotentId: string, nowMs: number): StreamId | undefined {
    const id = this.#producers?.get(producer)?.get(idempotentId);
    return id === undefined || this.#hasExpired(id, nowMs) ? undefined : id;
  }

  /** Remembers the idempotent id of an entry that was added, and counts the entry. */
  remember(producer: string, idempotentId: string, id: StreamId): void {
    this.#add(producer, idempotentId, id);
    this.added += 1;
  }

  /** Remembers an idempotent id as it was stored. */
  restore(producer: string, idempotentId: string, id: StreamId): void {
    this.#add(producer, idempotentId, id);
  }

  /** Removes what has expired of a producer, and producers of which all has expired, the longest silent ones first. */
  expire(producer: string, nowMs: number): void {
    const producers = this.#producers;
    if (producers === undefined) return;
    const own = producers.get(producer);
    if (own !== undefined) this.#expireIds(producers, producer, nowMs);
    for (let name = producers.oldest; name !== undefined; name = producers.oldest) {
      if (!this.#expireIds(producers, name, nowMs)) return;
    }
  }

  /** Numbers of producers and of idempotent ids that have not expired. */
  counts(nowMs: number): { producers: number; ids: number } {
    let producers = 0;
    let count = 0;
    for (const [, ids] of this.each()) {
      let live = ids.size;
      for (const [, id] of ids.entries()) {
        if (!this.#hasExpired(id, nowMs)) break;
        live -= 1;
      }
      count += live;
      if (live > 0) producers += 1;
    }
    return { producers, ids: count };
  }

  /** All producers with their ids, the oldest first. */
  *each(): IterableIterator<[producer: string, ids: ReadonlyIds]> {
    if (this.#producers !== undefined) yield* this.#producers.entries();
  }

  get producerCount(): number {
    return this.#producers?.size ?? 0;
  }

  /** Adds all ids of others, and takes over their counts; there are none here. */
  *copyFrom(other: IdempotentIds): Steps<void> {
    this.added = other.added;
    this.duplicates = other.duplicates;
    for (const [name, ids] of other.each()) {
      for (const [idempotentId, id] of ids.entries()) this.#add(name, idempotentId, id);
      yield;
    }
  }

  /** Forgets all ids; the counts stay. */
  clear(): void {
    for (const [name, ids] of this.#producers?.entries() ?? []) {
      for (const [idempotentId] of ids.entries()) this.#remove(ids, idempotentId);
      this.#dropProducer(name);
    }
  }

  /** Adds an id, in place of an earlier one; the producer's oldest goes if it has too many. */
  #add(producer: string, idempotentId: string, id: StreamId): void {
    const producers = (this.#producers ??= new AgedMap<ProducerIds>());
    const ids = producers.get(producer) ?? this.#newProducer(producer);
    // The producer is the youngest now.
    producers.add(producer, ids);
    this.#remove(ids, idempotentId);
    ids.add(idempotentId, id.copy());
    this.#tally.add(ID_OVERHEAD_BYTES + idempotentId.length);
    while (ids.size > this.limits.maxSize) this.#remove(ids, ids.oldest!);
  }

  #newProducer(name: string): ProducerIds {
    this.#tally.add(PRODUCER_OVERHEAD_BYTES + name.length);
    return new AgedMap<StreamId>();
  }

  #dropProducer(name: string): void {
    this.#producers?.delete(name);
    this.#tally.add(-(PRODUCER_OVERHEAD_BYTES + name.length));
  }

  /** Removes the expired ids of a producer; returns true if none is left, and the producer is removed. */
  #expireIds(producers: AgedMap<ProducerIds>, name: string, nowMs: number): boolean {
    const ids = producers.get(name)!;
    for (let oldest = ids.oldest; oldest !== undefined; oldest = ids.oldest) {
      if (!this.#hasExpired(ids.get(oldest)!, nowMs)) return false;
      this.#remove(ids, oldest);
    }
    this.#dropProducer(name);
    return true;
  }

  #remove(ids: ProducerIds, idempotentId: string): void {
    if (ids.get(idempotentId) === undefined) return;
    ids.delete(idempotentId);
    this.#tally.add(-(ID_OVERHEAD_BYTES + idempotentId.length));
  }

  #hasExpired({ msHigh, msLow }: StreamId, nowMs: number): boolean {
    const ms = (msHigh >>> 0) * WORD + (msLow >>> 0);
    return ms <= nowMs - this.limits.durationSeconds * MS_PER_SECOND;
  }
}

interface ReadonlyIds {
  readonly size: number;
  entries(): IterableIterator<[idempotentId: string, id: StreamId]>;
}
