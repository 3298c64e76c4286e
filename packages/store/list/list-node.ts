/**
 * One node of a large list: a listpack, or one element that is too large for one.
 *
 * The listpack may begin and end inside its memory, so that both ends of a list grow and shrink without
 * moving what lies between. Inner nodes of a list may be compressed.
 */
import { assert, type Bytes, compressLzf, decompressLzf, reused } from '#base';
import { END, HEADER_BYTES, writeWord } from '../listpack/listpack-layout.ts';
import type { ListpackEntries } from '../listpack/listpack-entries.ts';

/** Bytes that Node keeps for a node beside its own: our object, a view and its buffer (measured). */
const NODE_OVERHEAD_BYTES = 300;
/** Smaller nodes are not worth compressing, nor is it worth saving less than this. */
const COMPRESSED_BYTES_MIN = 48;
const SAVED_BYTES_MIN = 8;
/** A growing node is moved inside its memory, not to more, while this part of it is unused. */
const SPARE_PARTS = 8;
/** Memory that is unused by more than this part is given back when the node is no longer an end. */
const TRIMMED_PARTS = 64;
const GROWTH_BYTES_MAX = 4096;

const WORKSPACE_BYTES = 16_384;

/** Memory that a node is compressed in. */
class Workspace {
  bytes: Bytes = new Uint8Array(WORKSPACE_BYTES);

  /** Returns the memory, with room for `size` bytes. */
  of(size: number): Bytes {
    if (this.bytes.length < size) this.bytes = new Uint8Array(size);
    return this.bytes;
  }

  letGo(): void {
    if (this.bytes.length > WORKSPACE_BYTES) this.bytes = new Uint8Array(WORKSPACE_BYTES);
  }
}

const workspaceScratch = reused(new Workspace());

export class ListNode {
  prev: ListNode | undefined;
  next: ListNode | undefined;
  /** The memory of a listpack, an element, or what either was compressed to. */
  bytes: Bytes;
  /** Start of the listpack in `bytes`. */
  start = 0;
  /** Bytes of the listpack or element, before compression. */
  size: number;
  count: number;
  /** True when the node is a single plain element. */
  readonly isPlain: boolean;
  isCompressed = false;

  private constructor(bytes: Bytes, size: number, count: number, isPlain: boolean) {
    this.bytes = bytes;
    this.size = size;
    this.count = count;
    this.isPlain = isPlain;
  }

  /** A node of entries that are encoded already. */
  static packed(entries: ListpackEntries): ListNode {
    const listpack = entries.toListpack();
    return new ListNode(listpack, listpack.length, entries.count, false);
  }

  /** Creates a node with `room` spare bytes at its front or its end, for elements to come. */
  static growing(entries: ListpackEntries, room: number, isFront: boolean): ListNode {
    const listpack = entries.toListpack();
    const size = listpack.length;
    if (room <= size) return new ListNode(listpack, size, entries.count, false);
    const bytes = new Uint8Array(room);
    const node = new ListNode(bytes, size, entries.count, false);
    if (isFront) node.start = room - size;
    bytes.set(listpack, node.start);
    return node;
  }

  /** A node that takes over a finished listpack. */
  static ofListpack(listpack: Bytes, count: number): ListNode {
    return new ListNode(listpack, listpack.length, count, false);
  }

  /** A node of one large element. */
  static plain(bytes: Bytes, at: number, length: number): ListNode {
    return new ListNode(bytes.slice(at, at + length), length, 1, true);
  }

  /** A node as `storedBytes` of its memory have it. */
  static stored(bytes: Bytes, size: number, count: number, isPlain: boolean): ListNode {
    return new ListNode(bytes, size, count, isPlain);
  }

  /** Number of bytes from `start` on that store the contents of the node. */
  get storedBytes(): number {
    return this.isCompressed ? this.bytes.length : this.size;
  }

  get memoryBytes(): number {
    return this.bytes.length + NODE_OVERHEAD_BYTES;
  }

  /** Puts entries before all others. */
  prepend(entries: ListpackEntries): void {
    this.#unpack();
    if (this.start < entries.length) this.#reserve(entries.length, true);
    this.start -= entries.length;
    this.size += entries.length;
    entries.copyTo(this.bytes, this.start + HEADER_BYTES);
    this.#counted(entries.count);
  }

