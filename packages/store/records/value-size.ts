/**
 * Values that change their length or their place: in the record, or outside it in a blob.
 *
 * These functions may build a new record, which has taken over all that the old one keeps outside. The
 * caller renames it in the indexes and frees the old cell.
 */
import { assert } from '#base';
import { GROWTH_BYTES_MAX, VALUE_BYTES_MAX, VALUE_RETURN_BYTES } from '../memory/limits.ts';
import { PLACE_BLOB, PLACE_MASK, PLACE_OBJECT, withoutValue, withValue } from './record-head.ts';
import type { Records } from './records.ts';
import type { Ref } from '../memory/segment.ts';

/** A blob is copied into a smaller one when less than one part in this many is used. */
const SHRINK_PARTS = 4;

/** The record with a value of `length` bytes: the same one, or a new one. New bytes are zero. */
export function resizeValue(records: Records, ref: Ref, length: number): Ref {
  assert(length <= VALUE_BYTES_MAX, 'a value of at most a GiB');
  const head = records.head(ref);
  assert((head & PLACE_OBJECT) === 0, 'a value of bytes is resized');
  const next = withValue(withoutValue(head), length);
  if ((head & PLACE_MASK) === PLACE_BLOB) {
    if (length <= VALUE_RETURN_BYTES) return moveInside(records, ref, next, length);
    resizeBlob(records, records.number(ref), length);
    return ref;
  }
  if ((next & PLACE_MASK) !== 0) return moveOutside(records, ref, next, length);
  if (!records.fitsCell(ref, next)) return records.rebuild(ref, next);
  const before = records.valueLength(ref);
  records.setHead(ref, next);
  const view = records.viewValue(ref);
  if (length > before) view.bytes.fill(0, view.at + before, view.at + length);
  return ref;
}

/** The record with its expiry added, as 0, or taken away. */
export function switchExpiry(records: Records, ref: Ref, nextHead: number): Ref {
  const head = records.head(ref);
  if ((head & PLACE_MASK) !== 0) return records.rebuild(ref, nextHead);
  // A value that no longer fits beside an expiry goes outside.
  const length = records.valueLength(ref);
  const next = withValue(withoutValue(nextHead), length);
  if ((next & PLACE_MASK) === 0) return records.rebuild(ref, next);
  return moveOutside(records, ref, next, length);
}

/** A new record whose inline value stands in a blob with room to grow. */
function moveOutside(records: Records, ref: Ref, head: number, length: number): Ref {
  const view = records.viewValue(ref);
  const blob = new Uint8Array(withReserve(length));
  blob.set(view.bytes.subarray(view.at, view.at + Math.min(view.length, length)));
  records.blobs.reserve();
  const next = records.rebuild(ref, head);
  records.setNumber(next, records.addBlob(blob, length));
  return next;
}

/** A new record that holds what was in its blob. */
function moveInside(records: Records, ref: Ref, head: number, length: number): Ref {
  assert((head & PLACE_MASK) === 0, 'a value that fits its record');
  const number = records.number(ref);
  const blob = records.blobs.thing(number);
  const kept = Math.min(records.blobs.number(number), length);
  const next = records.rebuild(ref, head);
  records.writeInline(next, blob, 0, kept);
  records.removeBlob(number);
  return next;
}

function resizeBlob(records: Records, number: number, length: number): void {
  const blob = records.blobs.thing(number);
  const before = records.blobs.number(number);
  // A part well below a half, so that a value around half its room is not copied up and down.
  const isTooLarge = length < blob.length / SHRINK_PARTS;
  if (length <= blob.length && !isTooLarge) {
    if (length > before) blob.fill(0, before, length);
    records.blobs.setNumber(number, length);
    return;
  }
  const next = new Uint8Array(length > before ? withReserve(length) : length);
  next.set(blob.subarray(0, Math.min(before, length)));
  records.replaceBlob(number, next, length);
}

/** Room for more of the same: double, or a fixed piece more when that is large already. */
function withReserve(length: number): number {
  return Math.min(VALUE_BYTES_MAX, length + Math.min(length, GROWTH_BYTES_MAX));
}
