/**
 * The latest removed keys of one shard: key, reason, time and client. Ids come from one counter of the process, so the
 * latest of all shards together are those with an id within the last `lengthMax`. Memory is fixed: each entry keeps at
 * most `REMOVED_KEY_BYTES_MAX` bytes of a key.
 */

import { type Bytes, copyBytes, crc64, KeyFate, sameBytes } from '#base';
import type { SlowClient } from '../slow-log/slow-log.ts';
import { shardCall } from '../calls/shard-calls.ts';

/** Bytes that are kept of a key. */
export const REMOVED_KEY_BYTES_MAX = 128;

/** Removal of a key, without the key itself. */
export interface RemovedKeyHead {
  readonly unixMs: number;
  readonly database: number;
  /** A number of KeyFate. */
  readonly fate: number;
  /** The id of the command that was run, or -1 when the shard did it by itself. */
  readonly command: number;
  /** Client that sent that command. */
  readonly client: SlowClient | null;
  /** Number of removed keys: 1, or all of a flushed database. */
  readonly keys: number;
}

/** A removed key as reports show it. */
export interface RemovedKey extends RemovedKeyHead {
  readonly id: number;
  readonly shard: number;
  /** Its first `REMOVED_KEY_BYTES_MAX` bytes; empty for a database that was emptied. */
  readonly key: Bytes;
  /** Bytes of the whole key. */
  readonly keyBytes: number;
}

interface RemovedKeysQuestion {
  readonly fromId: number;
  readonly count: number;
  /** Only of this key, and of its database when that was emptied. */
  readonly of?: KeyPlace;
}

export interface KeyPlace {
  readonly database: number;
  readonly key: Bytes;
}

/** The newest removed keys with an id of at least `fromId`. */
export const REMOVED_KEYS = shardCall<RemovedKeysQuestion, readonly RemovedKey[]>('removed-keys');

/** Forgets the removed keys with a lower id. */
export const REMOVED_KEYS_RESET = shardCall<{ readonly beforeId: number }, null>(
  'removed-keys-reset',
);

/** A reused place of the ring. */
class Place {
  id = 0;
  unixMs = 0.5;
  database = 0;
  fate = 0;
  command = 0;
  client: SlowClient | null = null;
  keys = 0;
  keyBytes = 0;
  /** Checksum of the whole key, where it was too long to be kept. */
  sum = '';
  readonly key = new Uint8Array(REMOVED_KEY_BYTES_MAX);
}

export class RemovedKeys {
  readonly #shard: number;
  readonly #nextId: () => number;
  #lengthMax = 0;
  /** A ring once it is full; `#oldest` is then where the next one goes. */
  #places: Place[] = [];
  #oldest = 0;

  constructor(shard: number, nextId: () => number) {
    this.#shard = shard;
    this.#nextId = nextId;
  }

  /** Sets how many removals are kept; 0 keeps none. */
  set lengthMax(lengthMax: number) {
    if (lengthMax === this.#lengthMax) return;
    this.#lengthMax = lengthMax;
    this.#keep(lengthMax === 0 ? [] : this.#inOrder().slice(-lengthMax));
  }

  get isOn(): boolean {
    return this.#lengthMax > 0;
  }

  /** The end of one key. */
  add(head: RemovedKeyHead, key: Bytes, at: number, length: number): void {
    const place = this.#next(head);
    place.keyBytes = length;
    const isCut = length > REMOVED_KEY_BYTES_MAX;
    copyBytes(key, at, place.key, 0, isCut ? REMOVED_KEY_BYTES_MAX : length);
    place.sum = isCut ? sumOf(key, at, length) : '';
  }

  /** The end of all keys of a database. */
  addFlush(head: RemovedKeyHead): void {
    const place = this.#next(head);
    place.keyBytes = 0;
    place.sum = '';
  }

  #next(head: RemovedKeyHead): Place {
    const place = this.#place();
    place.id = this.#nextId();
    place.unixMs = head.unixMs;
    place.database = head.database;
    place.fate = head.fate;
    place.command = head.command;
    place.client = head.client;
    place.keys = head.keys;
    return place;
  }

  /** The oldest one's place, or a new one while there is room. */
  #place(): Place {
    if (this.#places.length < this.#lengthMax) {
      const place = new Place();
      this.#places.push(place);
      return place;
    }
    const place = this.#places[this.#oldest]!;
    this.#oldest += 1;
    if (this.#oldest === this.#places.length) this.#oldest = 0;
    return place;
  }

  /** Newest first. */
  newest({ fromId, count, of }: RemovedKeysQuestion): readonly RemovedKey[] {
    const concerns = of === undefined ? () => true : concernedBy(of);
    const places = this.#inOrder().filter((place) => place.id >= fromId && concerns(place));
    return places
      .slice(Math.max(0, places.length - count))
      .reverse()
      .map((place) => shown(place, this.#shard));
  }

  /** Forgets those with a lower id. */
  reset(beforeId: number): void {
    this.#keep(this.#inOrder().filter(({ id }) => id >= beforeId));
  }

  #inOrder(): readonly Place[] {
    return [...this.#places.slice(this.#oldest), ...this.#places.slice(0, this.#oldest)];
  }

  #keep(places: readonly Place[]): void {
    this.#places = [...places];
    this.#oldest = 0;
  }
}

/**
 * Returns a test that is true for removals of this key; a long key is known by its beginning, its length and its
 * checksum.
 */
function concernedBy({ database, key }: KeyPlace): (place: Place) => boolean {
  const kept = Math.min(key.length, REMOVED_KEY_BYTES_MAX);
  const sum = key.length > kept ? sumOf(key, 0, key.length) : '';
  return (place) =>
    place.database === database &&
    (place.fate === KeyFate.flushed ||
      (place.keyBytes === key.length &&
        place.sum === sum &&
        sameBytes(place.key, 0, key, 0, kept)));
}

function sumOf(key: Bytes, at: number, length: number): string {
  const { high, low } = crc64(key, at, length);
  return `${high}:${low}`;
}

function shown(place: Place, shard: number): RemovedKey {
  const { id, unixMs, database, fate, command, client, keys, keyBytes } = place;
  const key = place.key.slice(0, Math.min(keyBytes, REMOVED_KEY_BYTES_MAX));
  return { id, shard, unixMs, database, fate, command, client, keys, keyBytes, key };
}
