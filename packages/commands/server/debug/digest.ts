/**
 * Digest of keys and values that does not depend on their order. The hashes of keys are combined by exclusive or, so
 * that shards can compute their part separately. It distinguishes different data, but is not cryptographically secure.
 */

import type { Bytes } from '#base';
import type { Keyspace, Ref } from '#store';
import { eachElement } from './elements.ts';

/** 160 bits, as DEBUG DIGEST shows them. */
const LANES = 5;
/** Odd constants that make the lanes differ. */
const SEEDS = [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f, 0x1656_67b1];

export class Digest {
  readonly lanes: number[] = new Array<number>(LANES).fill(0);
  readonly #current = new Int32Array(LANES);

  /** Adds a key of a database with its type and value; when it expires is left out. */
  addKey(keyspace: Keyspace, ref: Ref, database: number): void {
    this.#begin(database);
    const key = keyspace.key(ref);
    this.#mix(key.bytes, key.at, key.length);
    this.#addValue(keyspace, ref);
  }

  /** Adds type and value of a key without its name. */
  addValue(keyspace: Keyspace, ref: Ref): void {
    this.#begin(0);
    this.#addValue(keyspace, ref);
  }

  /** Combines with the lanes of another digest. */
  addLanes(lanes: readonly number[]): void {
    for (let lane = 0; lane < LANES; lane += 1) this.lanes[lane]! ^= lanes[lane]!;
  }

  toString(): string {
    return this.lanes.map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #addValue(keyspace: Keyspace, ref: Ref): void {
    this.#mixWord(keyspace.type(ref));
    if (!this.#addElements(keyspace, ref)) {
      const value = keyspace.value(ref);
      this.#mix(value.bytes, value.at, value.length);
    }
    this.#end();
  }

  /** Adds elements of types without order; returns false for other types. */
  #addElements(keyspace: Keyspace, ref: Ref): boolean {
    const elements = new Digest();
    const isKnown = eachElement(keyspace, ref, (pieces) => {
      elements.#begin(pieces.length);
      for (const piece of pieces) elements.#mix(piece, 0, piece.length);
      elements.#end();
    });
    if (isKnown) for (const lane of elements.lanes) this.#mixWord(lane);
    return isKnown;
  }

  #begin(word: number): void {
    this.#current.set(SEEDS);
    this.#mixWord(word);
  }

  /** The length goes in first, so that no two values run into each other alike. */
  #mix(bytes: Bytes, at: number, length: number): void {
    this.#mixWord(length);
    for (let index = at; index < at + length; index += 1) this.#mixWord(bytes[index]!);
  }

  #mixWord(word: number): void {
    const current = this.#current;
    for (let lane = 0; lane < LANES; lane += 1) {
      const mixed = Math.imul(current[lane]! ^ word, SEEDS[lane]!);
      current[lane] = mixed ^ (mixed >>> 15);
    }
  }

  #end(): void {
    const current = this.#current;
    for (let lane = 0; lane < LANES; lane += 1) {
      let final = Math.imul(current[lane]! ^ (current[lane]! >>> 16), 0x7feb_352d);
      final = Math.imul(final ^ (final >>> 15), 0x846c_a68b);
      this.lanes[lane]! ^= final ^ (final >>> 16);
    }
  }
}
