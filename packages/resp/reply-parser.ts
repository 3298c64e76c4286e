/**
 * Incremental parser of replies in RESP2 and RESP3, as other servers send them: in pieces that are cut anywhere. Its work
 * grows with the bytes that come, not with the number of pieces, and what it keeps of a reply is never more than has come.
 */

import { latin1, type Bytes } from '#base';
import { endOfLine, LineReader } from './line-reader.ts';
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

const INTEGER_TEXT = /^[-+]?\d{1,20}$/;
const DOUBLE_TEXT = /^(?:[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?inf|[-+]?nan)$/;
const BIG_NUMBER_TEXT = /^[-+]?\d+$/;
const LENGTH_TEXT = /^(?:0|[1-9]\d{0,18})$/;
/** First room for a bulk string that comes in pieces. */
const ROOM_BYTES_MIN = 1_024;
/** A verbatim string begins with three letters of its format and a colon. */
const FORMAT_BYTES = 4;

interface ReplyLimits {
  /** Most bytes of a line, its kind included, its end not. */
  readonly lineBytes: number;
  /** Most bytes of a bulk string. */
  readonly bulkBytes: number;
  /** Maximum number of elements of a reply, including those of inner arrays. */
  readonly elements: number;
  /** Most arrays around an element. */
  readonly depth: number;
}

/** Limits for users without their own; a bulk string within them is no longer than a JavaScript string may be. */
const REPLY_LIMITS: ReplyLimits = {
  lineBytes: 64 * 1024,
  bulkBytes: 2 ** 28,
  elements: 2 ** 22,
  depth: 128,
};

/** Receives the parts of replies in order; absent methods are for parts of no interest, which are then not kept either. */
export interface ReplyParts {
  /** A status, number, boolean, double or big number: its kind, and its text without it. */
  line?(kind: string, text: string): void;
  /** An error; in RESP3 it may be of several lines. */
  error(text: string): void;
  /** A bulk string, valid during the call. */
  bulk?(bytes: Bytes): void;
  /** A null of either protocol. */
  nil?(): void;
  /** An array, set or map begins; of a map names and values are counted. */
  begin?(count: number): void;
  /** The array, set or map begun last is complete. */
  close?(): void;
  /** The reply is complete. */
  end(): void;
}

interface ReplyParserOptions extends Partial<ReplyLimits> {
  /** True where a line over its limit loses what is too much; else it is malformed. */
  readonly cutsLines?: boolean;
  /** True where empty lines between replies are no replies, but signs of life. */
  readonly skipsEmptyLines?: boolean;
}

/** Bytes that are no reply, or one over a limit: nothing of the connection can be used from there on. */
export class MalformedReply extends Error {
  override readonly name = 'MalformedReply';
}

/** An open array. */
interface Level {
  left: number;
  /** True for what stands beside replies and is none: a push, or attributes of the element after them. */
  readonly isDeferred: boolean;
}

export class ReplyParser {
  readonly #parts: ReplyParts;
  readonly #limits: ReplyLimits;
  readonly #cutsLines: boolean;
  readonly #skipsEmptyLines: boolean;
  readonly #lines: LineReader;
  /** Bytes of a bulk string that are still to come; -1 outside of one. */
  #bulkLeft = -1;
  /** Bytes of its end that have come. */
  #endBytes = 0;
  #bulkKind = BULK;
  /** Content of a bulk string that comes in pieces, and how many bytes of it are here. */
  #room: Buffer | undefined;
  #roomUsed = 0;
  /** Arrays around the next element, the outermost first. */
  readonly #levels: Level[] = [];
  #asides = 0;
  #elements = 0;
  /** Replies that were complete. */
  #ends = 0;

  constructor(parts: ReplyParts, options: ReplyParserOptions = {}) {
    this.#parts = parts;
    this.#limits = { ...REPLY_LIMITS, ...options };
    this.#lines = new LineReader(this.#limits.lineBytes);
    this.#cutsLines = options.cutsLines === true;
    this.#skipsEmptyLines = options.skipsEmptyLines === true;
  }

  /** Elements of the reply that are still to come of its outermost array, the one under way included; 0 outside of one. */
  get left(): number {
    return this.#levels[0]?.left ?? 0;
  }

  /** Takes bytes from a place up to the end of a reply; returns the place after them. Throws at what is malformed. */
  take(bytes: Bytes, from = 0): number {
    const ends = this.#ends;
    let at = from;
    while (at < bytes.length && this.#ends === ends) {
      at = this.#bulkLeft < 0 ? this.#takeLine(bytes, at) : this.#takeBulk(bytes, at);
    }
    return at;
  }

  /** Takes all bytes, which may be of many replies. */
  takeAll(bytes: Bytes): void {
    for (let at = 0; at < bytes.length;) at = this.take(bytes, at);
  }

  #takeLine(bytes: Bytes, at: number): number {
    const lines = this.#lines;
    const kind = bytes[at];
    // Nearly all ignored replies are `+OK` and counts.
    if (this.#parts.line === undefined && !lines.isInLine && (kind === STATUS || kind === NUMBER)) {
      const end = endOfLine(bytes, at);
      if (end >= 0) {
        this.#counted();
        return end + 1;
      }
    }
    const next = lines.take(bytes, at);
    if (lines.isTooLong && !this.#cutsLines) {
      throw new MalformedReply(`a line of more than ${this.#limits.lineBytes} bytes`);
    }
    if (lines.line !== undefined) this.#takeWholeLine(lines.line);
    return next;
  }

  #takeWholeLine(line: string): void {
    if (line === '' && this.#skipsEmptyLines && this.#levels.length === 0) return;
    const kind = line.charCodeAt(0);
    const text = line.slice(1);
    switch (kind) {
      case STATUS:
        this.#scalar('+', text);
        break;
      case ERROR:
        if (this.#asides === 0) this.#parts.error(text);
        this.#counted();
        break;
      case BULK:
      case BULK_ERROR:
      case VERBATIM:
        this.#beginBulk(kind, text, line);
        break;
      case ARRAY:
      case SET:
      case MAP:
      case PUSH:
      case ATTRIBUTE:
        this.#beginArray(kind, text, line);
        break;
      default:
        this.#takeScalar(kind, text, line);
    }
  }

  #takeScalar(kind: number, text: string, line: string): void {
    const isGood =
      (kind === NUMBER && INTEGER_TEXT.test(text)) ||
      (kind === BOOLEAN && (text === 't' || text === 'f')) ||
      (kind === DOUBLE && DOUBLE_TEXT.test(text)) ||
      (kind === BIG_NUMBER && BIG_NUMBER_TEXT.test(text));
    if (isGood) this.#scalar(line[0]!, text);
    else if (kind === NULL && text === '') this.#nil();
    else throw new MalformedReply(`unknown form ${shown(line)}`);
  }

  #scalar(kind: string, text: string): void {
    if (this.#asides === 0) this.#parts.line?.(kind, text);
    this.#counted();
  }

  #nil(): void {
    if (this.#asides === 0) this.#parts.nil?.();
    this.#counted();
  }

  /** Returns a length or count; throws where it is none, or over its limit. */
  #length(text: string, line: string, most: number, what: string): number {
    if (!LENGTH_TEXT.test(text)) throw new MalformedReply(`no length of ${what}: ${shown(line)}`);
    const length = Number(text);
    if (length > most)
      throw new MalformedReply(`${what} over the limit of ${most}: ${shown(line)}`);
    return length;
  }

  #beginBulk(kind: number, text: string, line: string): void {
    if (text === ABSENT && kind === BULK) {
      this.#nil();
      return;
    }
    this.#bulkLeft = this.#length(text, line, this.#limits.bulkBytes, 'a bulk string');
    this.#bulkKind = kind;
    if (kind === VERBATIM && this.#bulkLeft < FORMAT_BYTES) {
      throw new MalformedReply(`a verbatim string without a format: ${shown(line)}`);
    }
  }

  /** Takes content and end of a bulk string. */
  #takeBulk(bytes: Bytes, from: number): number {
    const part = Math.min(this.#bulkLeft, bytes.length - from);
    const at = from + part;
    // All of it and its end are here, as nearly always.
    const isWhole = this.#roomUsed === 0 && part === this.#bulkLeft && this.#endBytes === 0;
    if (isWhole && bytes[at] === CR && bytes[at + 1] === LF) {
      this.#deliver(bytes.subarray(from, at));
      return at + 2;
    }
    if (this.#isKept) this.#keep(bytes.subarray(from, at));
    this.#bulkLeft -= part;
    return this.#bulkLeft > 0 ? at : this.#takeEnd(bytes, at);
  }

  #takeEnd(bytes: Bytes, from: number): number {
    let at = from;
    for (; at < bytes.length && this.#endBytes < 2; at += 1) {
      if (bytes[at] !== (this.#endBytes === 0 ? CR : LF)) {
        throw new MalformedReply('a bulk string that does not end where its length says');
      }
      this.#endBytes += 1;
    }
    if (this.#endBytes === 2) this.#deliver(this.#room?.subarray(0, this.#roomUsed) ?? NO_BYTES);
    return at;
  }

  /** True for a bulk string whose content must be passed on. */
  get #isKept(): boolean {
    if (this.#asides > 0) return false;
    return this.#bulkKind === BULK_ERROR || this.#parts.bulk !== undefined;
  }

  /** Keeps content in room that doubles: each byte is copied a few times at most, however many pieces there are. */
  #keep(piece: Bytes): void {
    const used = this.#roomUsed + piece.length;
    const room = this.#room;
    if (room === undefined || room.length < used) {
      const size = Math.max(ROOM_BYTES_MIN, Math.min(2 * used, used + this.#bulkLeft));
      this.#room = Buffer.allocUnsafeSlow(size);
      if (room !== undefined) this.#room.set(room.subarray(0, this.#roomUsed));
    }
    this.#room!.set(piece, this.#roomUsed);
    this.#roomUsed = used;
  }

  #deliver(bytes: Bytes): void {
    const isKept = this.#isKept;
    const kind = this.#bulkKind;
    this.#endBulk();
    if (isKept && kind === BULK_ERROR) this.#parts.error(latin1(bytes));
    else if (isKept) this.#parts.bulk?.(kind === VERBATIM ? bytes.subarray(FORMAT_BYTES) : bytes);
    this.#counted();
  }

  #endBulk(): void {
    this.#bulkLeft = -1;
    this.#endBytes = 0;
    this.#room = undefined;
    this.#roomUsed = 0;
  }

  #beginArray(kind: number, text: string, line: string): void {
    if (text === ABSENT && kind === ARRAY) {
      this.#nil();
      return;
    }
    const pairs = kind === MAP || kind === ATTRIBUTE ? 2 : 1;
    const most = Math.floor((this.#limits.elements - this.#elements) / pairs);
    const count = pairs * this.#length(text, line, most, 'elements');
    this.#elements += count;
    if (kind === PUSH || kind === ATTRIBUTE) {
      if (kind === PUSH && this.#levels.length > 0) throw new MalformedReply('a push in a reply');
      if (count > 0) this.#push(count, true);
      return;
    }
    if (this.#asides === 0) this.#parts.begin?.(count);
    if (count > 0) {
      this.#push(count, false);
      return;
    }
    if (this.#asides === 0) this.#parts.close?.();
    this.#counted();
  }

  #push(count: number, isDeferred: boolean): void {
    if (this.#levels.length === this.#limits.depth) {
      throw new MalformedReply(`arrays nested more than ${this.#limits.depth} deep`);
    }
    this.#levels.push({ left: count, isDeferred });
    if (isDeferred) this.#asides += 1;
  }

  /** Counts an element that is complete, and the arrays that are complete with it. */
  #counted(): void {
    for (let level = this.#levels.at(-1); level !== undefined; level = this.#levels.at(-1)) {
      level.left -= 1;
      if (level.left > 0) return;
      this.#levels.pop();
      if (level.isDeferred) {
        this.#asides -= 1;
        if (this.#levels.length === 0) this.#elements = 0;
        return;
      }
      if (this.#asides === 0) this.#parts.close?.();
    }
    this.#elements = 0;
    this.#ends += 1;
    this.#parts.end();
  }
}

const NO_BYTES: Bytes = new Uint8Array(0);
