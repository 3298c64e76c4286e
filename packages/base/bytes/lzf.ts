/**
 * LZF, the compression of Redis' dumps and of the inner nodes of its lists.
 *
 *   000nnnnn                      n + 1 bytes as they are follow
 *   lllooooo oooooooo             l + 2 bytes from o + 1 bytes back, for l from 1 to 6
 *   111ooooo llllllll oooooooo    the same for l + 7 + 2 bytes
 */
import type { Bytes } from './byte-array.ts';

const HASH_BITS = 13;
const LITERALS_MAX = 32;
const BACK_MAX = 8192;
const MATCH_BYTES_MIN = 3;
const MATCH_BYTES_MAX = 264;
const SHORT_LENGTH_MAX = 6;

/** Offset at which each hash of three bytes was last seen, plus one. */
const seen = new Int32Array(1 << HASH_BITS);

/** Compresses into `target`; returns how many bytes, or 0 when it does not have room for them. */
export function compressLzf(source: Bytes, at: number, length: number, target: Bytes): number {
  seen.fill(0);
  const end = at + length;
  let from = at;
  let to = 1;
  let literals = 0;
  while (from < end) {
    const match = from + 2 < end ? matchAt(source, at, from, end) : 0;
    // A match ends a run of literals, whose head may then be taken back; the next needs one.
    if (to + 4 > target.length) return 0;
    if (match === 0) {
      target[to] = source[from]!;
      to += 1;
      from += 1;
      literals += 1;
      if (literals === LITERALS_MAX) {
        target[to - literals - 1] = literals - 1;
        literals = 0;
        to += 1;
      }
      continue;
    }
    if (literals > 0) target[to - literals - 1] = literals - 1;
    else to -= 1;
    literals = 0;
    to = writeMatch(target, to, match, from - matched - 1);
    to += 1;
    from += match;
  }
  if (literals > 0) target[to - literals - 1] = literals - 1;
  else to -= 1;
  return to;
}

/** Offset at which the last match begins. */
let matched = 0;

/** Bytes that repeat earlier ones at `from`, and notes the place; 0 when there are too few. */
function matchAt(source: Bytes, start: number, from: number, end: number): number {
  const word = (source[from]! << 16) | (source[from + 1]! << 8) | source[from + 2]!;
  const slot = (Math.imul(word, 0x9e37_79b1) >>> (32 - HASH_BITS)) & ((1 << HASH_BITS) - 1);
  const candidate = seen[slot]! - 1;
  seen[slot] = from + 1;
  if (candidate < start || from - candidate > BACK_MAX) return 0;
  const most = Math.min(end - from, MATCH_BYTES_MAX);
  let length = 0;
  while (length < most && source[candidate + length] === source[from + length]) length += 1;
  matched = candidate;
  return length >= MATCH_BYTES_MIN ? length : 0;
}

function writeMatch(target: Bytes, at: number, length: number, back: number): number {
  const stored = length - 2;
  let to = at;
  if (stored <= SHORT_LENGTH_MAX) {
    target[to] = (stored << 5) | (back >>> 8);
  } else {
    target[to] = (7 << 5) | (back >>> 8);
    to += 1;
    target[to] = stored - 7;
  }
  target[to + 1] = back;
  return to + 2;
}

/** Decompresses exactly `size` bytes; returns whether that was what the source held. */
export function decompressLzf(source: Bytes, target: Bytes, size: number): boolean {
  let from = 0;
  let to = 0;
  while (from < source.length) {
    const control = source[from]!;
    from += 1;
    if (control < LITERALS_MAX) {
      const count = control + 1;
      if (to + count > size || from + count > source.length) return false;
      for (let index = 0; index < count; index += 1) target[to + index] = source[from + index]!;
      to += count;
      from += count;
      continue;
    }
    let count = control >>> 5;
    if (count === 7) {
      count += source[from] ?? 0;
      from += 1;
    }
    count += 2;
    if (from >= source.length) return false;
    const origin = to - ((control & 0x1f) << 8) - source[from]! - 1;
    from += 1;
    if (origin < 0 || to + count > size) return false;
    // Byte by byte: the origin may run into what is being written.
    for (let index = 0; index < count; index += 1) target[to + index] = target[origin + index]!;
    to += count;
  }
  return to === size;
}
