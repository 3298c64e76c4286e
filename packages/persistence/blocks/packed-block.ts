/**
 * Records as they lie in a block of a log: one after the other, without the room that a frame needs in a ring.
 *
 *   1 byte    kind in bits 0-3, flags below
 *   time      nothing where it is that of the record before; with `timeFollows` the milliseconds from that to this, from
 *             the head of the file to the first of a block; with `timeIsDouble` the double itself
 *   database  with `databaseFollows`
 *   then      of records with a transaction: its number, the epoch
 *   then      of a command: how many arguments, and each with its length before it; of others the body with its length
 *
 * Numbers are variable: seven bits a byte, the lowest first, all but the last byte with bit 7. What may be negative is
 * folded: 0, -1, 1, -2, ...
 */
import type { Bytes } from '#base';
import { frameBytes, type LinkMemory } from '#link';
import { checksum, putShortHead, SHORT_HEAD_BYTES } from './block.ts';
import {
  hasTransaction,
  isCommand,
  Record,
  RECORD_DATABASE_SHIFT,
  RECORD_GROUPED,
  RECORD_HEADER_BYTES,
  RECORD_KIND_MASK,
  TRANSACTION_BYTES,
} from './record.ts';

const KIND_BITS = 0x0f;
/** The first byte of a record whose time is that of the one before is no larger. */
const NOTHING_FOLLOWS = 0x3f;
const Flag = { grouped: 0x10, databaseFollows: 0x20, timeFollows: 0x40, timeIsDouble: 0x80 };

/** The time of a record, whose place is not always a multiple of 8. */
const times = new Float64Array(1);
const timeBytes = new Uint8Array(times.buffer);
const timeWords = new Int32Array(times.buffer);

/** Makes blocks of the records of a ring, in a place of the link memory that is the log's. */
export class BlockPacker {
  readonly #memory: LinkMemory;
  readonly #buffer: Buffer;
  readonly #begin: number;
  readonly #end: number;
  #at: number;
  #timeMs = 0;
  records = 0;

  constructor(memory: LinkMemory, at: number, bytes: number) {
    this.#memory = memory;
    this.#buffer = Buffer.from(memory.bytes.buffer);
    this.#begin = at + SHORT_HEAD_BYTES;
    // A record is packed with steps of 16 bytes.
    this.#end = at + bytes - 16;
    this.#at = this.#begin;
  }

  get isEmpty(): boolean {
    return this.#at === this.#begin;
  }

  /** A block begins in a file that was made at that time. */
  begin(createdMs: number): void {
    this.#at = this.#begin;
    this.#timeMs = Math.floor(createdMs);
    this.records = 0;
  }

