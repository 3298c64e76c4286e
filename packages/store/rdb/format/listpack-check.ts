/** Checks of listpacks from outside: their headers and lengths are valid afterwards. */
import { type Bytes, reused } from '#base';
import { ListpackEntries } from '../../listpack/listpack-entries.ts';
import {
  backLengthBytes,
  COUNT_UNKNOWN,
  END,
  HEADER_BYTES,
  writeBackLength,
} from '../../listpack/listpack-layout.ts';
import { Listpack } from '../../listpack/listpack.ts';
import { demand } from './malformed.ts';

const backLengthScratch = new Uint8Array(5);
const cursorScratch = reused(new Listpack());

/** First bytes of entries that are no integers of 7 or 13 bits or strings with their length inside. */
const LONG_STRING = 0xf0;
const INT64 = 0xf4;

/**
 * The listpack with every entry as this server would write it, which for one that Redis wrote is the
 * bytes themselves; throws MalformedValueError.
 */
export function checkedListpack(bytes: Bytes): Bytes {
  demand(bytes.length > HEADER_BYTES);
  demand(wordAt(bytes, 0) === bytes.length && bytes[bytes.length - 1] === END);
  const end = bytes.length - 1;
  let count = 0;
  let at = HEADER_BYTES;
  while (at < end) {
    at = checkEntry(bytes, at, end);
    count += 1;
  }
  const stored = bytes[4]! | (bytes[5]! << 8);
  demand(stored === COUNT_UNKNOWN || stored === count);
  return stored === Math.min(count, COUNT_UNKNOWN) && isOurs(bytes) ? bytes : rewritten(bytes);
}

/** Returns the offset of the next entry. */
function checkEntry(bytes: Bytes, at: number, end: number): number {
  const head = headBytes(bytes[at]!);
  demand(head > 0 && at + head <= end);
  const body = head + dataBytes(bytes, at);
  const backBytes = backLengthBytes(body);
  demand(body + backBytes <= end - at);
  writeBackLength(backLengthScratch, 0, body);
  for (let index = 0; index < backBytes; index += 1) {
    demand(bytes[at + body + index] === backLengthScratch[index]);
  }
  return at + body + backBytes;
}

/** Bytes that say how many more there are, and integers as a whole; 0 for what begins no entry. */
function headBytes(first: number): number {
  if (first < 0xc0) return 1;
  if (first < 0xf0) return 2;
  if (first === LONG_STRING) return 5;
  if (first > INT64) return 0;
  return first === INT64 ? 9 : first - 0xee;
}

/** Bytes of an entry's string; 0 for an integer. */
function dataBytes(bytes: Bytes, at: number): number {
  const first = bytes[at]!;
  if (first >= 0x80 && first < 0xc0) return first & 0x3f;
  if (first >= 0xe0 && first < 0xf0) return ((first & 0x0f) << 8) | bytes[at + 1]!;
  return first === LONG_STRING ? wordAt(bytes, at + 1) : 0;
}

function isOurs(bytes: Bytes): boolean {
  cursorScratch.point(bytes, 0);
  for (let more = cursorScratch.first(); more; more = cursorScratch.next()) {
    cursorScratch.read();
    if (!cursorScratch.equals(cursorScratch.text, cursorScratch.textAt, cursorScratch.textLength))
      return false;
  }
  return true;
}

function rewritten(bytes: Bytes): Bytes {
  const entries = new ListpackEntries();
  cursorScratch.point(bytes, 0);
  for (let more = cursorScratch.first(); more; more = cursorScratch.next()) {
    cursorScratch.read();
    entries.add(cursorScratch.text, cursorScratch.textAt, cursorScratch.textLength);
  }
  return entries.toListpack();
}

function wordAt(bytes: Bytes, at: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  return (low | (bytes[at + 3]! << 24)) >>> 0;
}
