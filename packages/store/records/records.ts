/**
 * The records of one database: how to read, build and free them.
 *
 * Large because a record has ten parts, most of which are read and written, and only this class knows where in the
 * record they lie.
 */
import { assert, copyLong, copyWords, keySlot } from '#base';
import { copyInto } from '../memory/byte-views.ts';
import { Heap } from '../memory/heap.ts';
import { BLOB_OVERHEAD_BYTES, LOOP_COPY_BYTES_MAX, OUTSIDE_SLOT_BYTES } from '../memory/limits.ts';
import { BLOB_BYTES, OBJECT_BYTES, type Ledger } from '../memory/memory-count.ts';
import { LargeValues } from '../memory/large-values.ts';
import {
  HAS_EXPIRY,
  inlineKeyBytes,
  inlineValueBytes,
  isWarmHead,
  keyAt,
  KEY_OUTSIDE,
  keyNumberWord,
  LENGTH_MASK,
  numberWord,
  PLACE_BLOB,
  PLACE_MASK,
  PLACE_OBJECT,
  PLACE_WARM,
  recordBytes,
  valueAt,
  VALUE_SHIFT,
  warmSizeWord,
} from './record-head.ts';
import type { KeyHasher } from './key-hasher.ts';
import type { SharedViews, ValueView } from '../values/shared-views.ts';
import type { Loan } from '../warm/loan.ts';
import { viewLoan } from '../warm/loan.ts';
import { lend } from '../warm/lend.ts';
import type { WarmTier } from '../warm/warm-tier.ts';
import { SEGMENT_SHIFT, UNIT_MASK, type Ref, type Segment } from '../memory/segment.ts';
import { classOf } from '../memory/size-classes.ts';

/** A blob is overwritten in place while at most an eighth of it stays unused. */
const SNUG_SHIFT = 3;

/** Expiries are added up from here on, so that the sum of millions of them stays exact to the millisecond. */
const EXPIRY_ORIGIN_MS = 1_700_000_000_000;

export class Records {
  readonly heap: Heap;
  readonly segments: Segment[];
  readonly blobs: LargeValues<Uint8Array>;
  readonly objects: LargeValues<unknown>;
  readonly #hasher: KeyHasher;
  readonly #views: SharedViews;
  readonly #ledger: Ledger;
  readonly #tier: WarmTier;
  /** Number by which the warm tier knows these records. */
  readonly warmOwner: number;
  #expirySum = 0;

  constructor(
    hasher: KeyHasher,
    views: SharedViews,
    ledger: Ledger,
    warm: { readonly tier: WarmTier; readonly owner: number },
  ) {
    this.#tier = warm.tier;
    this.warmOwner = warm.owner;
    this.heap = new Heap(ledger);
    this.segments = this.heap.segments;
    this.blobs = new LargeValues<Uint8Array>(ledger, BLOB_BYTES);
    this.objects = new LargeValues<unknown>(ledger, OBJECT_BYTES);
    this.#hasher = hasher;
    this.#views = views;
    this.#ledger = ledger;
  }

