/**
 * Writes replies in RESP2 or RESP3 directly into memory that its owner lends.
 *
 * A handler says what the reply *is* (a map, a double, a null array), never how the protocol in use
 * spells it. When the lent memory ends, `onFull` must lend more with the bytes written so far kept.
 *
 * Large because it has a member for each kind of reply, and a second one where a caller has bytes instead of text.
 */

import {
  type Bytes,
  ByteViews,
  type CommandError,
  copyBytes,
  digitCount,
  type EntryTaker,
  formatDouble,
  type Spans,
  type SpanTaker,
  writeInteger,
} from '#base';
import { ReplyMemory } from './reply-memory.ts';
import { SHORT_BULK_BYTES, shortBulk, shortBulks } from './short-bulks.ts';

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const ZERO = 0x30;
const DOLLAR = 0x24;
const STAR = 0x2a;
const PLUS = 0x2b;
const MINUS = 0x2d;
const COLON = 0x3a;
const UNDERSCORE = 0x5f;
const COMMA = 0x2c;
const HASH = 0x23;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const TILDE = 0x7e;
const GREATER = 0x3e;
const OPEN_PAREN = 0x28;
const ATTRIBUTE = 0x7c;

/** Type byte, up to 20 digits, CR and LF. */
const HEADER_BYTES_MAX = 24;

const targets = new ByteViews();

export type Protocol = 2 | 3;

export class ReplyWriter extends ReplyMemory implements SpanTaker {
  protocol: Protocol = 2;
  /** The code of the last error written since this was last cleared; for the counters. */
  errorText: string | null = null;
  /** Writes entries of listpacks as bulk strings, where that can be done many at a time. */
  entries: EntryTaker | undefined;

  /** `+OK`. */
  ok(): void {
    this.ensure(5);
    const { bytes, at } = this;
    bytes[at] = PLUS;
    bytes[at + 1] = 0x4f;
    bytes[at + 2] = 0x4b;
    bytes[at + 3] = CR;
    bytes[at + 4] = LF;
    this.at = at + 5;
  }

  /** A simple string: a short status of our own making. */
  simple(text: string): void {
    this.#line(PLUS, text);
  }

  /** Forgets that an error was written. */
  clearError(): void {
    this.errorText = null;
  }

  error(error: CommandError): void {
    this.errorText = error.text;
    this.#line(MINUS, withoutLineEnds(error.text));
  }

  integer(value: number): void {
    this.ensure(HEADER_BYTES_MAX);
    this.#header(COLON, value);
  }

  /** A 64-bit integer. */
  bigInteger(value: bigint): void {
    this.#line(COLON, value.toString());
  }

  /** Writes a bulk string of the given range; `view` is the view of the source, if the caller has one. */
  bulk(source: Bytes, at = 0, length = source.length - at, view?: DataView): void {
    this.ensure(length + HEADER_BYTES_MAX + 2);
    if (length < SHORT_BULK_BYTES) {
      const to = view && targets.of(this.bytes);
      if (to !== undefined) {
        this.at = shortBulk(to, this.at, view!, at, length);
        return;
      }
      this.#shortHeader(length);
    } else {
      this.#header(DOLLAR, length);
    }
    copyBytes(source, at, this.bytes, this.at, length, view);
    this.at += length;
    this.crlf();
  }

  /** Bulk strings. */
  bulks(spans: Spans): void {
    const { memory, places, ats, lengths, count } = spans;
    let room = 0;
    let longest = 0;
    for (let nth = 0; nth < count; nth += 1) {
      const length = lengths[nth]!;
      room += length + HEADER_BYTES_MAX + 2;
      if (length > longest) longest = length;
    }
    this.ensure(room);
    const to = targets.of(this.bytes);
    if (to !== undefined && longest < SHORT_BULK_BYTES) {
      this.at = shortBulks(spans, to, this.at);
      return;
    }
    for (let nth = 0; nth < count; nth += 1) {
      const { bytes, view } = memory[places[nth]!]!;
      this.bulk(bytes, ats[nth], lengths[nth], view);
    }
  }

  /** A bulk string of a text, in UTF-8 (ours) or one byte per character (`latin1`: from a client). */
  text(value: string, encoding: 'utf8' | 'latin1' = 'utf8'): void {
    this.bulk(Buffer.from(value, encoding));
  }

  /** A bulk string that holds a decimal integer. */
  bulkInteger(value: number): void {
    this.text(String(value), 'latin1');
  }

  /** A simple string taken from a client's bytes. */
  simpleBytes(source: Bytes, at: number, length: number): void {
    this.ensure(length + 3);
    this.bytes[this.at] = PLUS;
    copyBytes(source, at, this.bytes, this.at + 1, length);
    this.at += length + 1;
    this.crlf();
  }

  nil(): void {
    if (this.protocol === 3) this.#nil3();
    else this.#fixedHeader(DOLLAR, -1);
  }

  /** Writes the null of a missing array: `*-1` in RESP2. */
  nilArray(): void {
    if (this.protocol === 3) this.#nil3();
    else this.#fixedHeader(STAR, -1);
  }

  arrayHeader(count: number): void {
    this.#fixedHeader(STAR, count);
  }

  /**
   * Begins an array whose length is known when it ends; returns what `endArray` wants to know. What is
   * written in between is moved where the length has other than the `expected` number of digits.
   */
  beginArray(expected: number): number {
    this.ensure(HEADER_BYTES_MAX);
    this.openArrays += 1;
    const mark = this.position;
    this.arrayHeader(expected);
    return mark;
  }

