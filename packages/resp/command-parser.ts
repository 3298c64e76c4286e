/**
 * Finds the commands in a client's bytes, in place.
 *
 * A command is never copied to be parsed: the result is a list of spans into the bytes given. What
 * is incomplete is asked for again with more bytes after it; a long command that arrives in many
 * pieces is not parsed from its beginning each time. Errors and limits are Redis 7.4's
 * (`networking.c`, processMultibulkBuffer and processInlineBuffer).
 */

import {
  ARGUMENTS_MAX,
  type Bytes,
  errors,
  indexOfByte,
  INLINE_BYTES_MAX,
  parseInteger64,
  UNAUTHENTICATED_ARGUMENTS_MAX,
  UNAUTHENTICATED_BULK_BYTES_MAX,
} from '#base';
import { splitInline } from './inline.ts';
import { ARGUMENTS_EXPECTED, type ParsedCommand } from './parsed-command.ts';

const CR = 0x0d;
const LF = 0x0a;
const STAR = 0x2a;
const DOLLAR = 0x24;
const MINUS = 0x2d;
const ZERO = 0x30;

export const ParseStatus = { incomplete: 0, complete: 1, error: 2 } as const;

/** From this many parsed arguments on an incomplete command remembers them. */
const ARGUMENTS_REMEMBERED_MIN = 32;

const LENGTH_INVALID = -2;
const LENGTH_INCOMPLETE = -3;

export interface ParserLimits {
  /** Longest bulk string in bytes (`proto-max-bulk-len`). */
  bulkBytesMax: number;
}

export class CommandParser {
  /** Bytes of the input that the last complete command took. */
  consumed = 0;
  /** Least bytes of the current command; less input need not be tried. */
  bytesNeeded = 1;
  /** Bytes of an incomplete command that are understood: headers, and arguments that are whole. */
  parsedBytes = 0;
  /** The text of the error reply after `ParseStatus.error`. */
  error = '';
  /** True until the client has authenticated: meanwhile the limits are strict. */
  unauthenticated = false;
  readonly #limits: ParserLimits;
  readonly #command: ParsedCommand;
  /** Arguments of the incomplete command still to come; 0 when its header is not parsed. */
  #argumentsLeft = 0;
  /** Offset at which parsing resumes, relative to the start of the command. */
  #resumeAt = 0;
  #remembered: Int32Array<ArrayBuffer> | null = null;

  constructor(command: ParsedCommand, limits: ParserLimits) {
    this.#command = command;
    this.#limits = limits;
  }

  /** Parses one command that begins at `at`. An empty line or `*0` is a complete command of no arguments. */
  next(bytes: Bytes, at: number, end: number): number {
    this.bytesNeeded = 1;
    if (at >= end) return ParseStatus.incomplete;
    if (bytes[at] !== STAR) return this.#inline(bytes, at, end);
    return this.#multibulk(bytes, at, end);
  }

  /** Forgets an incomplete command. */
  reset(): void {
    this.#argumentsLeft = 0;
    this.#remembered = null;
    this.bytesNeeded = 1;
  }

