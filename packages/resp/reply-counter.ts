/**
 * Counts replies in RESP2 and RESP3 without building them, for programs that read more of them than they could look at. They
 * come in pieces that are cut anywhere.
 *
 * Only errors have a text. A reply of nested arrays is one number, that of the elements still to come: an array adds its own
 * elements, so no stack is kept and there is no limit of depth.
 */

import { latin1, type Bytes } from '#base';
import { endOfLine } from './line-reader.ts';
import {
  ABSENT,
  ARRAY,
  ATTRIBUTE,
  BIG_NUMBER,
  BOOLEAN,
  BULK,
  BULK_ERROR,
  CR,
  DOUBLE,
  ERROR,
  LF,
  MAP,
  NULL,
  NUMBER,
  PUSH,
  SET,
  STATUS,
  VERBATIM,
  shown,
} from './reply-bytes.ts';
import { MalformedReply } from './reply-parser.ts';

const ZERO = 0x30;
const LENGTH_TEXT = /^(?:0|[1-9]\d{0,14})$/;
const LENGTH_DIGITS_MAX = 15;
/** Characters of a line or of an error that are kept. */
const TEXT_CHARS_MAX = 512;

/** Called with each complete reply, and the text of the first error in it. */
type CountedReply = (error: string | undefined) => void;

export class ReplyCounter {
  readonly #counted: CountedReply;
  /** Elements of the reply, or of what stands beside replies, that are still to come; 0 between replies. */
  #left = 0;
  /** True in a push and in attributes, which stand beside replies. */
  #isAside = false;
  /** Value of `#left` at which attributes inside of a reply end; -1 outside of them. */
  #asideEnd = -1;
  /** Bytes of a bulk string and of its end that are still to come. */
  #skip = 0;
  /** Text of a bulk string that is an error, as far as it has come; undefined outside of one. */
  #errorText: string | undefined;
  /** Beginning of a line that comes in pieces; empty outside of one. */
  #line = '';
  #error: string | undefined;
  /** Length read last by `#readLength`. */
  #length = 0;

  constructor(counted: CountedReply) {
    this.#counted = counted;
  }

  /** Takes bytes of any number of replies. Throws `MalformedReply` at bytes that are no reply. */
  take(bytes: Bytes, from = 0, end = bytes.length): void {
    let at = from;
    while (at < end) {
      if (this.#skip > 0) at = this.#skipBulk(bytes, at, end);
      else if (this.#line !== '') at = this.#takeLine(bytes, at, end);
      else at = this.#takeElement(bytes, at, end);
    }
  }

  #takeElement(bytes: Bytes, at: number, end: number): number {
    const kind = bytes[at]!;
    if (kind === BULK) {
      const content = this.#readLength(bytes, at + 1, end);
      if (content < 0) return this.#takeLine(bytes, at, end);
      const next = content + this.#length + 2;
      if (next > end) {
        this.#skip = this.#length + 2;
        return content;
      }
      if (bytes[next - 2] !== CR || bytes[next - 1] !== LF) throw badEnd();
      this.#complete();
      return next;
    }
    if (kind === STATUS || kind === NUMBER) {
      const stop = endOfLine(bytes, at);
      if (stop >= 0 && stop < end) {
        this.#complete();
        return stop + 1;
      }
    }
    return this.#takeLine(bytes, at, end);
  }

  /** Reads a length and its end; returns the place after them, -1 where that is not all there or is no plain length. */
  #readLength(bytes: Bytes, from: number, end: number): number {
    let length = 0;
    let at = from;
    for (; at < end; at += 1) {
      const digit = bytes[at]! - ZERO;
      if (digit < 0 || digit > 9) break;
      length = 10 * length + digit;
    }
    const digits = at - from;
    // One that begins with a zero is left to the slow way, which refuses it.
    if (digits === 0 || digits > LENGTH_DIGITS_MAX || (digits > 1 && bytes[from] === ZERO))
      return -1;
    if (at + 1 >= end || bytes[at] !== CR || bytes[at + 1] !== LF) return -1;
    this.#length = length;
    return at + 2;
  }

