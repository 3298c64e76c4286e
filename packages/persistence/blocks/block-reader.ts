/**
 * Reads the blocks of a file in order, and judges its end.
 *
 * A file that was being written when the machine stopped ends somewhere: in the middle of a block, or with
 * blocks missing that were written but not synced. That is a torn end, and what is after it was never promised.
 * Where a later block says that the missing one was on disk for certain, or the file is one that was finished,
 * it is damage.
 */
import fs from 'node:fs';
import { blockFormatOf, checksum, type BlockFormat, type BlockHead } from './block.ts';
import {
  decodeFileHead,
  FILE_HEAD_BYTES,
  FileHeadError,
  type FileHead,
  type FileKind,
} from './file-head.ts';

import { BlockUnpacker, PackedBlockError } from './packed-block.ts';

const WINDOW_BYTES = 4 * 1024 * 1024;
/** No block is larger; a few bytes more than the largest value are usual. */
const BLOCK_BYTES_MAX = 2 ** 31 - 1;
/** As much as one call of the system reads. */
const READ_BYTES_MAX = 1024 * 1024 * 1024;

/** Error for a file that differs from its written state. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
  readonly file: string;
  readonly offset: number;

  constructor(file: string, offset: number, what: string, options?: ErrorOptions) {
    super(`${file} is damaged at offset ${offset}: ${what}`, options);
    this.file = file;
    this.offset = offset;
  }
}

/** Incomplete end of a file after the last whole block; with 0 bytes it is zeros, written ahead of the log. */
export interface TornEnd {
  readonly offset: number;
  readonly bytes: number;
}

export class BlockReader {
  readonly file: string;
  readonly head: FileHead;
  readonly size: number;
  readonly format: BlockFormat;
  readonly #fd: number;
  readonly #unpacker = new BlockUnpacker();
  #isPacked = false;
  /** A stretch of the file, beginning at `#windowAt`. */
  #window: Buffer;
  #windowAt = 0;
  #windowEnd = 0;
  #offset = FILE_HEAD_BYTES;
  #number = 0;
  /** Offset of the current block. */
  blockAt = 0;

