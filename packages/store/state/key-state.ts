/**
 * A key as it stands, as bytes: in snapshots, and in the log where a command alone would not do.
 *
 *   u32 bytes of all this, u8 type, u8 encoding and flags, u16 database, u32 bytes of the key,
 *   u24 access, u8 owner, f64 expiry (Unix milliseconds, -1 = none), f64 bytes of all this where 32 bits cannot say
 *   it (the first field is 0 then), key, value
 *
 * A state may lie in several pieces of memory: its head and its key in one, and its value continues in those behind, the
 * last of which it ends with.
 *
 * In the place of a state may stand what `writeEffect` was given: a command instead of what it makes of a key.
 * The value is the store's own representation: the encodings of `encodings.ts`, objects as their codec makes them.
 */
import { assert, type Bytes, bytesOfPieces, finish, type Pieces } from '#base';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Ref } from '../memory/segment.ts';
import { codecOf } from '../values/codecs.ts';
import { bytesForm, codecAt, piecesOf, PIECE_BYTES, valueOf } from '../keyspace/value-codec.ts';
import { WordWriter } from '../memory/word-bytes.ts';

export const KEY_STATE_HEADER_BYTES = 24;
/** The bytes of all this, where 32 bits cannot say it. */
export const LONG_SIZE_BYTES = 8;
const SHORT_SIZE_MAX = 2 ** 32 - 1;

/** Flags beside the encoding. */
export const StateFlag = {
  encoding: 15,
  /** The size is the double after the other fields. */
  longSize: 16,
  /** The key is not there. */
  absent: 32,
  /** No state, but a record with a command. */
  effect: 64,
  /** The value's bytes are what the codec of its type and encoding makes of an object. */
  object: 128,
} as const;

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

/** A longer value is not written among other states, but in pieces of its own. */
const VALUE_INSIDE_MAX = 4 * 1024 * 1024;

/** Growing buffer into which states are written; long values are in separate pieces. */
export class KeyStateWriter {
  #bytes: Bytes;
  #view: DataView;
  readonly #begin: number;
  /** Pieces before the one that grows. */
  readonly #full: Bytes[] = [];
  /** Offset of the key of the current state. */
  #keyAt = 0;
  /** Offset of the next state. */
  length: number;
  count = 0;

  /** The states start after `begin` bytes, which are reserved for the caller. */
  constructor(byteCount = 4_096, begin = 0) {
    this.#bytes = new Uint8Array(byteCount);
    this.#view = new DataView(this.#bytes.buffer);
    this.#begin = begin;
    this.length = begin;
  }

