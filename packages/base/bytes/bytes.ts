/** Work on ranges of bytes without making views: what every hot path does. */

import { isUtf8 } from 'node:buffer';
import type { Bytes } from './byte-array.ts';
import { ByteViews, copyWords } from './byte-views.ts';
import { copyLong } from './long-copy.ts';

/** Below this a byte loop beats finding views. */
const LOOP_COPY_BYTES_MAX = 8;
/** From this on the native copy is as quick as one by words. */
const WORD_COPY_BYTES_MAX = 512;
/** Without views the native copy, which first has to make one, is quicker from this on. */
const NATIVE_COPY_BYTES_MIN = 25;

const sources = new ByteViews();
const targets = new ByteViews();

/** Copies `length` bytes; the ranges must not overlap. `view` is the view of the source, if the caller has one. */
export function copyBytes(
  source: Bytes,
  sourceAt: number,
  target: Bytes,
  targetAt: number,
  length: number,
  sourceView?: DataView,
): void {
  if (length > LOOP_COPY_BYTES_MAX && length <= WORD_COPY_BYTES_MAX) {
    const from = sourceView ?? sources.of(source);
    const to = from && targets.of(target);
    if (from !== undefined && to !== undefined) {
      copyWords(to, targetAt, from, sourceAt, length);
      return;
    }
  }
  if (length < NATIVE_COPY_BYTES_MIN) {
    for (let index = 0; index < length; index += 1) {
      target[targetAt + index] = source[sourceAt + index]!;
    }
    return;
  }
  copyLong(target, targetAt, source, sourceAt, length);
}

/** True when two ranges of the same length hold the same bytes. */
export function sameBytes(a: Bytes, aAt: number, b: Bytes, bAt: number, length: number): boolean {
  for (let index = 0; index < length; index += 1) {
    if (a[aAt + index] !== b[bAt + index]) return false;
  }
  return true;
}

/** A buffer over the same memory as `bytes`, for its encoders; makes no copy. */
export function asBuffer(bytes: Bytes): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** One character per byte. The only text form of a key or argument that loses nothing. */
export function latin1(bytes: Bytes, at = 0, length = bytes.length - at): string {
  if (length < 16) {
    let text = '';
    for (let index = at; index < at + length; index += 1) {
      text += String.fromCharCode(bytes[index]!);
    }
    return text;
  }
  return asBuffer(bytes).toString('latin1', at, at + length);
}

/** Text for people, and for JSON, which has no bytes: what is no UTF-8 has a character for each byte. */
export function readable(bytes: Bytes): string {
  return asBuffer(bytes).toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

/** The bytes of a text of one-byte characters. */
export function fromLatin1(text: string): Bytes {
  return Buffer.from(text, 'latin1');
}

/** Returns the first index of `byte` in the range; -1 when it is not there. `indexOf` knows no end. */
export function indexOfByte(bytes: Bytes, byte: number, from: number, end: number): number {
  for (let index = from; index < end; index += 1) if (bytes[index] === byte) return index;
  return -1;
}

/** True when the range spells `upper` (upper-case ASCII), in any case. */
export function spells(bytes: Bytes, at: number, length: number, upper: string): boolean {
  if (length !== upper.length) return false;
  for (let index = 0; index < length; index += 1) {
    let byte = bytes[at + index]!;
    if (byte >= 0x61 && byte <= 0x7a) byte -= 0x20;
    if (byte !== upper.charCodeAt(index)) return false;
  }
  return true;
}
