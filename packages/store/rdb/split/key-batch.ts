/**
 * Batches of split keys for one shard, in memory that can be transferred to its thread.
 *
 * A key is a head of HEAD_BYTES, its bytes and those of its value. Numbers are little-endian; -1 marks an absent
 * value.
 *
 *   offset  bytes  meaning
 *   0       1      type of the value
 *   1       2      frequency
 *   3       4      database
 *   7       4      length of the key
 *   11      4      length of the value
 *   15      8      expiry, a double
 *   23      8      idle time, a double
 */

import { type Bytes, ByteViews, copyBytes, copyWords } from '#base';
import { demand } from '../format/malformed.ts';
import { SplitKeyView, type SplitKey } from './split-key.ts';

const HEAD_BYTES = 31;
/** Longer copies are the system's. */
const WORD_COPY_BYTES_MAX = 512;
/** Usual size of a batch; a key that alone is longer has one of its own. */
export const KEY_BATCH_BYTES = 256 * 1024;

const NOTHING = new Uint8Array(0);

/** Views of source memory: many keys lie in the same memory, for different shards. */
const sourcesScratch = new ByteViews();

/** Writes the keys of a shard into one batch after another. */
export class KeyBatchWriter {
  readonly #batchBytes: number;
  #batch: Uint8Array<ArrayBuffer> = NOTHING;
  #view = new DataView(NOTHING.buffer);
  #length = 0;
  #count = 0;
  /** Memory of batches that are done with. */
  readonly #spare: ArrayBuffer[] = [];

  constructor(batchBytes = KEY_BATCH_BYTES) {
    this.#batchBytes = batchBytes;
  }

  /** Number of bytes in the batch. */
  get bytes(): number {
    return this.#length;
  }

  /** Number of keys in the batch. */
  get count(): number {
    return this.#count;
  }

  /** True when the key fits in the batch, and for every key while that is empty. Others should come after a `take`. */
  hasRoomFor({ key, value }: SplitKey): boolean {
    if (this.#count === 0) return true;
    return this.#length + HEAD_BYTES + key.length + value.length <= this.#batchBytes;
  }

  /** Copies the key and its value, once. */
  add(split: SplitKey): void {
    const { key, value } = split;
    this.#reserve(HEAD_BYTES + key.length + value.length);
    const view = this.#view;
    const at = this.#length;
    view.setUint8(at, split.type);
    view.setInt16(at + 1, split.frequency, true);
    view.setUint32(at + 3, split.database, true);
    view.setUint32(at + 7, key.length, true);
    view.setUint32(at + 11, value.length, true);
    view.setFloat64(at + 15, split.expireAt, true);
    view.setFloat64(at + 23, split.idleSeconds, true);
    this.#length = at + HEAD_BYTES;
    if (key.bytes === value.bytes && key.at + key.length === value.at) {
      this.#copy(key.bytes, key.at, key.length + value.length);
    } else {
      this.#copy(key.bytes, key.at, key.length);
      this.#copy(value.bytes, value.at, value.length);
    }
    this.#count += 1;
  }

  /** The batch, in its own memory that can be transferred; another begins. */
  take(): Uint8Array<ArrayBuffer> {
    const batch = this.#batch.subarray(0, this.#length);
    this.#use(new Uint8Array(0));
    this.#length = 0;
    this.#count = 0;
    return batch;
  }

  /** Takes back the memory of a batch, for another. */
  giveBack(memory: ArrayBuffer): void {
    if (memory.byteLength === this.#batchBytes) this.#spare.push(memory);
  }

  /** A key that is longer than a batch gets memory of its length, and is copied to no other if it is the only one. */
  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#batch.length) return;
    const least = this.#length === 0 ? this.#batchBytes : 2 * this.#batch.length;
    const byteCount = Math.max(least, needed);
    const spare = byteCount === this.#batchBytes ? this.#spare.pop() : undefined;
    const batch = new Uint8Array(spare ?? new ArrayBuffer(byteCount));
    batch.set(this.#batch.subarray(0, this.#length));
    this.#use(batch);
  }

  #use(batch: Uint8Array<ArrayBuffer>): void {
    this.#batch = batch;
    this.#view = new DataView(batch.buffer);
  }

  #copy(bytes: Bytes, at: number, length: number): void {
    const source = length <= WORD_COPY_BYTES_MAX ? sourcesScratch.of(bytes) : undefined;
    if (source === undefined) copyBytes(bytes, at, this.#batch, this.#length, length);
    else copyWords(this.#view, this.#length, source, at, length);
    this.#length += length;
  }
}

/** Visits the keys of a batch in order; each is valid until `visit` returns. Throws a MalformedValueError. */
export function readKeyBatch(batch: Bytes, visit: (split: SplitKey) => void): void {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.length);
  const split = new SplitKeyView();
  let at = 0;
  while (at < batch.length) {
    demand(at + HEAD_BYTES <= batch.length);
    split.type = view.getUint8(at);
    split.frequency = view.getInt16(at + 1, true);
    split.database = view.getUint32(at + 3, true);
    const keyBytes = view.getUint32(at + 7, true);
    const valueBytes = view.getUint32(at + 11, true);
    split.expireAt = view.getFloat64(at + 15, true);
    split.idleSeconds = view.getFloat64(at + 23, true);
    const keyAt = at + HEAD_BYTES;
    split.key.point(batch, keyAt, keyBytes);
    split.value.point(batch, keyAt + keyBytes, valueBytes);
    at = keyAt + keyBytes + valueBytes;
    demand(at <= batch.length);
    visit(split);
  }
}