  /** The state of a record. `database` is the one that it is written under. A value that is at hand is given away. */
  write(keyspace: Keyspace, ref: Ref, database: number, owner = 0, atHand?: Pieces): void {
    const key = keyspace.key(ref);
    const keyLength = key.length;
    const isObject = keyspace.isObject(ref);
    const form =
      isObject && atHand === undefined
        ? finish(codecAt(keyspace, ref).encode(keyspace.object(ref)))
        : undefined;
    const valueLength =
      atHand === undefined ? (form?.byteCount ?? keyspace.length(ref)) : bytesOfPieces(atHand);
    const flags = keyspace.encoding(ref) | (isObject ? StateFlag.object : 0);
    const follows = atHand !== undefined || valueLength > VALUE_INSIDE_MAX;
    const at = this.#head(keyLength, valueLength, flags, follows);
    const view = this.#view;
    view.setUint8(at + 4, keyspace.type(ref));
    view.setUint16(at + 6, database, true);
    view.setUint32(at + 12, keyspace.access(ref) | (owner << 24), true);
    view.setFloat64(at + 16, keyspace.expireAt(ref), true);
    const keyAt = this.#keyAt;
    const again = keyspace.key(ref);
    this.#put(keyAt, again.bytes, again.at, keyLength);
    if (follows) {
      this.#follow(atHand ?? finish(piecesOf(form ?? bytesForm(valueOf(keyspace, ref)))));
    } else if (form !== undefined) {
      finish(form.write(new WordWriter(this.#bytes, keyAt + keyLength)));
    } else {
      const value = keyspace.value(ref);
      this.#put(keyAt + keyLength, value.bytes, value.at, valueLength);
    }
  }

  /** Writes that a key is not there. */
  writeAbsent(key: Bytes, database: number, owner = 0): void {
    this.#writeNoState(StateFlag.absent, key, NOTHING, database, owner);
  }

  /** A command that does what was done to a key, as a record of the log. With a key, only where that is there. */
  writeEffect(record: Bytes, database: number, owner: number, key = NOTHING): void {
    this.#writeNoState(StateFlag.effect, key, record, database, owner);
  }

  #writeNoState(flag: number, key: Bytes, body: Bytes, database: number, owner: number): void {
    const at = this.#head(key.length, body.length, flag);
    this.#view.setUint8(at + 4, 0);
    this.#view.setUint16(at + 6, database, true);
    this.#view.setUint32(at + 12, owner << 24, true);
    this.#view.setFloat64(at + 16, -1, true);
    this.#put(this.#keyAt, key, 0, key.length);
    this.#put(this.#keyAt + key.length, body, 0, body.length);
  }

  /** The state of a key, whether it is there or not. An expired one is not. */
  writeKey(keyspace: Keyspace, key: Bytes, database: number, owner = 0, atHand?: Pieces): void {
    const ref = keyspace.peek(key, 0, key.length);
    if (ref === 0) this.writeAbsent(key, database, owner);
    else this.write(keyspace, ref, database, owner, atHand);
  }

  /** A state that is at hand in parts; without a type, that the key is not there. */
  writeCopy(copy: StateCopy, owner: number): void {
    const { key, value, object, database } = copy;
    if (copy.type === 0) {
      this.writeAbsent(key, database, owner);
      return;
    }
    const form =
      object === undefined
        ? bytesForm(value)
        : finish(codecOf(copy.type, copy.encoding).encode(object));
    const follows = form.byteCount > VALUE_INSIDE_MAX;
    this.writeHead(copy, form.byteCount, owner, follows);
    if (follows) this.#follow(finish(piecesOf(form)));
    else finish(form.write(new WordWriter(this.#bytes, this.#keyAt + key.length)));
  }

  /** Writes a state without its value, which has `valueBytes` bytes and follows. */
  writeHead(copy: StateCopy, valueBytes: number, owner: number, follows = true): void {
    const { key } = copy;
    const flags = copy.encoding | (copy.object === undefined ? 0 : StateFlag.object);
    const at = this.#head(key.length, valueBytes, flags, follows);
    const view = this.#view;
    view.setUint8(at + 4, copy.type);
    view.setUint16(at + 6, copy.database, true);
    view.setUint32(at + 12, copy.access | (owner << 24), true);
    view.setFloat64(at + 16, copy.expireAt, true);
    this.#put(this.#keyAt, key, 0, key.length);
  }

  /** States written, as a view that is good until the next is written, where no value was long. */
  get written(): Bytes {
    assert(this.#full.length === 0, 'states in one piece');
    return this.#bytes.subarray(this.#begin, this.length);
  }

  /** States written, with the room before them; memory that is the taker's. */
  get pieces(): [Bytes, ...Bytes[]] {
    const { length } = this;
    const last = length === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, length);
    const [first, ...full] = this.#full;
    if (first === undefined) return [last];
    return length === 0 ? [first, ...full] : [first, ...full, last];
  }

  /** Discards the output. */
  clear(): void {
    this.#full.length = 0;
    this.length = this.#begin;
    this.count = 0;
  }

  /** Returns the written states in memory that the caller owns, and resets the writer. */
  take(): Bytes {
    const bytes = this.written.slice();
    this.clear();
    return bytes;
  }

  /** Writes the head and returns its offset. A value that `follows` contributes only its size. */
  #head(keyLength: number, valueLength: number, flags: number, follows = false): number {
    if (this.length > PIECE_BYTES) this.#goOn();
    const at = this.length;
    const shortSize = KEY_STATE_HEADER_BYTES + keyLength + valueLength;
    const isLong = shortSize > SHORT_SIZE_MAX;
    const size = isLong ? shortSize + LONG_SIZE_BYTES : shortSize;
    const end = at + (follows ? size - valueLength : size);
    if (end > this.#bytes.length) this.#grow(end);
    const view = this.#view;
    view.setUint32(at, isLong ? 0 : size, true);
    view.setUint8(at + 5, isLong ? flags | StateFlag.longSize : flags);
    view.setUint32(at + 8, keyLength, true);
    if (isLong) view.setFloat64(at + KEY_STATE_HEADER_BYTES, size, true);
    this.#keyAt = at + KEY_STATE_HEADER_BYTES + (isLong ? LONG_SIZE_BYTES : 0);
    this.length = end;
    this.count += 1;
    return at;
  }

  /** The value of the last state. */
  #follow(value: Pieces): void {
    this.#goOn();
    this.#full.push(...value);
  }

  #goOn(): void {
    this.#full.push(this.#bytes.slice(0, this.length));
    this.length = 0;
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

const NOTHING: Bytes = new Uint8Array(0);

/** Below this a loop is faster than `set` with a view of its own. */
const BYTE_LOOP_MAX = 96;
