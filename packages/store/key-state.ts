/**
 * A key as it stands, as bytes: in snapshots, and in the log where a command alone would not do.
 *
 *   u32 bytes of all this, u8 type, u8 encoding and flags, u16 database, u32 bytes of the key,
 *   u24 access, u8 owner, f64 expiry (Unix milliseconds, -1 = none), key, value
 *
 * In the place of a state may stand what `writeEffect` was given: a command instead of what it makes of a key.
 * The value is the store's own representation: the encodings of `encodings.ts`, objects as their codec makes them.
 */
import { assert, copyInSteps, finish, type Bytes, type Steps } from '#base';
import type { Keyspace } from './keyspace.ts';
import { LOOK_AHEAD_MAX } from './look-ahead.ts';
import type { Ref } from './segment.ts';
import type { Store } from './store.ts';
import { codecAt, codecOf, type Encoded } from './value-codec.ts';

export const KEY_STATE_HEADER_BYTES = 24;

const ENCODING = 15;
/** The key is not there. */
const ABSENT = 32;
/** No state, but a record with a command. */
const EFFECT = 64;
/** The value's bytes are what the codec of its type and encoding makes of an object. */
const OBJECT = 128;

/** A key's state in parts; `type` 0 means that the key is not there. */
export interface StateCopy {
  readonly database: number;
  readonly key: Bytes;
  readonly type: number;
  readonly encoding: number;
  readonly access: number;
  /** Unix milliseconds, or -1. */
  readonly expireAt: number;
  /** The value, where it is no object. */
  readonly value: Bytes;
  readonly object: unknown;
}

/** Bytes that grow as states are written into them. */
export class KeyStateWriter {
  #bytes: Bytes;
  #view: DataView;
  readonly #begin: number;
  /** Where the next state goes. */
  length: number;
  count = 0;

  /** The states begin behind room for something else. */
  constructor(byteCount = 4_096, begin = 0) {
    this.#bytes = new Uint8Array(byteCount);
    this.#view = new DataView(this.#bytes.buffer);
    this.#begin = begin;
    this.length = begin;
  }

