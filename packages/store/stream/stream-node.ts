/**
 * One node of a stream as a listpack, in Redis' form.
 *
 *   node    entries, deleted entries, fields, the fields' names, 0, then entry by entry:
 *   entry   flags, id as differences from the node's first one, [fields, and with each value its name],
 *           values, how many elements of the listpack the entry has before this one
 *
 * An entry whose fields are those of the node has no names of its own.
 */

import { assert, type Bytes, reused } from '#base';
import { ListpackEntries, spliced, type Stretch } from '../listpack/listpack-entries.ts';
import { HEADER_BYTES } from '../listpack/listpack-layout.ts';
import { Listpack } from '../listpack/listpack.ts';
import type { Pieces } from '../list/list-value.ts';
import type { StreamId } from './stream-id.ts';

export const EntryFlag = { deleted: 1, sameFields: 2 } as const;

/** Flags and both parts of the id. */
export const ENTRY_HEAD_ELEMENTS = 3;
/** An integer up to here is its own entry, of two bytes with the length after it. */
const SMALL_MAX = 127;
const SAFE_HIGH_MAX = 2 ** 21;
const WORD = 2 ** 32;
/** First byte of an integer of 64 bits in a listpack. */
const INT64 = 0xf4;

const cursorScratch = reused(new Listpack());
const fieldsScratch = reused(new ListpackEntries());
const countsScratch = reused(new ListpackEntries());
const stretchScratch: Stretch = { offset: HEADER_BYTES, bytes: 0, count: 2 };

/** Arguments that make up an entry: names and values in turn. */
export interface EntryPieces {
  readonly pieces: Pieces;
  readonly first: number;
  readonly end: number;
}

/** Entries of a node, those that were deleted with them or not. */
export const nodeCounts = { live: 0, deleted: 0 };

/** Reads how many entries a node has into `nodeCounts`. */
export function readCounts(bytes: Bytes, at: number): void {
  const first = at + HEADER_BYTES;
  if (bytes[first]! <= SMALL_MAX && bytes[first + 2]! <= SMALL_MAX) {
    nodeCounts.live = bytes[first]!;
    nodeCounts.deleted = bytes[first + 2]!;
    return;
  }
  cursorScratch.point(bytes, at).first();
  nodeCounts.live = cursorScratch.integer;
  cursorScratch.next();
  nodeCounts.deleted = cursorScratch.integer;
}

/**
 * Writes how many entries a node has. Where that changes its size, returns the whole new node, which the
 * caller puts in the place of the old one.
 */
export function writeCounts(
  bytes: Bytes,
  at: number,
  live: number,
  deleted: number,
): Bytes | undefined {
  const first = at + HEADER_BYTES;
  if (live <= SMALL_MAX && deleted <= SMALL_MAX) {
    if (bytes[first]! <= SMALL_MAX && bytes[first + 2]! <= SMALL_MAX) {
      bytes[first] = live;
      bytes[first + 2] = deleted;
      return undefined;
    }
  }
  cursorScratch.point(bytes, at).first();
  stretchScratch.bytes = cursorScratch.entryBytes;
  cursorScratch.next();
  stretchScratch.bytes += cursorScratch.entryBytes;
  countsScratch.clear().addInteger(live).addInteger(deleted);
  if (countsScratch.length === stretchScratch.bytes) {
    bytes.set(countsScratch.bytes.subarray(0, countsScratch.length), first);
    return undefined;
  }
  return spliced(bytes.subarray(at, at + cursorScratch.totalBytes), stretchScratch, countsScratch);
}

/** Reads the id of the last entry of a node, deleted or not; false when there is none. */
export function readLastId(bytes: Bytes, at: number, node: StreamId, id: StreamId): boolean {
  cursorScratch.point(bytes, at).last();
  const elements = cursorScratch.integer;
  if (elements === 0) return false;
  for (let left = elements - 1; left > 0; left -= 1) cursorScratch.prev();
  readEntryId(cursorScratch, node, id);
  return true;
}