  #multibulk(bytes: Bytes, at: number, end: number): number {
    const command = this.#command;
    command.source = bytes;
    command.at = at;
    command.count = 0;
    let position: number;
    let left: number;
    if (this.#remembered !== null) {
      position = at + this.#resumeAt;
      left = this.#argumentsLeft;
      this.#recall(this.#remembered);
    } else {
      left = this.#length(bytes, at + 1, end);
      if (left < LENGTH_INVALID) {
        return this.#unfinished(bytes, at, end, 'too big mbulk count string');
      }
      position = this.#lineEnd;
      const fault = this.#countFault(left);
      if (fault !== '') return this.#fail(fault);
    }
    while (left > 0) {
      const result = this.#bulk(bytes, position, end);
      if (result < 0) {
        this.#remember(left, position - at);
        if (result === LENGTH_INVALID) return ParseStatus.error;
        this.bytesNeeded = Math.max(this.bytesNeeded, end - at + 1, this.#bulkEnd - at);
        this.parsedBytes = (this.#bulkEnd > 0 ? this.#lineEnd : position) - at;
        return ParseStatus.incomplete;
      }
      command.push(this.#lineEnd - at, result);
      position = this.#bulkEnd;
      left -= 1;
    }
    this.#remembered = null;
    this.parsedBytes = 0;
    this.consumed = position - at;
    command.length = this.consumed;
    return ParseStatus.complete;
  }

  /** End of the line that `#length` read, past its CR and LF. */
  #lineEnd = 0;
  /** End of the bulk string at hand, past its CR and LF; 0 while its length is unknown. */
  #bulkEnd = 0;

  /** The length of the whole bulk string at `at`, or a LENGTH_ code. */
  #bulk(bytes: Bytes, at: number, end: number): number {
    this.#bulkEnd = 0;
    if (at >= end) return LENGTH_INCOMPLETE;
    if (bytes[at] !== DOLLAR) {
      this.#fail(`expected '$', got '${printable(bytes[at]!)}'`);
      return LENGTH_INVALID;
    }
    const length = this.#length(bytes, at + 1, end);
    if (length === LENGTH_INCOMPLETE) {
      if (end - at <= INLINE_BYTES_MAX) return LENGTH_INCOMPLETE;
      this.#fail('too big bulk count string');
      return LENGTH_INVALID;
    }
    if (length < 0 || length > this.#limits.bulkBytesMax) {
      this.#fail('invalid bulk length');
      return LENGTH_INVALID;
    }
    if (this.unauthenticated && length > UNAUTHENTICATED_BULK_BYTES_MAX) {
      this.#fail('unauthenticated bulk length');
      return LENGTH_INVALID;
    }
    this.#bulkEnd = this.#lineEnd + length + 2;
    return this.#bulkEnd > end ? LENGTH_INCOMPLETE : length;
  }

  /** Reads the digits up to CR, and sets `#lineEnd`. */
  #length(bytes: Bytes, at: number, end: number): number {
    let value = 0;
    let index = at;
    for (; index < end; index += 1) {
      const byte = bytes[index]!;
      if (byte === CR) {
        if (index + 1 >= end) return LENGTH_INCOMPLETE;
        this.#lineEnd = index + 2;
        if (index > at + 1 && bytes[at] === ZERO) return LENGTH_INVALID;
        return index === at || value > Number.MAX_SAFE_INTEGER ? LENGTH_INVALID : value;
      }
      const digit = byte - ZERO;
      if (digit < 0 || digit > 9) return this.#oddLength(bytes, at, end);
      value = value * 10 + digit;
    }
    return LENGTH_INCOMPLETE;
  }

  /** A length that is not plain digits: negative, or nonsense. */
  #oddLength(bytes: Bytes, at: number, end: number): number {
    const stop = indexOfByte(bytes, CR, at, end);
    if (stop < 0 || stop + 1 >= end) return LENGTH_INCOMPLETE;
    this.#lineEnd = stop + 2;
    if (bytes[at] !== MINUS) return LENGTH_INVALID;
    return parseInteger64(bytes, at, stop - at) === undefined ? LENGTH_INVALID : -1;
  }

  #countFault(count: number): string {
    if (count === LENGTH_INVALID || count > ARGUMENTS_MAX) return 'invalid multibulk length';
    if (this.unauthenticated && count > UNAUTHENTICATED_ARGUMENTS_MAX) {
      return 'unauthenticated multibulk length';
    }
    return '';
  }

  #unfinished(bytes: Bytes, at: number, end: number, fault: string): number {
    if (end - at > INLINE_BYTES_MAX && indexOfByte(bytes, CR, at, end) < 0)
      return this.#fail(fault);
    return ParseStatus.incomplete;
  }

  /** Keeps the spans themselves, not a copy: a long command may arrive in a great many pieces. */
  #remember(left: number, resumeAt: number): void {
    const command = this.#command;
    this.#remembered = null;
    if (command.count < ARGUMENTS_REMEMBERED_MIN) return;
    this.#argumentsLeft = left;
    this.#resumeAt = resumeAt;
    this.#rememberedCount = command.count;
    this.#remembered = command.spans;
    command.spans = new Int32Array(2 * ARGUMENTS_EXPECTED);
  }

  #rememberedCount = 0;

  #recall(remembered: Int32Array<ArrayBuffer>): void {
    this.#command.spans = remembered;
    this.#command.count = this.#rememberedCount;
  }

  #inline(bytes: Bytes, at: number, end: number): number {
    const newline = indexOfByte(bytes, LF, at, end);
    if (newline < 0) {
      if (end - at > INLINE_BYTES_MAX) return this.#fail('too big inline request');
      this.bytesNeeded = end - at + 1;
      return ParseStatus.incomplete;
    }
    const stop = newline > at && bytes[newline - 1] === CR ? newline - 1 : newline;
    const command = this.#command;
    command.count = 0;
    if (!splitInline(bytes, at, stop, command)) return this.#fail('unbalanced quotes in request');
    this.consumed = newline + 1 - at;
    return ParseStatus.complete;
  }

  #fail(fault: string): number {
    this.error = errors.protocol(fault).text;
    return ParseStatus.error;
  }
}

function printable(byte: number): string {
  return String.fromCharCode(byte);
}