  /** Throws a DamagedFile when its head is not one; a file without a whole head has no blocks. */
  constructor(kind: FileKind, file: string) {
    this.file = file;
    this.#fd = fs.openSync(file, 'r');
    this.size = fs.fstatSync(this.#fd).size;
    this.#window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
    try {
      this.head = decodeFileHead(kind, this.#stretch(0, Math.min(FILE_HEAD_BYTES, this.size)));
    } catch (error) {
      fs.closeSync(this.#fd);
      if (!(error instanceof FileHeadError)) throw error;
      throw new DamagedFile(file, 0, error.message, { cause: error });
    }
    this.format = blockFormatOf(kind, this.head.format ?? 1);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  /** Offset up to which the file is read. */
  get offset(): number {
    return this.#offset;
  }

  /** Number of the last block that was read; 0 before the first. */
  get number(): number {
    return this.#number;
  }

  /** Continues after a block that another reader of the file has read: with its end, and its number. */
  skipTo(offset: number, number: number): void {
    this.#offset = offset;
    this.#number = number;
  }

  /**
   * Returns the content of the next block, good until the next call; undefined where whole blocks end. Records are as
   * they lie in a ring, and their place is a multiple of 8.
   */
  next(): Buffer | undefined {
    const at = this.#offset;
    const head = this.#headAt(at);
    if (head === undefined || head.number !== this.#number + 1) return undefined;
    const body = this.#bodyOf(head, at);
    if (body === undefined) return undefined;
    this.blockAt = at;
    this.#number = head.number;
    this.#offset = at + this.format.headBytes + head.bytes;
    this.#isPacked = head.isPacked === true;
    if (this.#isPacked) return this.#unpacked(body);
    return body.subarray(this.format.padding(at + this.format.headBytes));
  }

  #unpacked(body: Buffer): Buffer {
    try {
      return this.#unpacker.unpack(body, this.head.createdMs);
    } catch (error) {
      if (!(error instanceof PackedBlockError)) throw error;
      throw new DamagedFile(this.file, this.blockAt, error.message, { cause: error });
    }
  }

  /**
   * Returns the number of bytes behind the head of the current block that are before the record at that place among its
   * records.
   */
  bytesBefore(at: number): number {
    if (this.#isPacked) return this.#unpacker.packedBefore(at);
    return at === 0 ? 0 : at + this.format.padding(this.blockAt + this.format.headBytes);
  }

  /** Resumes at the next valid block, or at the end; returns what was skipped. */
  resume(): TornEnd {
    const offset = this.#offset;
    let at = this.#markFrom(offset + 1);
    while (at < this.size && !this.#isSound(at)) at = this.#markFrom(at + 1);
    this.#offset = at;
    const head = this.#headAt(at);
    if (head !== undefined) this.#number = head.number - 1;
    return { offset, bytes: this.#offset - offset };
  }

  /** Returns the offset of the next mark of a block's head, at any byte; the size of the file where there is none. */
  #markFrom(from: number): number {
    for (let at = from; at < this.size; at += WINDOW_BYTES) {
      // A mark may lie across two windows.
      const { mark } = this.format;
      const length = Math.min(WINDOW_BYTES + mark.length, this.size - at);
      const found = this.#stretch(at, length).indexOf(mark);
      if (found >= 0) return at + found;
    }
    return this.size;
  }

  #isSound(at: number): boolean {
    const head = this.#headAt(at);
    return head !== undefined && head.number > this.#number && this.#bodyOf(head, at) !== undefined;
  }

  /** Returns the body behind a block's head; undefined where it is not what was written. */
  #bodyOf(head: BlockHead, at: number): Buffer | undefined {
    const bodyAt = at + this.format.headBytes;
    if (bodyAt + head.bytes > this.size) return undefined;
    const body = this.#stretch(bodyAt, head.bytes);
    return checksum([body]) === head.crc ? body : undefined;
  }

  /** Returns what follows the last whole block: nothing, or a torn end. Throws a DamagedFile when it is damage. */
  end(isFinished: boolean): TornEnd | undefined {
    const offset = this.#offset;
    if (offset === this.size) return undefined;
    const what = 'a block is not what was written';
    if (isFinished) throw new DamagedFile(this.file, offset, what);
    if (this.#isZero(offset)) return { offset, bytes: 0 };
    for (let at = this.#markFrom(offset + 1); at < this.size; at = this.#markFrom(at + 1)) {
      const later = this.#headAt(at);
      if (later !== undefined && later.synced > this.#number) {
        throw new DamagedFile(
          this.file,
          offset,
          `${what}, but the later block ${later.number} is intact`,
        );
      }
    }
    return { offset, bytes: this.size - offset };
  }

  #isZero(from: number): boolean {
    for (let at = from; at < this.size; at += WINDOW_BYTES) {
      const rest = this.#stretch(at, Math.min(WINDOW_BYTES, this.size - at));
      if (rest.some((byte) => byte !== 0)) return false;
    }
    return true;
  }

  #headAt(at: number): BlockHead | undefined {
    const { headBytes } = this.format;
    if (at + headBytes > this.size) return undefined;
    const head = this.format.decode(this.#stretch(at, headBytes), 0, this.#number + 1);
    return head === undefined || head.bytes > BLOCK_BYTES_MAX ? undefined : head;
  }

  /** Bytes of the file, in memory at a multiple of 8 where `at` is one. */
  #stretch(at: number, length: number): Buffer {
    if (at < this.#windowAt || at + length > this.#windowEnd) this.#read(at, length);
    const from = at - this.#windowAt;
    return this.#window.subarray(from, from + length);
  }

  #read(at: number, length: number): void {
    // The copy has the same position modulo 8.
    const begin = at - (at % 8);
    const wanted = Math.max(WINDOW_BYTES, at + length - begin);
    if (this.#window.length < wanted) this.#window = Buffer.allocUnsafeSlow(wanted);
    let got = 0;
    while (got < this.#window.length) {
      const wantedNow = Math.min(READ_BYTES_MAX, this.#window.length - got);
      const bytes = fs.readSync(this.#fd, this.#window, got, wantedNow, begin + got);
      if (bytes === 0) break;
      got += bytes;
    }
    this.#windowAt = begin;
    this.#windowEnd = begin + got;
  }
}