/** True when the fields of an entry are those of the node, in their order. */
export function hasFields(bytes: Bytes, at: number, { pieces, first, end }: EntryPieces): boolean {
  cursorScratch.point(bytes, at).first();
  cursorScratch.next();
  cursorScratch.next();
  if (cursorScratch.integer !== (end - first) / 2) return false;
  cursorScratch.next();
  fieldsScratch.clear();
  for (let index = first; index < end; index += 2) {
    fieldsScratch.add(pieces.source, pieces.at(index), pieces.length(index));
  }
  // The same text is always the same bytes, and no element is the beginning of another.
  const start = cursorScratch.position;
  const { bytes: wanted, length } = fieldsScratch;
  if (start + length > bytes.length) return false;
  for (let index = 0; index < length; index += 1) {
    if (bytes[start + index] !== wanted[index]) return false;
  }
  return true;
}

/** Adds what a node begins with, for one entry. */
export function addNodeHead(entries: ListpackEntries, { pieces, first, end }: EntryPieces): void {
  entries
    .addInteger(1)
    .addInteger(0)
    .addInteger((end - first) / 2);
  for (let index = first; index < end; index += 2) {
    entries.add(pieces.source, pieces.at(index), pieces.length(index));
  }
  entries.addInteger(0);
}

/** Adds an entry. */
export function addEntry(
  entries: ListpackEntries,
  id: StreamId,
  node: StreamId,
  { pieces, first, end }: EntryPieces,
  isSame: boolean,
): void {
  const count = (end - first) / 2;
  entries.addInteger(isSame ? EntryFlag.sameFields : 0);
  addDifference(entries, id.msHigh, id.msLow, node.msHigh, node.msLow);
  addDifference(entries, id.seqHigh, id.seqLow, node.seqHigh, node.seqLow);
  if (!isSame) entries.addInteger(count);
  const { source } = pieces;
  for (let index = first; index < end; index += 2) {
    if (!isSame) entries.add(source, pieces.at(index), pieces.length(index));
    entries.add(source, pieces.at(index + 1), pieces.length(index + 1));
  }
  entries.addInteger(ENTRY_HEAD_ELEMENTS + (isSame ? count : 2 * count + 1));
}

/** Sets an id from the node's id and the differences at the cursor, and moves the cursor past them. */
export function readEntryId(from: Listpack, node: StreamId, id: StreamId): void {
  const ms = readDifference(from);
  const msLow = (node.msLow >>> 0) + (ms.low >>> 0);
  const msHigh = node.msHigh + ms.high + (msLow >= WORD ? 1 : 0);
  from.next();
  const seq = readDifference(from);
  const seqLow = (node.seqLow >>> 0) + (seq.low >>> 0);
  const seqHigh = node.seqHigh + seq.high + (seqLow >= WORD ? 1 : 0);
  from.next();
  id.setWords(msHigh, msLow, seqHigh, seqLow);
}

const difference = { high: 0, low: 0 };

function readDifference(from: Listpack): { high: number; low: number } {
  const { bytes, position } = from;
  if (bytes[position] === INT64) {
    difference.low = wordAt(bytes, position + 1);
    difference.high = wordAt(bytes, position + 5);
  } else {
    const { integer } = from;
    assert(!Number.isNaN(integer), 'an id in a stream is made of integers');
    difference.low = integer | 0;
    difference.high = integer < 0 ? -1 : 0;
  }
  return difference;
}

function wordAt(bytes: Bytes, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

/** Redis has the difference as a signed integer. */
function addDifference(
  entries: ListpackEntries,
  high: number,
  low: number,
  fromHigh: number,
  fromLow: number,
): void {
  const difference = (low >>> 0) - (fromLow >>> 0);
  const over = (high - fromHigh - (difference < 0 ? 1 : 0)) | 0;
  const under = difference >>> 0;
  if (over >= -SAFE_HIGH_MAX && over < SAFE_HIGH_MAX) entries.addInteger(over * WORD + under);
  else entries.addInteger64((BigInt(over) << 32n) | BigInt(under));
}