  /** Sets the length of an array, or in RESP3, if `isMap`, of a map of that many pairs. */
  endArray(mark: number, expected: number, count: number, isMap = false): void {
    const before = digitCount(expected);
    const growth = digitCount(count) - before;
    if (growth > 0) this.ensure(growth);
    this.openArrays -= 1;
    const start = this.offsetOf(mark);
    if (growth !== 0) {
      const from = start + before + 3;
      this.bytes.copyWithin(from + growth, from, this.at);
    }
    const end = this.at + growth;
    this.at = start;
    this.#header(isMap && this.protocol === 3 ? PERCENT : STAR, count);
    this.at = end;
  }

  /** A map of `count` pairs; a flat array in RESP2. */
  mapHeader(count: number): void {
    if (this.protocol === 3) this.#fixedHeader(PERCENT, count);
    else this.#fixedHeader(STAR, count * 2);
  }

  setHeader(count: number): void {
    this.#fixedHeader(this.protocol === 3 ? TILDE : STAR, count);
  }

  /** An out-of-band message; an array in RESP2. */
  pushHeader(count: number): void {
    this.#fixedHeader(this.protocol === 3 ? GREATER : STAR, count);
  }

  /** Attributes of the reply that follows; the caller writes them for RESP3 only. */
  attributeHeader(count: number): void {
    this.#fixedHeader(ATTRIBUTE, count);
  }

  double(value: number): void {
    this.doubleText(formatDouble(value));
  }

  /** A double that the caller has put into text. */
  doubleText(text: string): void {
    if (this.protocol === 3) this.#line(COMMA, text);
    else this.text(text, 'latin1');
  }

  boolean(value: boolean): void {
    if (this.protocol === 3) this.#line(HASH, value ? 't' : 'f');
    else this.integer(value ? 1 : 0);
  }

  /** A number with more than 64 bits, given in decimal. */
  bigNumber(decimal: string): void {
    if (this.protocol === 3) this.#line(OPEN_PAREN, decimal);
    else this.text(decimal, 'latin1');
  }

  /** A text for people; `format` is three letters. A bulk string in RESP2. */
  verbatim(value: string, format: 'txt' | 'mkd' = 'txt'): void {
    const body = Buffer.from(value, 'utf8');
    if (this.protocol === 2) {
      this.bulk(body);
      return;
    }
    this.ensure(body.length + HEADER_BYTES_MAX + 6);
    this.#header(EQUALS, body.length + 4);
    copyBytes(Buffer.from(`${format}:`, 'latin1'), 0, this.bytes, this.at, 4);
    copyBytes(body, 0, this.bytes, this.at + 4, body.length);
    this.at += body.length + 4;
    this.crlf();
  }

  /** A bulk string whose bytes the caller gives away, where the writer can take them as they are. */
  givenBulk(bytes: Bytes): void {
    this.bulk(bytes);
  }

  /** The header of a bulk string, whose bytes and line end follow. */
  protected bulkHeader(length: number): void {
    this.#fixedHeader(DOLLAR, length);
  }

  /** Finished RESP from elsewhere. */
  raw(source: Bytes, at = 0, length = source.length - at): void {
    this.ensure(length);
    copyBytes(source, at, this.bytes, this.at, length);
    this.at += length;
  }

  /** The header of a bulk string whose length has one or two digits. */
  #shortHeader(length: number): void {
    const { bytes } = this;
    let { at } = this;
    bytes[at] = DOLLAR;
    if (length >= 10) {
      const tens = (length * 205) >> 11;
      at += 1;
      bytes[at] = ZERO + tens;
      length -= tens * 10;
    }
    bytes[at + 1] = ZERO + length;
    bytes[at + 2] = CR;
    bytes[at + 3] = LF;
    this.at = at + 4;
  }

  #nil3(): void {
    this.ensure(3);
    this.bytes[this.at] = UNDERSCORE;
    this.at += 1;
    this.crlf();
  }

  /** A header line of its own. */
  #fixedHeader(type: number, count: number): void {
    this.ensure(HEADER_BYTES_MAX);
    this.#header(type, count);
  }

  #header(type: number, count: number): void {
    const { bytes } = this;
    let at = this.at;
    bytes[at] = type;
    at += 1;
    if (count >= 0 && count < 10) {
      bytes[at] = 0x30 + count;
      at += 1;
    } else {
      at += writeInteger(count, bytes, at);
    }
    bytes[at] = CR;
    bytes[at + 1] = LF;
    this.at = at + 2;
  }

  /** A line whose text may hold a client's bytes: CR and LF in it become spaces. */
  #line(type: number, text: string): void {
    this.ensure(text.length + 3);
    const { bytes } = this;
    let at = this.at;
    bytes[at] = type;
    at += 1;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      bytes[at] = code === CR || code === LF ? SPACE : code;
      at += 1;
    }
    this.at = at;
    this.crlf();
  }

  protected crlf(): void {
    const { bytes, at } = this;
    bytes[at] = CR;
    bytes[at + 1] = LF;
    this.at = at + 2;
  }
}

/** Texts may end with what a client sent: line ends there go, others become spaces, as in Redis. */
function withoutLineEnds(text: string): string {
  return /[\r\n]$/.test(text) ? text.replace(/[\r\n]+$/, '') : text;
}