  /** Appends entries. */
  append(entries: ListpackEntries): void {
    this.#unpack();
    const end = this.start + this.size;
    if (end + entries.length > this.bytes.length) this.#reserve(entries.length, false);
    entries.copyTo(this.bytes, this.start + this.size - 1);
    this.size += entries.length;
    this.bytes[this.start + this.size - 1] = END;
    this.#counted(entries.count);
  }

  /** Puts entries in the place of `removed` bytes, with `count` entries, at an offset of the listpack. */
  splice(offset: number, removed: number, count: number, entries: ListpackEntries): void {
    this.#unpack();
    if (offset === HEADER_BYTES && entries.length === 0) {
      this.start += removed;
      this.size -= removed;
      this.#counted(-count);
      return;
    }
    const growth = entries.length - removed;
    if (this.start + this.size + growth > this.bytes.length) this.#reserve(growth, false);
    const { bytes, start } = this;
    const tail = start + offset + removed;
    if (growth !== 0) bytes.copyWithin(tail + growth, tail, start + this.size);
    entries.copyTo(bytes, start + offset);
    this.size += growth;
    this.#counted(entries.count - count);
  }

  /** Replaces the one element of a plain node. */
  replacePlain(bytes: Bytes, at: number, length: number): void {
    this.isCompressed = false;
    this.bytes = bytes.slice(at, at + length);
    this.size = length;
  }

  /** Gives unused memory back. */
  trim(): void {
    if (this.isCompressed || this.bytes.length - this.size <= this.size / TRIMMED_PARTS) return;
    this.bytes = this.bytes.slice(this.start, this.start + this.size);
    this.start = 0;
  }

  /** Compresses the node where that pays. */
  compress(): void {
    if (this.isCompressed || this.size < COMPRESSED_BYTES_MIN) return;
    const workspace = workspaceScratch.of(this.size);
    const room = workspace.subarray(0, this.size - SAVED_BYTES_MIN);
    const length = compressLzf(this.bytes, this.start, this.size, room);
    if (length === 0) return;
    this.bytes = workspace.slice(0, length);
    this.start = 0;
    this.isCompressed = true;
  }

  /** Makes the node usable. */
  decompress(): void {
    this.#unpack();
  }

  /** Copies the node's listpack or element to the start of `target`. */
  readInto(target: Bytes): void {
    assert(decompressLzf(this.bytes, target, this.size), 'a node that was compressed here');
  }

  copy(): ListNode {
    const bytes = this.bytes.slice(this.start, this.start + this.storedBytes);
    const copy = new ListNode(bytes, this.size, this.count, this.isPlain);
    copy.isCompressed = this.isCompressed;
    return copy;
  }

  #unpack(): void {
    if (!this.isCompressed) return;
    const bytes = new Uint8Array(this.size);
    this.readInto(bytes);
    this.bytes = bytes;
    this.start = 0;
    this.isCompressed = false;
  }

  /**
   * Makes room for `more` bytes at one end. Memory that is large enough is kept, with what is unused at
   * both ends; else there is as much again as there is, at the end that grows.
   */
  #reserve(more: number, isFront: boolean): void {
    const spare = this.bytes.length - this.size;
    const isRoomy = spare >= more + this.size / SPARE_PARTS;
    const room = isRoomy
      ? this.bytes.length
      : this.size + more + Math.min(this.size, GROWTH_BYTES_MAX);
    const bytes = new Uint8Array(room);
    const unused = room - this.size;
    const behind = isRoomy ? Math.floor((unused - more) / 2) : 0;
    const start = isFront ? unused - behind : behind;
    bytes.set(this.bytes.subarray(this.start, this.start + this.size), start);
    this.bytes = bytes;
    this.start = start;
  }

  /** Writes the header for the current size. */
  #counted(added: number): void {
    this.count += added;
    writeWord(this.bytes, this.start, this.size);
    const stored = Math.min(this.count, 0xffff);
    this.bytes[this.start + 4] = stored;
    this.bytes[this.start + 5] = stored >>> 8;
  }
}
