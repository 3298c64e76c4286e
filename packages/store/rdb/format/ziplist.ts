/**
 * Ziplists, which Redis wrote before listpacks. They are only ever read.
 *
 *   ziplist   u32 bytes in all, u32 where the last entry begins, u16 entries (65535: count them),
 *             entries, 0xff
 *   entry     bytes of the entry before it, one byte or 0xfe and four; encoding; data
 *
 *   encoding   holds
 *   00xxxxxx   a string of up to 63 bytes
 *   01xxxxxx   a string of up to 16383 bytes: its length continues in the next byte
 *   10......   a string: its length in the next four bytes, the high one first
 *   0xc0 0xd0 0xe0 0xf0 0xfe   an integer in 2, 4, 8, 3 bytes or 1
 *   0xf1 - 0xfd                an integer from 0 to 12
 *
 * Zipmaps are older still, and hold fields and values of hashes:
 *
 *   zipmap    a byte for the count of fields (254 and more: count them), for each field its length and bytes, then the
 *             length of its value, a byte for how many free bytes follow the value, the value, those; 0xff
 *   length    a byte, or 0xfe and four, the low one first
 */
import { asBuffer, type Bytes } from '#base';
import { ListpackEntries } from '../../listpack/listpack-entries.ts';
import { demand } from './malformed.ts';

const HEADER_BYTES = 10;
const END = 0xff;
const COUNT_UNKNOWN = 0xffff;
/** In the place of the previous entry's bytes: they are in the next four. */
const PREVIOUS_LONG = 0xfe;
const SMALL_FIRST = 0xf1;
const SMALL_LAST = 0xfd;

/** Bytes of integers by their encoding. */
const INTEGER_BYTES = new Map([
  [0xc0, 2],
  [0xd0, 4],
  [0xe0, 8],
  [0xf0, 3],
  [0xfe, 1],
]);

/** A listpack of the same entries; throws MalformedValueError. */
export function listpackOfZiplist(bytes: Bytes): Bytes {
  demand(bytes.length > HEADER_BYTES);
  const buffer = asBuffer(bytes);
  const end = bytes.length - 1;
  demand(buffer.readUInt32LE(0) === bytes.length && bytes[end] === END);
  const entries = new ListpackEntries();
  let at = HEADER_BYTES;
  let last = at;
  let previous = 0;
  while (at < end) {
    const next = takeEntry(buffer, at, end, previous, entries);
    previous = next - at;
    last = at;
    at = next;
  }
  const count = buffer.readUInt16LE(8);
  demand(buffer.readUInt32LE(4) === last);
  demand(count === COUNT_UNKNOWN || count === entries.count);
  return entries.toListpack();
}

/** Adds the entry that begins at `at`; returns where the next one does. */
function takeEntry(
  buffer: Buffer,
  at: number,
  end: number,
  previous: number,
  entries: ListpackEntries,
): number {
  const isLong = buffer[at] === PREVIOUS_LONG;
  const encodingAt = at + (isLong ? 5 : 1);
  demand(encodingAt < end);
  demand((isLong ? buffer.readUInt32LE(at + 1) : buffer[at]) === previous);
  const encoding = buffer[encodingAt]!;
  if (encoding >= 0xc0) return takeInteger(buffer, encodingAt, end, entries);
  const headBytes = [1, 2, 5][encoding >>> 6]!;
  const dataAt = encodingAt + headBytes;
  demand(dataAt <= end);
  let length = encoding & 0x3f;
  if (headBytes === 2) length = (length << 8) | buffer[encodingAt + 1]!;
  if (headBytes === 5) length = buffer.readUInt32BE(encodingAt + 1);
  demand(length <= end - dataAt);
  entries.add(buffer, dataAt, length);
  return dataAt + length;
}

function takeInteger(buffer: Buffer, at: number, end: number, entries: ListpackEntries): number {
  const encoding = buffer[at]!;
  if (encoding >= SMALL_FIRST && encoding <= SMALL_LAST) {
    entries.addInteger(encoding - SMALL_FIRST);
    return at + 1;
  }
  const count = INTEGER_BYTES.get(encoding);
  demand(count !== undefined && count <= end - at - 1);
  if (count === 8) entries.addInteger64(buffer.readBigInt64LE(at + 1));
  else entries.addInteger(buffer.readIntLE(at + 1, count));
  return at + 1 + count;
}

const ZIPMAP_LONG = 0xfe;

/** Fields and values of a zipmap, by turns; throws MalformedValueError. */
export function textsOfZipmap(bytes: Bytes): Bytes[] {
  demand(bytes.length >= 2);
  const buffer = asBuffer(bytes);
  const texts: Bytes[] = [];
  let at = 1;
  while (at < bytes.length && bytes[at] !== END) {
    const isValue = texts.length % 2 === 1;
    const isLong = bytes[at] === ZIPMAP_LONG;
    demand(at + 5 < bytes.length || !isLong);
    const length = isLong ? buffer.readUInt32LE(at + 1) : bytes[at]!;
    at += isLong ? 5 : 1;
    const free = isValue ? (bytes[at++] ?? 0) : 0;
    demand(at + length + free < bytes.length);
    texts.push(bytes.subarray(at, at + length));
    at += length + free;
  }
  demand(at === bytes.length - 1 && texts.length % 2 === 0);
  demand(bytes[0]! >= ZIPMAP_LONG || bytes[0] === texts.length / 2);
  return texts;
}
