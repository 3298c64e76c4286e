/**
 * Events of keys, sent by shards to main: the body of an `events` frame.
 *
 *   event   u8 bits of KeyEventFlag, u8 name bytes, u16 database, i32 connection (-1: no client's doing),
 *           u32 sequence of its command, u32 index of the command in a transaction, u32 key bytes, name, key
 */

import { asBuffer, assert, type Bytes, copyBytes, fromLatin1, latin1 } from '#base';

const HEADER_BYTES = 20;
const BUFFER_BYTES_MIN = 1_024;

export const KeyEventFlag = {
  /** To be published under the key's name, under the event's name. */
  keyspace: 1,
  keyevent: 2,
  /** The key was modified: clients with a cached copy must be notified. */
  modified: 4,
  /** A whole database was flushed; there is no key. */
  flushed: 8,
} as const;

export interface KeyEvent {
  flags: number;
  database: number;
  connection: number;
  sequence: number;
  step: number;
  name: string;
  key: Bytes;
}

/** Whose command it was that something happened in. */
export interface Origin {
  connection: number;
  sequence: number;
  /** Index of the command in its transaction, whose commands share a sequence. */
  step: number;
}

export const NO_ORIGIN: Readonly<Origin> = { connection: -1, sequence: 0, step: 0 };

/** Collects events until they are sent. */
export class KeyEventWriter {
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES_MIN);
  #used = 0;

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  add(flags: number, database: number, origin: Origin, name: string, key: Bytes): void {
    const nameBytes = fromLatin1(name);
    this.#makeRoom(HEADER_BYTES + nameBytes.length + key.length);
    const buffer = this.#buffer;
    const at = this.#used;
    buffer[at] = flags;
    buffer[at + 1] = nameBytes.length;
    buffer.writeUInt16LE(database, at + 2);
    buffer.writeInt32LE(origin.connection, at + 4);
    buffer.writeUInt32LE(origin.sequence, at + 8);
    buffer.writeUInt32LE(origin.step, at + 12);
    buffer.writeUInt32LE(key.length, at + 16);
    copyBytes(nameBytes, 0, buffer, at + HEADER_BYTES, nameBytes.length);
    const keyAt = at + HEADER_BYTES + nameBytes.length;
    copyBytes(key, 0, buffer, keyAt, key.length);
    this.#used = keyAt + key.length;
  }

  /** All events so far; overwritten by the next that is added. */
  take(): Bytes {
    const body = this.#buffer.subarray(0, this.#used);
    this.#used = 0;
    return body;
  }

  #makeRoom(byteCount: number): void {
    const needed = this.#used + byteCount;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.length, needed));
    copyBytes(this.#buffer, 0, larger, 0, this.#used);
    this.#buffer = larger;
  }
}

/** Reads events; their keys are views of the bytes. */
export function* decodeKeyEvents(bytes: Bytes): Generator<KeyEvent> {
  const body = asBuffer(bytes);
  let at = 0;
  while (at < body.length) {
    const nameAt = at + HEADER_BYTES;
    const keyAt = nameAt + body[at + 1]!;
    const end = keyAt + body.readUInt32LE(at + 16);
    assert(end <= body.length, 'an event lies inside its frame');
    yield {
      flags: body[at]!,
      database: body.readUInt16LE(at + 2),
      connection: body.readInt32LE(at + 4),
      sequence: body.readUInt32LE(at + 8),
      step: body.readUInt32LE(at + 12),
      name: latin1(body, nameAt, keyAt - nameAt),
      key: body.subarray(keyAt, end),
    };
    at = end;
  }
}
