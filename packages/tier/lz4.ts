/** LZ4 blocks, so that values can be compressed without a native library. */

import { assert, type Bytes } from '#base';

/** Shorter matches are not worth their place. */
const MATCH_MIN = 4;
/** The format asks for literals at the end of a block, and for no match that begins near it. */
const LAST_LITERALS = 5;
const MATCH_END_DISTANCE = 12;
const OFFSET_MAX = 65_535;
const HASH_BITS = 13;
/** Number of bytes without a match after which the search takes larger steps, as a power of two. */
const SKIP_SHIFT = 6;
const NIBBLE_MAX = 15;
const BYTE_MAX = 255;

/** Places, plus one, at which sequences of four bytes were seen last. */
const table = new Int32Array(1 << HASH_BITS);

/** Returns the maximum output of `compress` for `length` bytes. */
export function compressedBytesMax(length: number): number {
  return length + Math.ceil(length / BYTE_MAX) + 16;
}

/** Compresses into `target`, which has room for `compressedBytesMax`; returns the count of bytes written. */
export function compress(source: Bytes, target: Bytes): number {
  assert(target.length >= compressedBytesMax(source.length), 'room for what cannot be compressed');
  table.fill(0);
  const matchLimit = source.length - MATCH_END_DISTANCE;
  const endLimit = source.length - LAST_LITERALS;
  let written = 0;
  let literals = 0;
  let at = 0;
  let missed = 1 << SKIP_SHIFT;
  while (at < matchLimit) {
    const slot = hashAt(source, at);
    const earlier = table[slot]! - 1;
    table[slot] = at + 1;
    if (earlier < 0 || at - earlier > OFFSET_MAX || !isMatch(source, earlier, at)) {
      at += missed >> SKIP_SHIFT;
      missed += 1;
      continue;
    }
    missed = 1 << SKIP_SHIFT;
    let end = at + MATCH_MIN;
    for (
      let from = earlier + MATCH_MIN;
      end < endLimit && source[from] === source[end];
      from += 1
    ) {
      end += 1;
    }
    written = putLiterals(source.subarray(literals, at), target, written, end - at - MATCH_MIN);
    target[written] = (at - earlier) & BYTE_MAX;
    target[written + 1] = (at - earlier) >> 8;
    written = putLength(end - at - MATCH_MIN, target, written + 2);
    at = end;
    literals = end;
  }
  return putLiterals(source.subarray(literals), target, written, 0);
}

function hashAt(bytes: Bytes, at: number): number {
  const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  return Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
}

function isMatch(bytes: Bytes, one: number, other: number): boolean {
  return (
    bytes[one] === bytes[other] &&
    bytes[one + 1] === bytes[other + 1] &&
    bytes[one + 2] === bytes[other + 2] &&
    bytes[one + 3] === bytes[other + 3]
  );
}

/** Writes a token with the literals before a match; `matchRest` is the length of the match beyond the least one. */
function putLiterals(literals: Bytes, target: Bytes, at: number, matchRest: number): number {
  const count = literals.length;
  target[at] = (Math.min(count, NIBBLE_MAX) << 4) | Math.min(matchRest, NIBBLE_MAX);
  const next = putLength(count, target, at + 1);
  target.set(literals, next);
  return next + count;
}

/** Writes the part of a length that its half of the token has no room for. */
function putLength(length: number, target: Bytes, at: number): number {
  if (length < NIBBLE_MAX) return at;
  let rest = length - NIBBLE_MAX;
  let next = at;
  for (; rest >= BYTE_MAX; rest -= BYTE_MAX) target[next++] = BYTE_MAX;
  target[next++] = rest;
  return next;
}

/** Decompresses a block that fills `target`; false for bytes that are no such block. */
export function decompress(source: Bytes, target: Bytes): boolean {
  const block = { bytes: source, at: 0 };
  let to = 0;
  while (block.at < source.length) {
    const token = source[block.at++]!;
    const literals = lengthAt(block, token >> 4);
    if (block.at + literals > source.length || to + literals > target.length) return false;
    target.set(source.subarray(block.at, block.at + literals), to);
    block.at += literals;
    to += literals;
    if (block.at === source.length) break;
    const offset = source[block.at]! | ((source[block.at + 1] ?? 0) << 8);
    block.at += 2;
    const count = lengthAt(block, token & NIBBLE_MAX) + MATCH_MIN;
    if (offset === 0 || offset > to || to + count > target.length) return false;
    to = repeat(target, to, offset, count);
  }
  return to === target.length;
}

/** Reads the rest of a length whose beginning is half of a token. */
function lengthAt(block: { readonly bytes: Bytes; at: number }, nibble: number): number {
  if (nibble < NIBBLE_MAX) return nibble;
  let length = nibble;
  let more: number;
  do {
    more = block.bytes[block.at++] ?? 0;
    length += more;
  } while (more === BYTE_MAX);
  return length;
}

/** Copies from before; what overlaps repeats itself. */
function repeat(target: Bytes, to: number, offset: number, count: number): number {
  const end = to + count;
  if (offset >= count) {
    target.copyWithin(to, to - offset, to - offset + count);
    return end;
  }
  for (let at = to; at < end; at += 1) target[at] = target[at - offset]!;
  return end;
}
