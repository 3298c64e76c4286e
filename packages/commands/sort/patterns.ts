/** Values to which the patterns of SORT refer. */

import { type Bytes, copyBytes, reused } from '#base';
import { HashValue, type Ref, ValueType } from '#store';
import type { ShardContext } from '../contexts/contexts.ts';
import type { Pattern } from './request.ts';
import type { Texts } from '../elements/texts.ts';

const KEY_BYTES_USUAL = 64;
const NO_BYTES: Bytes = new Uint8Array(0);
const NO_LIMITS = { entries: Infinity, valueBytes: Infinity };
const hashScratch = reused(new HashValue());

/** One pattern, which finds the values of elements one by one. */
export class PatternReader {
  /** Value that was found last: good until the next call that may write to the store. */
  bytes: Bytes = NO_BYTES;
  at = 0;
  length = 0;
  readonly #context: ShardContext;
  readonly #pattern: Pattern;
  #key: Bytes = new Uint8Array(KEY_BYTES_USUAL);

  constructor(context: ShardContext, pattern: Pattern) {
    this.#context = context;
    this.#pattern = pattern;
    const { around } = pattern;
    if (around !== undefined) this.#reserve(around.before.length);
  }

  /** Finds the value for an element; false where there is none. */
  find(elements: Texts, nth: number): boolean {
    const { isElement, around, field } = this.#pattern;
    if (isElement) return this.#point(elements.bytes, elements.at(nth), elements.length(nth));
    if (around === undefined) return false;
    const context = this.#context;
    const length = this.#writeKey(elements, nth);
    const ref = context.keyspace.find(this.#key, 0, length);
    if (context.reportsLookUps) context.lookedUp(this.#key, 0, length, ref !== 0);
    if (ref === 0) {
      context.miss();
      return false;
    }
    context.hit();
    return field === undefined ? this.#readString(ref) : this.#readField(ref, field);
  }

  #readString(ref: Ref): boolean {
    const { keyspace } = this.#context;
    if (keyspace.type(ref) !== ValueType.string) return false;
    const { bytes, at, length } = keyspace.value(ref);
    return this.#point(bytes, at, length);
  }

  #readField(ref: Ref, field: Bytes): boolean {
    const { keyspace, nowMs } = this.#context;
    if (keyspace.type(ref) !== ValueType.hash) return false;
    hashScratch.open(keyspace, ref, NO_LIMITS);
    if (!hashScratch.find(field, 0, field.length)) return false;
    if (hashScratch.mayExpire && hashScratch.hasEnded(nowMs)) return false;
    hashScratch.readValue();
    return this.#point(hashScratch.bytes, hashScratch.at, hashScratch.length);
  }

  /** Writes the key of an element behind what all keys begin with, and returns its length. */
  #writeKey(elements: Texts, nth: number): number {
    const { before, after } = this.#pattern.around!;
    const elementLength = elements.length(nth);
    const afterAt = before.length + elementLength;
    const length = afterAt + after.length;
    if (length > this.#key.length) this.#reserve(2 * length);
    copyBytes(elements.bytes, elements.at(nth), this.#key, before.length, elementLength);
    copyBytes(after, 0, this.#key, afterAt, after.length);
    return length;
  }

  #reserve(length: number): void {
    const { before } = this.#pattern.around!;
    if (length > this.#key.length) this.#key = new Uint8Array(length);
    this.#key.set(before);
  }

  #point(bytes: Bytes, at: number, length: number): true {
    this.bytes = bytes;
    this.at = at;
    this.length = length;
    return true;
  }
}