  /** The hash of a record's key. */
  hashOf(ref: Ref): number {
    const head = this.head(ref);
    if ((head & KEY_OUTSIDE) !== 0) {
      const key = this.blobs.thing(this.#keyNumber(ref, head));
      return this.#hasher.hash(key, 0, key.length);
    }
    const bytes = this.segments[ref >>> SEGMENT_SHIFT]!.bytes;
    return this.#hasher.hash(bytes, keyAt(ref, head), head & LENGTH_MASK);
  }

  /** The slot of the record's key in a cluster. */
  slotOf(ref: Ref): number {
    const head = this.head(ref);
    if ((head & KEY_OUTSIDE) !== 0) {
      const key = this.blobs.thing(this.#keyNumber(ref, head));
      return keySlot(key, 0, key.length);
    }
    const bytes = this.segments[ref >>> SEGMENT_SHIFT]!.bytes;
    return keySlot(bytes, keyAt(ref, head), head & LENGTH_MASK);
  }

  /** True when the record's key is these bytes. */
  keyEquals(ref: Ref, key: Uint8Array, at: number, length: number): boolean {
    const segment = this.segments[ref >>> SEGMENT_SHIFT]!;
    const head = segment.words[((ref & UNIT_MASK) << 1) + 1]!;
    // A length beyond the field's bits cannot equal it, and a key outside has one bit more.
    if ((head & (KEY_OUTSIDE | LENGTH_MASK)) !== length) {
      return (head & KEY_OUTSIDE) !== 0 && this.#outsideKeyEquals(ref, key, at, length);
    }
    const own = keyAt(ref, head);
    const view = this.#views.keys.of(key);
    let i = 0;
    if (view !== undefined) {
      const ownView = segment.view;
      for (; i <= length - 4; i += 4) {
        if (ownView.getInt32(own + i, true) !== view.getInt32(at + i, true)) return false;
      }
    }
    const bytes = segment.bytes;
    for (; i < length; i += 1) if (bytes[own + i] !== key[at + i]) return false;
    return true;
  }

  word(ref: Ref): number {
    return this.segments[ref >>> SEGMENT_SHIFT]!.words[(ref & UNIT_MASK) << 1]!;
  }

  setWord(ref: Ref, word: number): void {
    this.segments[ref >>> SEGMENT_SHIFT]!.words[(ref & UNIT_MASK) << 1] = word;
  }

  head(ref: Ref): number {
    return this.segments[ref >>> SEGMENT_SHIFT]!.words[((ref & UNIT_MASK) << 1) + 1]!;
  }

  setHead(ref: Ref, head: number): void {
    this.segments[ref >>> SEGMENT_SHIFT]!.words[((ref & UNIT_MASK) << 1) + 1] = head;
  }

  /** The expiry of a record that has one. */
  expiry(ref: Ref): number {
    return this.segments[ref >>> SEGMENT_SHIFT]!.doubles[(ref & UNIT_MASK) + 1]!;
  }

  setExpiry(ref: Ref, unixMs: number): void {
    const { doubles } = this.segments[ref >>> SEGMENT_SHIFT]!;
    const at = (ref & UNIT_MASK) + 1;
    this.#expirySum += sinceOrigin(unixMs) - sinceOrigin(doubles[at]!);
    doubles[at] = unixMs;
  }

  /** All expiries together: how much later than the origin they are. */
  get expirySum(): number {
    return this.#expirySum;
  }

  /** Number of the value's entry outside. */
  number(ref: Ref): number {
    const words = this.segments[ref >>> SEGMENT_SHIFT]!.words;
    return words[numberWord(ref, this.head(ref))]!;
  }

  setNumber(ref: Ref, number: number): void {
    this.segments[ref >>> SEGMENT_SHIFT]!.words[numberWord(ref, this.head(ref))] = number;
  }

  /** Points the shared view at the key. */
  viewKey(ref: Ref): ValueView {
    const head = this.head(ref);
    const view = this.#views.value;
    if ((head & KEY_OUTSIDE) !== 0) {
      view.bytes = this.blobs.thing(this.#keyNumber(ref, head));
      view.view = undefined;
      view.at = 0;
      view.length = view.bytes.length;
    } else {
      const segment = this.segments[ref >>> SEGMENT_SHIFT]!;
      view.bytes = segment.bytes;
      view.view = segment.view;
      view.at = keyAt(ref, head);
      view.length = head & LENGTH_MASK;
    }
    return view;
  }

  /** Points the shared view at the value's bytes. */
  viewValue(ref: Ref): ValueView {
    const segment = this.segments[ref >>> SEGMENT_SHIFT]!;
    const head = segment.words[((ref & UNIT_MASK) << 1) + 1]!;
    const view = this.#views.value;
    if ((head & PLACE_MASK) === 0) {
      view.bytes = segment.bytes;
      view.view = segment.view;
      view.at = valueAt(ref, head);
      view.length = (head >>> VALUE_SHIFT) & LENGTH_MASK;
    } else if (isWarmHead(head)) {
      return viewLoan(this.loan(ref), view);
    } else {
      assert((head & PLACE_OBJECT) === 0, 'a value of bytes');
      const number = segment.words[numberWord(ref, head)]!;
      view.bytes = this.blobs.thing(number);
      view.view = undefined;
      view.at = 0;
      view.length = this.blobs.number(number);
    }
    return view;
  }

  valueLength(ref: Ref): number {
    const head = this.head(ref);
    const place = head & PLACE_MASK;
    if (place === 0) return (head >>> VALUE_SHIFT) & LENGTH_MASK;
    if (place === PLACE_WARM) return this.loan(ref).bytes.length;
    return place === PLACE_OBJECT ? 0 : this.blobs.number(this.number(ref));
  }

  /** The value of a warm record. */
  loan(ref: Ref): Loan {
    return lend(this.#tier, this.warmOwner, this.number(ref) >>> 0);
  }

  /** Size of a warm value: bytes of a string, else elements. */
  warmSize(ref: Ref): number {
    return this.segments[ref >>> SEGMENT_SHIFT]!.words[warmSizeWord(ref, this.head(ref))]! >>> 0;
  }

  setWarmSize(ref: Ref, size: number): void {
    this.segments[ref >>> SEGMENT_SHIFT]!.words[warmSizeWord(ref, this.head(ref))] = size;
  }

  /**
   * Takes a cell for `head` and fills in head and key; the rest is the caller's to write. It fails before it changes
   * anything, and what is then added outside cannot fail.
   */
  create(word: number, head: number, key: Uint8Array, at: number, length: number): Ref {
    const isOutside = (head & KEY_OUTSIDE) !== 0;
    if (isOutside || (head & PLACE_MASK) === PLACE_BLOB) this.blobs.reserve();
    else if ((head & PLACE_MASK) === PLACE_OBJECT) this.objects.reserve();
    const keyBlob = isOutside ? copyOf(key, at, length) : undefined;
    const ref = this.heap.take(classOf(recordBytes(head)));
    const segment = this.segments[ref >>> SEGMENT_SHIFT]!;
    const first = (ref & UNIT_MASK) << 1;
    segment.words[first] = word;
    segment.words[first + 1] = head;
    if (head < 0) segment.doubles[(ref & UNIT_MASK) + 1] = 0;
    if (keyBlob === undefined) {
      copyInto(segment, keyAt(ref, head), key, at, length, this.#views.keys);
    } else {
      segment.words[keyNumberWord(ref, head)] = this.addBlob(keyBlob, length);
    }
    return ref;
  }

  /** Writes a value into its place in the record, which has that length already. */
  writeInline(ref: Ref, value: Uint8Array, at: number, length: number): void {
    const segment = this.segments[ref >>> SEGMENT_SHIFT]!;
    copyInto(segment, valueAt(ref, this.head(ref)), value, at, length, this.#views.values);
  }

  /**
   * Overwrites a value where it stands when a record of `head` would need the very same place, and
   * answers whether it did. The key is the record's own.
   */
  overwrite(ref: Ref, head: number, value: Uint8Array, at: number, length: number): boolean {
    const old = this.head(ref);
    if (((old ^ head) & (HAS_EXPIRY | PLACE_MASK)) !== 0) return false;
    if ((head & PLACE_MASK) === PLACE_BLOB) {
      const number = this.number(ref);
      const blob = this.blobs.thing(number);
      const spare = blob.length - length;
      if (spare < 0 || spare > length >>> SNUG_SHIFT) return false;
      copyLong(blob, 0, value, at, length);
      this.blobs.setNumber(number, length);
      return true;
    }
    // A value that comes out of the records themselves might be overwritten while it is read.
    const segment = this.segments[ref >>> SEGMENT_SHIFT]!;
    if (!this.fitsCell(ref, head) || segment.bytes === value) return false;
    this.setHead(ref, head);
    this.writeInline(ref, value, at, length);
    return true;
  }

  /**
   * A copy of the record with another head: with or without expiry, its value longer, shorter or
   * elsewhere. What both have is taken over, what is new is zero. The old cell is the caller's to free.
   */
  rebuild(ref: Ref, head: number): Ref {
    const next = this.heap.take(classOf(recordBytes(head)));
    const source = this.segments[ref >>> SEGMENT_SHIFT]!;
    const target = this.segments[next >>> SEGMENT_SHIFT]!;
    const old = source.words[((ref & UNIT_MASK) << 1) + 1]!;
    target.words[(next & UNIT_MASK) << 1] = source.words[(ref & UNIT_MASK) << 1]!;
    target.words[((next & UNIT_MASK) << 1) + 1] = head;
    // What the old record stands for in the sum goes over to the next one, or goes with the expiry.
    if (head < 0) target.doubles[(next & UNIT_MASK) + 1] = old < 0 ? this.expiry(ref) : 0;
    else if (old < 0) this.#expirySum -= sinceOrigin(this.expiry(ref));
    if ((head & PLACE_MASK) !== 0) {
      const has = (old & PLACE_MASK) !== 0;
      target.words[numberWord(next, head)] = has ? source.words[numberWord(ref, old)]! : 0;
      if (isWarmHead(head)) {
        const size = isWarmHead(old) ? source.words[warmSizeWord(ref, old)]! : 0;
        target.words[warmSizeWord(next, head)] = size;
      }
    }
    if ((head & KEY_OUTSIDE) !== 0) {
      target.words[keyNumberWord(next, head)] = source.words[keyNumberWord(ref, old)]!;
    }
    const keyBytes = inlineKeyBytes(head);
    const kept = Math.min(inlineValueBytes(head), inlineValueBytes(old));
    moveBytes(target, keyAt(next, head), source, keyAt(ref, old), keyBytes + kept);
    const added = inlineValueBytes(head) - kept;
    if (added > 0) {
      const begin = valueAt(next, head) + kept;
      target.bytes.fill(0, begin, begin + added);
    }
    return next;
  }

  /** Copies a whole cell into another of its class. */
  moveCell(ref: Ref, sizeClass: number): Ref {
    const next = this.heap.take(sizeClass);
    const source = this.segments[ref >>> SEGMENT_SHIFT]!;
    const target = this.segments[next >>> SEGMENT_SHIFT]!;
    const from = (ref & UNIT_MASK) << 1;
    const to = (next & UNIT_MASK) << 1;
    // By words, although a block copy would be faster for large cells: it makes no garbage, and many
    // cells are moved in one slice.
    const words = (recordBytes(source.words[from + 1]!) + 3) >>> 2;
    for (let i = 0; i < words; i += 1) target.words[to + i] = source.words[from + i]!;
    return next;
  }

  /** True when a record of this head needs the very cell that `ref` has. */
  fitsCell(ref: Ref, head: number): boolean {
    return classOf(recordBytes(head)) === this.heap.classAt(ref);
  }

  addBlob(bytes: Uint8Array, length: number): number {
    this.#ledger.add(BLOB_BYTES, bytes.length + BLOB_OVERHEAD_BYTES);
    return this.blobs.add(bytes, length);
  }

  removeBlob(number: number): void {
    this.#ledger.add(BLOB_BYTES, -(this.blobs.thing(number).length + BLOB_OVERHEAD_BYTES));
    this.blobs.remove(number);
  }

  /** Puts other bytes in a blob's place. */
  replaceBlob(number: number, bytes: Uint8Array, length: number): void {
    this.#ledger.add(BLOB_BYTES, bytes.length - this.blobs.thing(number).length);
    this.blobs.setThing(number, bytes);
    this.blobs.setNumber(number, length);
  }

  addObject(object: unknown, bytes: number): number {
    this.#ledger.add(OBJECT_BYTES, bytes);
    return this.objects.add(object, bytes);
  }

  removeObject(number: number): void {
    this.#ledger.add(OBJECT_BYTES, -this.objects.number(number));
    this.objects.remove(number);
  }

  addObjectBytes(number: number, delta: number): void {
    this.#ledger.add(OBJECT_BYTES, delta);
    this.objects.setNumber(number, this.objects.number(number) + delta);
  }

  /** Frees the memory of the record's value outside of its cell. */
  freeValue(ref: Ref, head: number): void {
    const place = head & PLACE_MASK;
    if (place === PLACE_BLOB) this.removeBlob(this.number(ref));
    else if (place === PLACE_OBJECT) this.removeObject(this.number(ref));
    else if (place === PLACE_WARM) this.#tier.release(this.number(ref) >>> 0);
  }

  /** Frees the record with all it keeps outside. */
  free(ref: Ref): void {
    const head = this.head(ref);
    if (head < 0) this.#expirySum -= sinceOrigin(this.expiry(ref));
    this.freeValue(ref, head);
    if ((head & KEY_OUTSIDE) !== 0) this.removeBlob(this.#keyNumber(ref, head));
    this.heap.free(ref);
  }

  /** Cell and outside bytes of a record. */
  bytesOf(ref: Ref): number {
    const head = this.head(ref);
    let bytes = this.heap.cellBytes(ref);
    const outside = BLOB_OVERHEAD_BYTES + OUTSIDE_SLOT_BYTES;
    if ((head & PLACE_MASK) === PLACE_BLOB)
      bytes += this.blobs.thing(this.number(ref)).length + outside;
    if ((head & PLACE_MASK) === PLACE_OBJECT)
      bytes += this.objects.number(this.number(ref)) + OUTSIDE_SLOT_BYTES;
    if ((head & KEY_OUTSIDE) !== 0)
      bytes += this.blobs.thing(this.#keyNumber(ref, head)).length + outside;
    return bytes;
  }

  #keyNumber(ref: Ref, head: number): number {
    return this.segments[ref >>> SEGMENT_SHIFT]!.words[keyNumberWord(ref, head)]!;
  }

  #outsideKeyEquals(ref: Ref, key: Uint8Array, at: number, length: number): boolean {
    const own = this.blobs.thing(this.#keyNumber(ref, this.head(ref)));
    if (own.length !== length) return false;
    for (let i = 0; i < length; i += 1) if (own[i] !== key[at + i]) return false;
    return true;
  }
}

/** Bytes in their own memory: what a Buffer calls a slice is not. */
function copyOf(bytes: Uint8Array, at: number, length: number): Uint8Array {
  const copy = new Uint8Array(length);
  copyLong(copy, 0, bytes, at, length);
  return copy;
}

/** Returns the bytes themselves if they may be kept, or a copy. */
export function blobOf(isOwn: boolean, bytes: Uint8Array, at: number, length: number): Uint8Array {
  return isOwn ? bytes : copyOf(bytes, at, length);
}

/** 0 stands for an expiry that is yet to be set. */
function sinceOrigin(unixMs: number): number {
  return unixMs === 0 ? 0 : unixMs - EXPIRY_ORIGIN_MS;
}

/** The mean of `count` expiries whose `expirySum` is given, in Unix milliseconds; 0 without any. */
export function meanExpiry(expirySum: number, count: number): number {
  return count > 0 ? EXPIRY_ORIGIN_MS + expirySum / count : 0;
}

function moveBytes(
  target: Segment,
  targetAt: number,
  source: Segment,
  sourceAt: number,
  length: number,
): void {
  if (length <= LOOP_COPY_BYTES_MAX)
    copyWords(target.view, targetAt, source.view, sourceAt, length);
  else target.bytes.set(source.bytes.subarray(sourceAt, sourceAt + length), targetAt);
}