  /** Adds the record that begins at that word of the link memory; false where the block has no room for it. */
  add(word: number): boolean {
    const { words, bytes, pack } = this.#memory;
    // No record is longer packed.
    if (this.#at + words[word + Record.bytes]! > this.#end) return false;
    this.records += 1;
    const kindWord = words[word + Record.kind]!;
    const kind = kindWord & RECORD_KIND_MASK;
    const database = kindWord >>> RECORD_DATABASE_SHIFT;
    const first = this.#at;
    this.#at += 1;
    let flags = this.#putTime(words[word + Record.timeAt]!, words[word + Record.timeAt + 1]!);
    if ((kindWord & RECORD_GROUPED) !== 0) flags |= Flag.grouped;
    if (database !== 0) {
      flags |= Flag.databaseFollows;
      this.#put(database);
    }
    bytes[first] = kind | flags;
    let spans = word + Record.spans;
    if (hasTransaction(kind)) {
      this.#put(words[word + Record.transaction]! >>> 0);
      this.#put(words[word + Record.epoch]! >>> 0);
      spans += TRANSACTION_BYTES >> 2;
    }
    if (isCommand(kind)) {
      const count = words[word + Record.argumentCount]!;
      this.#put(count);
      this.#at = pack(spans << 2, count, (spans + 2 * count) << 2, this.#at);
    } else {
      const length = words[word + Record.bodyBytes]!;
      this.#put(length);
      this.#memory.copy(this.#at, spans << 2, length);
      this.#at += length;
    }
    return true;
  }

  /** Ends the block; returns it with its head, as long as nothing is added. */
  end(number: number, synced: number): Bytes {
    const { bytes } = this.#memory;
    const body = bytes.subarray(this.#begin, this.#at);
    const head = { bytes: body.length, crc: checksum([body]), number, synced, isPacked: true };
    const at = this.#begin - SHORT_HEAD_BYTES;
    putShortHead(this.#buffer, at, head);
    return bytes.subarray(at, this.#at);
  }

  /** Writes a time; returns its flags. */
  #putTime(low: number, high: number): number {
    timeWords[0] = low;
    timeWords[1] = high;
    const timeMs = times[0]!;
    if (timeMs === this.#timeMs) return 0;
    const delta = timeMs - this.#timeMs;
    this.#timeMs = timeMs;
    if (Number.isInteger(delta) && Math.abs(delta) < 2 ** 50) {
      this.#put(delta < 0 ? -2 * delta - 1 : 2 * delta);
      return Flag.timeFollows;
    }
    this.#memory.bytes.set(timeBytes, this.#at);
    this.#at += timeBytes.length;
    return Flag.timeIsDouble;
  }

  #put(value: number): void {
    const { bytes } = this.#memory;
    let rest = value;
    while (rest >= 0x80) {
      bytes[this.#at] = (rest % 0x80) | 0x80;
      this.#at += 1;
      rest = Math.floor(rest / 0x80);
    }
    bytes[this.#at] = rest;
    this.#at += 1;
  }
}

/** Error for packed data that no packer makes. */
export class PackedBlockError extends Error {
  override readonly name = 'PackedBlockError';
}

const ROOM_BYTES = 64 * 1024;
const HEAD_ROOM_BYTES = RECORD_HEADER_BYTES + TRANSACTION_BYTES + 8;

/** Makes records of packed ones, as they lie in a ring. */
export class BlockUnpacker {
  #bytes: Bytes = new Uint8Array(ROOM_BYTES);
  #words = new Int32Array(this.#bytes.buffer);
  #source: Bytes = this.#bytes;
  #createdMs = 0;
  #at = 0;
  #timeMs = 0;
  /** The two words of that double. */
  #timeLow = 0;
  #timeHigh = 0;
  /** Offset of the next record. */
  #to = 0;

  /** All records of a block of a file that was made at that time; they are good until the next call. */
  unpack(source: Bytes, createdMs: number): Buffer {
    this.#source = source;
    this.#createdMs = createdMs;
    this.#restart();
    while (this.#at < source.length) this.#record();
    return Buffer.from(this.#bytes.buffer, 0, this.#to);
  }

  /**
   * Returns the number of packed bytes of the last block that are before the record at that place among its records.
   */
  packedBefore(at: number): number {
    this.#restart();
    while (this.#to < at) this.#record();
    return this.#at;
  }

  #restart(): void {
    this.#at = 0;
    this.#to = 0;
    this.#setTime(Math.floor(this.#createdMs));
  }

  #record(): void {
    const first = this.#byte();
    const kind = first & KIND_BITS;
    if (first > NOTHING_FOLLOWS) this.#takeTime(first);
    const database = (first & Flag.databaseFollows) === 0 ? 0 : this.#number();
    const isShared = hasTransaction(kind);
    const transaction = isShared ? this.#number() : 0;
    const epoch = isShared ? this.#number() : 0;
    const count = this.#number();
    const isArguments = isCommand(kind);
    this.#makeRoom(HEAD_ROOM_BYTES + (isArguments ? 8 * count : 0) + this.#rest);
    const words = this.#words;
    const word = this.#to >> 2;
    const grouped = (first & Flag.grouped) === 0 ? 0 : RECORD_GROUPED;
    words[word + Record.kind] = kind | grouped | (database << RECORD_DATABASE_SHIFT);
    words[word + Record.command] = 0;
    words[word + Record.command + 1] = 0;
    words[word + Record.timeAt] = this.#timeLow;
    words[word + Record.timeAt + 1] = this.#timeHigh;
    let spans = word + Record.spans;
    if (isShared) {
      words[word + Record.transaction] = transaction | 0;
      words[word + Record.epoch] = epoch | 0;
      spans += TRANSACTION_BYTES >> 2;
    }
    words[word + Record.argumentCount] = isArguments ? count : 0;
    const begin = (isArguments ? spans + 2 * count : spans) << 2;
    const length = isArguments ? this.#arguments(spans, count) : this.#body(begin, count);
    words[word + Record.bodyBytes] = length;
    const end = begin + length;
    const size = frameBytes(end - this.#to);
    words[word + Record.bytes] = size;
    this.#to += size;
    for (let at = end; at < this.#to; at += 1) this.#bytes[at] = 0;
  }

  /** Copies arguments after their spans; returns how long they are together. */
  #arguments(spans: number, count: number): number {
    const words = this.#words;
    const begin = (spans + 2 * count) << 2;
    let length = 0;
    for (let nth = 0; nth < count; nth += 1) {
      const bytes = this.#number();
      words[spans + 2 * nth] = length;
      words[spans + 2 * nth + 1] = bytes;
      this.#body(begin + length, bytes);
      length += bytes;
    }
    return length;
  }

  /** Copies bytes; returns how many. */
  #body(to: number, length: number): number {
    if (length > this.#rest) throw new PackedBlockError('a record ends after its block');
    const source = this.#source;
    const from = this.#at;
    this.#at = from + length;
    if (length >= COPIED_ONE_BY_ONE) {
      this.#bytes.set(source.subarray(from, from + length), to);
      return length;
    }
    const target = this.#bytes;
    for (let nth = 0; nth < length; nth += 1) target[to + nth] = source[from + nth]!;
    return length;
  }

  get #rest(): number {
    return this.#source.length - this.#at;
  }

  #takeTime(first: number): void {
    if ((first & Flag.timeFollows) !== 0) {
      const folded = this.#number();
      this.#setTime(this.#timeMs + (folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2));
    } else if ((first & Flag.timeIsDouble) !== 0) {
      for (let nth = 0; nth < timeBytes.length; nth += 1) timeBytes[nth] = this.#byte();
      this.#setTime(times[0]!);
    }
  }

  #setTime(timeMs: number): void {
    this.#timeMs = timeMs;
    times[0] = timeMs;
    this.#timeLow = timeWords[0]!;
    this.#timeHigh = timeWords[1]!;
  }

  #number(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let scale = 0x80;
    let value = first - 0x80;
    for (;;) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  #byte(): number {
    const byte = this.#source[this.#at];
    if (byte === undefined) throw new PackedBlockError('a record ends after its block');
    this.#at += 1;
    return byte;
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#to + bytes;
    if (wanted <= this.#bytes.length) return;
    const room = new Uint8Array(frameBytes(Math.max(wanted, 2 * this.#bytes.length)));
    room.set(this.#bytes.subarray(0, this.#to));
    this.#bytes = room;
    this.#words = new Int32Array(room.buffer);
  }
}

/** Shorter ones are copied faster so. */
const COPIED_ONE_BY_ONE = 48;
