/** Strings in JSON: found where they lie, and copied only if escapes have to be taken out of them. */

import type { LuaVm } from '../lua-vm.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const UNICODE_BYTES = 6;

/** Bytes that escapes of one letter stand for; 0 for letters that are none. */
const escapes = new Uint8Array(256);
const LETTERS = '"\\/btnfru';
const MEANINGS = '"\\/\b\t\n\f\ru';
for (let nth = 0; nth < LETTERS.length; nth += 1) {
  escapes[LETTERS.charCodeAt(nth)] = MEANINGS.charCodeAt(nth);
}

const hexDigits = new Int8Array(256).fill(-1);
for (const digit of '0123456789abcdefABCDEF') {
  hexDigits[digit.charCodeAt(0)] = Number.parseInt(digit, 16);
}

export class JsonStringReader {
  readonly #vm: LuaVm;
  #L = 0;
  #bytesMax = 0;
  /** Address and length of the string read last, and the place after it. */
  start = 0;
  length = 0;
  end = 0;

  constructor(vm: LuaVm) {
    this.#vm = vm;
  }

  /** Starts a text of `bytes` bytes, which no string exceeds. */
  begin(L: number, bytes: number): void {
    this.#L = L;
    this.#bytesMax = bytes;
  }

  /** Reads the string whose quote lies there; returns what is wrong with it, and `end` is where that is. */
  read(at: number): string | undefined {
    const { bytes } = this.#vm;
    let next = at + 1;
    for (;;) {
      const byte = bytes[next]!;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) return this.#escaped(at + 1, next);
      if (byte === 0) {
        this.end = next;
        return 'unexpected end of string';
      }
      next += 1;
    }
    this.start = at + 1;
    this.length = next - this.start;
    this.end = next + 1;
    return undefined;
  }

  /** Reads a string of which the first escape lies at `next`. */
  #escaped(first: number, next: number): string | undefined {
    const target = this.#vm.scratch(this.#L, this.#bytesMax + 1);
    const { bytes } = this.#vm;
    bytes.copyWithin(target, first, next);
    let to = target + next - first;
    let from = next;
    for (;;) {
      const byte = bytes[from]!;
      if (byte === QUOTE) break;
      if (byte === 0) return this.#stopped(from, 'unexpected end of string');
      const escape = byte === BACKSLASH ? escapes[bytes[from + 1]!]! : byte;
      if (byte !== BACKSLASH || escape !== LETTER_U) {
        if (escape === 0) return this.#stopped(from, 'invalid escape code');
        bytes[to++] = escape;
        from += byte === BACKSLASH ? 2 : 1;
        continue;
      }
      const point = codePoint(bytes, from);
      if (point < 0) return this.#stopped(from, 'invalid unicode escape code');
      to += writeUtf8(bytes, to, point);
      from += point > 0xffff ? UNICODE_BYTES * 2 : UNICODE_BYTES;
    }
    this.start = target;
    this.length = to - target;
    this.end = from + 1;
    return undefined;
  }

  #stopped(at: number, fault: string): string {
    this.end = at;
    return fault;
  }
}

/** Code point of the escape that lies there, of two escapes if the first is half of a pair; -1 for wrong ones. */
function codePoint(bytes: Uint8Array, at: number): number {
  const high = hexadecimal(bytes, at + 2);
  if (high < 0 || (high & 0xf800) !== 0xd800) return high;
  if ((high & 0x400) !== 0) return -1;
  const second = at + UNICODE_BYTES;
  if (bytes[second] !== BACKSLASH || bytes[second + 1] !== LETTER_U) return -1;
  const low = hexadecimal(bytes, second + 2);
  if (low < 0 || (low & 0xfc00) !== 0xdc00) return -1;
  return (((high & 0x3ff) << 10) | (low & 0x3ff)) + 0x10000;
}

function hexadecimal(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let nth = 0; nth < 4; nth += 1) {
    const digit = hexDigits[bytes[at + nth]!]!;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** Writes a code point, halves of pairs too; returns how many bytes that takes. */
function writeUtf8(bytes: Uint8Array, at: number, point: number): number {
  if (point <= 0x7f) {
    bytes[at] = point;
    return 1;
  }
  const tail = (shift: number): number => ((point >> shift) & 0x3f) | 0x80;
  if (point <= 0x7ff) {
    bytes[at] = (point >> 6) | 0xc0;
    bytes[at + 1] = tail(0);
    return 2;
  }
  if (point <= 0xffff) {
    bytes[at] = (point >> 12) | 0xe0;
    bytes[at + 1] = tail(6);
    bytes[at + 2] = tail(0);
    return 3;
  }
  bytes[at] = (point >> 18) | 0xf0;
  bytes[at + 1] = tail(12);
  bytes[at + 2] = tail(6);
  bytes[at + 3] = tail(0);
  return 4;
}
