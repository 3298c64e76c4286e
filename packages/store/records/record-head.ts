/**
 * Layout of a cell:
 *
 *   word 0   freeze 1 bit | type 3 bits | encoding 4 bits | access 24 bits
 *   word 1   has expiry 1 | key outside 1 | place of the value 2 | value length 14 | key length 14
 *   then     expiry, a double                     when it has one
 *            number of the value's outside entry  when the value is not inline
 *            size of the value                    when it is warm: bytes of a string, else elements
 *            number of the key's outside entry    when the key is outside
 *            key bytes, value bytes               those that are inline
 *
 * A record in use never has type 0, by which the heap recognizes free cells. The freeze bit is
 * described in `snapshot-iterator.ts`.
 */
import { Encoding } from '../values/encodings.ts';
import { CELL_BYTES_MAX, KEY_INLINE_BYTES_MAX } from '../memory/limits.ts';
import { UNIT_MASK, type Ref } from '../memory/segment.ts';
import { ValueType } from '../values/value-type.ts';

/** Bits of word 0. */
export const FREEZE_BIT = 1 << 31;
export const TYPE_SHIFT = 28;
export const TYPE_MASK = 7;
export const ENCODING_SHIFT = 24;
export const ENCODING_MASK = 15;
export const ACCESS_MASK = 0xffffff;

const LISTPACK_EX = (ValueType.hash << 4) | Encoding.listpackEx;
const HASHTABLE_EX = (ValueType.hash << 4) | Encoding.hashtableEx;

/** True when word 0 is that of a hash with fields that expire. */
export function hasFieldExpiry(word: number): boolean {
  const kind = (word & ~FREEZE_BIT) >>> ENCODING_SHIFT;
  return kind === LISTPACK_EX || kind === HASHTABLE_EX;
}

/** Bits of word 1, a record's head. The expiry is the sign bit: `head < 0` asks for it. */
export const HAS_EXPIRY = 1 << 31;
export const KEY_OUTSIDE = 1 << 30;
export const PLACE_MASK = 3 << 28;
export const PLACE_BLOB = 1 << 28;
export const PLACE_OBJECT = 2 << 28;
/** The value is in the warm tier; the number says where. */
export const PLACE_WARM = 3 << 28;
export const VALUE_SHIFT = 14;
export const LENGTH_MASK = (1 << 14) - 1;

const HEADER_BYTES = 8;
const EXPIRY_BYTES = 8;
const NUMBER_BYTES = 4;
const WARM_SIZE_BYTES = 4;

/** Head of a record with this key; the place and the length of the value are zero in it. */
export function headOf(keyLength: number, hasExpiry: boolean): number {
  const key = keyLength > KEY_INLINE_BYTES_MAX ? KEY_OUTSIDE : keyLength;
  return hasExpiry ? HAS_EXPIRY | key : key;
}

/** Adds a value of `length` bytes to such a head: inline if the cell can be that large, else a blob. */
export function withValue(head: number, length: number): number {
  const bytes = recordBytes(head) + length;
  return bytes <= CELL_BYTES_MAX ? head | (length << VALUE_SHIFT) : head | PLACE_BLOB;
}

/** The head without what it says of the value. */
export function withoutValue(head: number): number {
  return head & ~(PLACE_MASK | (LENGTH_MASK << VALUE_SHIFT));
}

export function recordBytes(head: number): number {
  return fixedBytes(head) + (head & LENGTH_MASK) + ((head >>> VALUE_SHIFT) & LENGTH_MASK);
}

function fixedBytes(head: number): number {
  let bytes = head < 0 ? HEADER_BYTES + EXPIRY_BYTES : HEADER_BYTES;
  if ((head & (PLACE_MASK | KEY_OUTSIDE)) !== 0) {
    if ((head & PLACE_MASK) !== 0) bytes += NUMBER_BYTES;
    if ((head & PLACE_MASK) === PLACE_WARM) bytes += WARM_SIZE_BYTES;
    if ((head & KEY_OUTSIDE) !== 0) bytes += NUMBER_BYTES;
  }
  return bytes;
}

export function keyAt(ref: Ref, head: number): number {
  return ((ref & UNIT_MASK) << 3) + fixedBytes(head);
}

export function valueAt(ref: Ref, head: number): number {
  return keyAt(ref, head) + (head & LENGTH_MASK);
}

export function inlineKeyBytes(head: number): number {
  return head & LENGTH_MASK;
}

export function inlineValueBytes(head: number): number {
  return (head >>> VALUE_SHIFT) & LENGTH_MASK;
}

/** Index of the word with the number of the value outside. */
export function numberWord(ref: Ref, head: number): number {
  return ((ref & UNIT_MASK) << 1) + (head < 0 ? 4 : 2);
}

export function keyNumberWord(ref: Ref, head: number): number {
  return numberWord(ref, head) + (((head & PLACE_MASK) !== 0 ? 1 : 0) + (isWarmHead(head) ? 1 : 0));
}

/** Index of the word with the size of a warm value. */
export function warmSizeWord(ref: Ref, head: number): number {
  return numberWord(ref, head) + 1;
}

/** True when the value of a record with this head is in the warm tier. */
export function isWarmHead(head: number): boolean {
  return (head & PLACE_MASK) === PLACE_WARM;
}