  /**
   * The state of a record. `database` is the one that it is written under. Of a value whose bytes are at hand
   * nothing is written: they are to follow, and no other state.
   */
  write(keyspace: Keyspace, ref: Ref, database: number, owner = 0, atHand?: Bytes): void {
    const key = keyspace.key(ref);
    const keyLength = key.length;
    const isObject = keyspace.isObject(ref);
    const form =
      isObject && atHand === undefined
        ? finish(codecAt(keyspace, ref).encode(keyspace.object(ref)))
        : undefined;
    const valueLength = atHand?.length ?? form?.byteCount ?? keyspace.length(ref);
    const flags = keyspace.encoding(ref) | (isObject ? OBJECT : 0);
    const at = this.#head(keyLength, valueLength, atHand !== undefined);
    const view = this.#view;
    view.setUint8(at + 4, keyspace.type(ref));
    view.setUint8(at + 5, flags);
    view.setUint16(at + 6, database, true);
    view.setUint32(at + 12, keyspace.access(ref) | (owner << 24), true);
    view.setFloat64(at + 16, keyspace.expireAt(ref), true);
    const keyAt = at + KEY_STATE_HEADER_BYTES;
    const again = keyspace.key(ref);
    this.#put(keyAt, again.bytes, again.at, keyLength);
    if (atHand !== undefined) return;
    if (form !== undefined) {
      finish(form.write(this.#bytes, keyAt + keyLength));
    } else {
      const value = keyspace.value(ref);
      this.#put(keyAt + keyLength, value.bytes, value.at, valueLength);
    }
  }

  /** That a key is not there. */
  writeAbsent(key: Bytes, database: number, owner = 0): void {
    this.#writeNoState(ABSENT, key, NOTHING, database, owner);
  }

  /** A command that does what was done to a key, as a record of the log. With a key, only where that is there. */
  writeEffect(record: Bytes, database: number, owner: number, key = NOTHING): void {
    this.#writeNoState(EFFECT, key, record, database, owner);
  }

  #writeNoState(flag: number, key: Bytes, body: Bytes, database: number, owner: number): void {
    const at = this.#head(key.length, body.length);
    this.#view.setUint8(at + 4, 0);
    this.#view.setUint8(at + 5, flag);
    this.#view.setUint16(at + 6, database, true);
    this.#view.setUint32(at + 12, owner << 24, true);
    this.#view.setFloat64(at + 16, -1, true);
    this.#put(at + KEY_STATE_HEADER_BYTES, key, 0, key.length);
    this.#put(at + KEY_STATE_HEADER_BYTES + key.length, body, 0, body.length);
  }

  /** The state of a key, whether it is there or not. An expired one is not. */
  writeKey(keyspace: Keyspace, key: Bytes, database: number, owner = 0, atHand?: Bytes): void {
    const ref = keyspace.peek(key, 0, key.length);
    if (ref === 0) this.writeAbsent(key, database, owner);
    else this.write(keyspace, ref, database, owner, atHand);
  }

  /**
   * A state that is at hand in parts; without a type, that the key is not there. Of a value that is to `follow` only
   * the size is written.
   */
  writeCopy(copy: StateCopy, owner: number, follow?: Encoded): void {
    const { key, value, object, database } = copy;
    if (copy.type === 0) {
      this.writeAbsent(key, database, owner);
      return;
    }
    const isObject = object !== undefined;
    const form = isObject
      ? (follow ?? finish(codecOf(copy.type, copy.encoding).encode(object)))
      : follow;
    const at = this.#head(key.length, form?.byteCount ?? value.length, follow !== undefined);
    const view = this.#view;
    view.setUint8(at + 4, copy.type);
    view.setUint8(at + 5, copy.encoding | (isObject ? OBJECT : 0));
    view.setUint16(at + 6, database, true);
    view.setUint32(at + 12, copy.access | (owner << 24), true);
    view.setFloat64(at + 16, copy.expireAt, true);
    const valueAt = at + KEY_STATE_HEADER_BYTES + key.length;
    this.#put(at + KEY_STATE_HEADER_BYTES, key, 0, key.length);
    if (follow !== undefined) return;
    if (form === undefined) this.#put(valueAt, value, 0, value.length);
    else finish(form.write(this.#bytes, valueAt));
  }

  /** What was written, as a view that is good until the next is written. */
  get written(): Bytes {
    return this.#bytes.subarray(this.#begin, this.length);
  }

  /** What was written with the room before it; memory that is the taker's. */
  get record(): Bytes {
    const { length } = this;
    return length === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, length);
  }

  /** Forgets what was written. */
  clear(): void {
    this.length = this.#begin;
    this.count = 0;
  }

  /** What was written, in memory that is the taker's; the writer begins anew. */
  take(): Bytes {
    const bytes = this.written.slice();
    this.clear();
    return bytes;
  }

  #head(keyLength: number, valueLength: number, isElsewhere = false): number {
    const at = this.length;
    const size = KEY_STATE_HEADER_BYTES + keyLength + valueLength;
    const end = at + (isElsewhere ? size - valueLength : size);
    if (end > this.#bytes.length) this.#grow(end);
    this.#view.setUint32(at, size, true);
    this.#view.setUint32(at + 8, keyLength, true);
    this.length = end;
    this.count += 1;
    return at;
  }

  #put(to: number, source: Bytes, from: number, length: number): void {
    const bytes = this.#bytes;
    if (length > BYTE_LOOP_MAX) {
      bytes.set(source.subarray(from, from + length), to);
      return;
    }
    for (let nth = 0; nth < length; nth += 1) bytes[to + nth] = source[from + nth]!;
  }

  #grow(byteCount: number): void {
    const grown = new Uint8Array(Math.max(byteCount, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/**
 * The state of a record whose value is long, in memory of its own. The record is read with the first step; its value
 * must stay as it is up to the last.
 */
export function* longState(keyspace: Keyspace, ref: Ref, database: number): Steps<Bytes> {
  const key = keyspace.key(ref);
  const copy = {
    ...{ database, key: key.bytes.slice(key.at, key.at + key.length) },
    ...{ type: keyspace.type(ref), encoding: keyspace.encoding(ref) },
    ...{ access: keyspace.access(ref), expireAt: keyspace.expireAt(ref) },
    ...{ value: NOTHING, object: keyspace.object(ref) },
  };
  const form = yield* formOf(keyspace, ref);
  const headBytes = KEY_STATE_HEADER_BYTES + copy.key.length;
  const writer = new KeyStateWriter(headBytes);
  writer.writeCopy(copy, 0, form);
  const state = new Uint8Array(headBytes + form.byteCount);
  state.set(writer.written);
  yield* form.write(state, headBytes);
  return state;
}

function* formOf(keyspace: Keyspace, ref: Ref): Steps<Encoded> {
  if (keyspace.isObject(ref)) return yield* codecAt(keyspace, ref).encode(keyspace.object(ref));
  const { bytes, at, length } = keyspace.value(ref);
  const value = bytes.subarray(at, at + length);
  return { byteCount: length, write: (target, to) => copyInSteps(value, target, to) };
}

const NOTHING: Bytes = new Uint8Array(0);

/** Below this a loop is faster than `set` with a view of its own. */
const BYTE_LOOP_MAX = 96;

/** Makes keys in the store what their states say; answers how many they are. */
export function installStates(store: Store, bytes: Bytes): number {
  const { lookAhead } = store;
  const states = new KeyStateReader(bytes);
  const ahead = new KeyStateReader(bytes);
  let count = 0;
  try {
    for (;;) {
      lookAhead.begin();
      while (lookAhead.left < LOOK_AHEAD_MAX && ahead.next()) {
        lookAhead.add(ahead.database, bytes, ahead.keyAt, ahead.keyLength);
      }
      if (lookAhead.left === 0) return count;
      lookAhead.read(bytes);
      while (lookAhead.left > 0) {
        states.next();
        lookAhead.take(bytes);
        states.install(store);
        count += 1;
      }
    }
  } finally {
    lookAhead.end();
  }
}

/** Reads states one after the other out of bytes that whoever wrote them has vouched for. */
export class KeyStateReader {
  readonly #bytes: Bytes;
  readonly #view: DataView;
  readonly #end: number;
  #next: number;
  #at = 0;

  constructor(bytes: Bytes, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#next = at;
    this.#end = end;
  }

  /** Steps to the next state; false at the end. */
  next(): boolean {
    if (this.#next >= this.#end) return false;
    this.#at = this.#next;
    const size = this.#view.getUint32(this.#at, true);
    assert(
      size >= KEY_STATE_HEADER_BYTES + this.keyLength && this.#at + size <= this.#end,
      'a key state lies inside its record',
    );
    this.#next = this.#at + size;
    return true;
  }

  get isAbsent(): boolean {
    return (this.#view.getUint8(this.#at + 5) & ABSENT) !== 0;
  }

  /** The record of a command in the place of a state, in memory of its own; undefined where it is a state. */
  get effect(): Bytes | undefined {
    if ((this.#view.getUint8(this.#at + 5) & EFFECT) === 0) return undefined;
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
    return this.#at + KEY_STATE_HEADER_BYTES;
  }

  /** A copy of the key. */
  get key(): Bytes {
    return this.#bytes.slice(this.keyAt, this.keyAt + this.keyLength);
  }

  /** The bytes of the whole state, as a view. */
  get whole(): Bytes {
    return this.#bytes.subarray(this.#at, this.#next);
  }

  /** Makes the key in the store what the state says. */
  install(store: Store): void {
    const bytes = this.#bytes;
    const view = this.#view;
    const at = this.#at;
    const keyspace = store.databases[this.database];
    assert(keyspace !== undefined, 'the database of a key exists');
    const { keyAt, keyLength } = this;
    if (this.isAbsent) {
      const ref = keyspace.lookUp(bytes, keyLength, keyAt);
      if (ref !== 0) keyspace.takeOut(ref);
      return;
    }
    const type = view.getUint8(at + 4);
    const flags = view.getUint8(at + 5);
    const encoding = flags & ENCODING;
    const expireAt = view.getFloat64(at + 16, true);
    const valueAt = keyAt + keyLength;
    const length = this.#next - valueAt;
    let ref: Ref;
    if ((flags & OBJECT) === 0) {
      // prettier-ignore
      ref = keyspace.set(
        bytes, keyAt, keyLength, bytes, valueAt, length, false, type, encoding, expireAt);
    } else {
      const codec = codecOf(type, encoding);
      const object = finish(codec.decode(bytes.subarray(valueAt, valueAt + length)));
      const size = codec.bytesOf(object);
      ref = keyspace.setObject(bytes, keyAt, keyLength, type, encoding, object, size);
      if (expireAt >= 0) ref = keyspace.setExpireAt(ref, expireAt);
    }
    keyspace.setAccess(ref, view.getUint32(at + 12, true));
  }
}
