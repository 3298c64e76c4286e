/** Reads what key-state.ts writes. */

import { assert, type Bytes, finish, joined, type Pieces } from '#base';
import { KEY_STATE_HEADER_BYTES, LONG_SIZE_BYTES, StateFlag } from './key-state.ts';
import { LOOK_AHEAD_MAX, type KeyPrefetch } from '../prefetch/prefetch.ts';
import type { Ref } from '../memory/segment.ts';
import type { Databases } from '../keyspace/databases.ts';
import { codecOf } from '../values/codecs.ts';
import { setOptions } from '../keyspace/set-options.ts';
import { Span, valueScratch } from '../values/span.ts';

const NO_PIECES: Pieces = [];

/** Databases whose keys can be looked up ahead. */
export interface InstallTarget extends Databases {
  readonly keyPrefetch: KeyPrefetch;
}

/** Installs keys from their states, which continue in `rest`; returns their number. */
export function installStates(store: InstallTarget, bytes: Bytes, rest: Pieces = []): number {
  const { keyPrefetch } = store;
  const states = new KeyStateReader(bytes, 0, bytes.length, rest);
  if (rest.length > 0) return installAll(store, states);
  const ahead = new KeyStateReader(bytes);
  let count = 0;
  try {
    for (;;) {
      keyPrefetch.begin();
      while (keyPrefetch.left < LOOK_AHEAD_MAX && ahead.next()) {
        keyPrefetch.add(ahead.database, bytes, ahead.keyAt, ahead.keyLength);
      }
      if (keyPrefetch.left === 0) return count;
      keyPrefetch.read(bytes);
      while (keyPrefetch.left > 0) {
        states.next();
        keyPrefetch.take(bytes);
        states.install(store);
        count += 1;
      }
    }
  } finally {
    keyPrefetch.end();
  }
}

function installAll(store: Databases, states: KeyStateReader): number {
  let count = 0;
  while (states.next()) {
    states.install(store);
    count += 1;
  }
  return count;
}

/** Reads consecutive states from bytes of a trusted writer. */
export class KeyStateReader {
  #bytes: Bytes;
  #view: DataView;
  #end: number;
  #next: number;
  #at = 0;
  /** Pieces behind the one at hand, and how many of them are read. */
  readonly #rest: Pieces;
  #read = 0;
  /** Further pieces of the value of the current state. */
  #following: Pieces = [];

  constructor(bytes: Bytes, at = 0, end = bytes.length, rest: Pieces = []) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#next = at;
    this.#end = end;
    this.#rest = rest;
  }

  /** Steps to the next state; false at the end. */
  next(): boolean {
    this.#following = NO_PIECES;
    if (this.#next >= this.#end && !this.#goOn()) return false;
    this.#at = this.#next;
    const size = this.#size;
    assert(
      size >= KEY_STATE_HEADER_BYTES + this.keyLength && this.keyAt + this.keyLength <= this.#end,
      'a key state lies inside its record',
    );
    this.#next = this.#at + size;
    if (this.#next > this.#end) this.#follow(this.#next - this.#end);
    return true;
  }

  #goOn(): boolean {
    const bytes = this.#rest[this.#read];
    if (bytes === undefined) return false;
    this.#read += 1;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#next = 0;
    this.#end = bytes.length;
    return true;
  }

  /** Takes `byteCount` bytes of the value from the next pieces. */
  #follow(byteCount: number): void {
    const first = this.#read;
    let left = byteCount;
    while (left > 0 && this.#read < this.#rest.length) {
      left -= this.#rest[this.#read]!.length;
      this.#read += 1;
    }
    assert(left === 0, 'a key state lies inside its record');
    this.#following = this.#rest.slice(first, this.#read);
    this.#next = this.#end;
  }

  get #size(): number {
    if (!this.#isLong) return this.#view.getUint32(this.#at, true);
    return this.#view.getFloat64(this.#at + KEY_STATE_HEADER_BYTES, true);
  }

  get #isLong(): boolean {
    return (this.#view.getUint8(this.#at + 5) & StateFlag.longSize) !== 0;
  }

  get isAbsent(): boolean {
    return (this.#view.getUint8(this.#at + 5) & StateFlag.absent) !== 0;
  }

  /** The record of a command in the place of a state, in its own memory; undefined where it is a state. */
  get effect(): Bytes | undefined {
    if ((this.#view.getUint8(this.#at + 5) & StateFlag.effect) === 0) return undefined;
    return new Uint8Array(this.#bytes.subarray(this.keyAt + this.keyLength, this.#next));
  }

  get database(): number {
    return this.#view.getUint16(this.#at + 6, true);
  }

  get owner(): number {
    return this.#view.getUint8(this.#at + 15);
  }

  get keyLength(): number {
    return this.#view.getUint32(this.#at + 8, true);
  }

  get keyAt(): number {
    return this.#at + KEY_STATE_HEADER_BYTES + (this.#isLong ? LONG_SIZE_BYTES : 0);
  }

  /** A copy of the key. */
  get key(): Bytes {
    return this.#bytes.slice(this.keyAt, this.keyAt + this.keyLength);
  }

  /** The bytes of the whole state, as a view. */
  get whole(): Bytes {
    return this.#bytes.subarray(this.#at, this.#next);
  }

  /** Stores the key in the state that was read. */
  install(store: Databases): void {
    const bytes = this.#bytes;
    const view = this.#view;
    const at = this.#at;
    const keyspace = store.databaseOfKeys(this.database);
    const { keyAt, keyLength } = this;
    if (this.isAbsent) {
      const ref = keyspace.lookUp(bytes, keyLength, keyAt);
      if (ref !== 0) keyspace.takeOut(ref);
      return;
    }
    const type = view.getUint8(at + 4);
    const flags = view.getUint8(at + 5);
    const encoding = flags & StateFlag.encoding;
    const expireAt = view.getFloat64(at + 16, true);
    const valueAt = keyAt + keyLength;
    const length = this.#next - valueAt;
    let ref: Ref;
    const following = this.#following;
    const key = new Span(bytes, keyAt, keyLength);
    // A value in pieces is joined in newly allocated memory.
    const options = setOptions({ type, encoding, expireAt, isGiven: following.length > 0 });
    if ((flags & StateFlag.object) !== 0) {
      const codec = codecOf(type, encoding);
      const value = [bytes.subarray(valueAt, valueAt + length), ...following];
      const object = finish(codec.decode(value));
      const size = codec.bytesOf(object);
      ref = keyspace.setObject(key, object, size, options);
    } else if (following.length > 0) {
      const value = joined([bytes.subarray(valueAt, valueAt + length), ...following]);
      ref = keyspace.set(key, valueScratch.all(value), options);
    } else {
      ref = keyspace.set(key, valueScratch.point(bytes, valueAt, length), options);
    }
    keyspace.setAccess(ref, view.getUint32(at + 12, true));
  }
}