  #takeLine(bytes: Bytes, at: number, end: number): number {
    const found = endOfLine(bytes, at);
    const isWhole = found >= 0 && found < end;
    const stop = isWhole ? found : end;
    const room = TEXT_CHARS_MAX - this.#line.length;
    if (room > 0) this.#line += latin1(bytes, at, Math.min(stop - at, room));
    if (!isWhole) return end;
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    this.#line = '';
    this.#takeWholeLine(line);
    return stop + 1;
  }

  #takeWholeLine(line: string): void {
    const kind = line.charCodeAt(0);
    const text = line.slice(1);
    switch (kind) {
      case STATUS:
      case NUMBER:
      case BOOLEAN:
      case DOUBLE:
      case BIG_NUMBER:
      case NULL:
        this.#complete();
        return;
      case ERROR:
        this.#noteError(text);
        this.#complete();
        return;
      case BULK:
      case BULK_ERROR:
      case VERBATIM:
        if (kind === BULK_ERROR) this.#errorText = '';
        if (kind === BULK && text === ABSENT) this.#complete();
        else this.#skip = lengthOf(text, line) + 2;
        return;
      default:
        this.#beginArray(kind, text, line);
    }
  }

  #beginArray(kind: number, text: string, line: string): void {
    switch (kind) {
      case ARRAY:
        if (text === ABSENT) this.#complete();
        else this.#beginElements(lengthOf(text, line));
        return;
      case SET:
        this.#beginElements(lengthOf(text, line));
        return;
      case MAP:
        this.#beginElements(2 * lengthOf(text, line));
        return;
      case PUSH:
        if (this.#left > 0) throw new MalformedReply('a push in a reply');
        this.#beginAside(lengthOf(text, line));
        return;
      case ATTRIBUTE:
        this.#beginAside(2 * lengthOf(text, line));
        return;
      default:
        throw new MalformedReply(`unknown form ${shown(line)}`);
    }
  }

  #beginElements(count: number): void {
    if (this.#left === 0) this.#left = 1;
    this.#left += count;
    this.#complete();
  }

  /** Attributes inside of a reply are as many further elements; between replies nothing is counted for them. */
  #beginAside(count: number): void {
    if (this.#left === 0) this.#isAside = count > 0;
    else if (count > 0 && this.#asideEnd < 0) this.#asideEnd = this.#left;
    this.#left += count;
  }

  #skipBulk(bytes: Bytes, at: number, end: number): number {
    const next = Math.min(end, at + this.#skip);
    const before = this.#skip;
    this.#skip -= next - at;
    if (this.#errorText !== undefined) {
      const stop = Math.min(next, at + Math.max(0, before - 2));
      const room = TEXT_CHARS_MAX - this.#errorText.length;
      this.#errorText += latin1(bytes, at, Math.max(0, Math.min(stop - at, room)));
    }
    if (before >= 2 && this.#skip <= 1 && bytes[at + before - 2] !== CR) throw badEnd();
    if (this.#skip > 0) return next;
    if (bytes[next - 1] !== LF) throw badEnd();
    if (this.#errorText !== undefined) {
      this.#noteError(this.#errorText);
      this.#errorText = undefined;
    }
    this.#complete();
    return next;
  }

  #noteError(text: string): void {
    if (!this.#isAside && this.#asideEnd < 0) this.#error ??= text;
  }

  /** Counts an element that is complete, and the reply if it was its last. */
  #complete(): void {
    if (this.#left > 1) {
      this.#left -= 1;
      if (this.#left === this.#asideEnd) this.#asideEnd = -1;
      return;
    }
    this.#left = 0;
    if (this.#isAside) {
      this.#isAside = false;
      return;
    }
    const error = this.#error;
    this.#error = undefined;
    this.#counted(error);
  }
}

function lengthOf(text: string, line: string): number {
  if (!LENGTH_TEXT.test(text)) throw new MalformedReply(`no length: ${shown(line)}`);
  return Number(text);
}

function badEnd(): MalformedReply {
  return new MalformedReply('a bulk string that does not end where its length says');
}
