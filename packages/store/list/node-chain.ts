/**
 * The nodes of a large list: how they lead to one another, which are compressed, what they take.
 *
 * Those that are within the depth of an end are never compressed; the others are where that pays.
 */
import { type Bytes, reused } from '#base';
import { Listpack } from '../listpack/listpack.ts';
import { ListpackEntries } from '../listpack/listpack-entries.ts';
import { HEADER_BYTES } from '../listpack/listpack-layout.ts';
import type { ListNode } from './list-node.ts';
import { admitsJoin } from './node-limits.ts';

/** The list itself (measured). */
const CHAIN_OVERHEAD_BYTES = 370;

/** Entries on their way; for this folder only. */
export const entriesScratch = reused(new ListpackEntries());
/** The cursor that all lists share; for this folder only. */
export const cursorScratch = reused(new Listpack());

const UNPACKED_BYTES = 16_384;

/** Memory to which a compressed node is unpacked to be read, and the node unpacked last. */
class UnpackedNode {
  bytes: Bytes = new Uint8Array(UNPACKED_BYTES);
  #node: ListNode | undefined;
  #packed: Bytes | undefined;

  /** Unpacks a node, unless it is the last unpacked one and unchanged. */
  point(node: ListNode): void {
    if (this.#node === node && this.#packed === node.bytes) return;
    if (this.bytes.length < node.size) this.bytes = new Uint8Array(node.size);
    node.readInto(this.bytes);
    this.#node = node;
    this.#packed = node.bytes;
  }

  /** A node leads to all others of its list. */
  letGo(): void {
    this.#node = undefined;
    this.#packed = undefined;
    if (this.bytes.length > UNPACKED_BYTES) this.bytes = new Uint8Array(UNPACKED_BYTES);
  }
}

const unpackedScratch = reused(new UnpackedNode());

export class NodeChain {
  /** The settings from when the list was made. */
  readonly size: number;
  readonly depth: number;
  head: ListNode | undefined;
  tail: ListNode | undefined;
  nodeCount = 0;
  /** Elements of all nodes. */
  count = 0;
  #memory = CHAIN_OVERHEAD_BYTES;

  constructor(size: number, depth: number) {
    this.size = size;
    this.depth = depth;
  }

  /** All memory that the list takes. */
  get totalBytes(): number {
    return this.#memory;
  }

  /** Appends a node unchanged, compressed or not. */
  adopt(node: ListNode): void {
    this.#insert(node, this.tail, undefined);
    this.count += node.count;
  }

  /** Puts a node beside another; its elements are for the caller to count. */
  link(node: ListNode, beside: ListNode | undefined, isAfter: boolean): void {
    const prev = isAfter ? beside : beside?.prev;
    const next = isAfter ? beside?.next : beside;
    this.#insert(node, prev, next);
    if (beside !== undefined) {
      this.change(beside, () => beside.trim());
      this.compressAround(beside);
    }
    this.compressAround(node);
  }

  /** Takes a node out, with its elements. */
  unlink(node: ListNode): void {
    const { prev, next } = node;
    if (prev === undefined) this.head = next;
    else prev.next = next;
    if (next === undefined) this.tail = prev;
    else next.prev = prev;
    this.nodeCount -= 1;
    this.count -= node.count;
    this.#memory -= node.memoryBytes;
    this.compressAround(undefined);
  }

  /** Adds entries at the front or the end of a node at an end of the list, which is never compressed. */
  extend(node: ListNode, isFront: boolean): void {
    const before = node.memoryBytes;
    if (isFront) node.prepend(entriesScratch);
    else node.append(entriesScratch);
    this.#memory += node.memoryBytes - before;
  }

  /** Changes a node, which stays compressed if it was. */
  change(node: ListNode, change: () => void): void {
    const before = node.memoryBytes;
    const wasCompressed = node.isCompressed;
    change();
    if (wasCompressed) node.compress();
    this.#memory += node.memoryBytes - before;
  }

  /** Puts the entries in the place of some bytes of a node. */
  splice(node: ListNode, offset: number, removedBytes: number, removedCount: number): void {
    this.change(node, () => node.splice(offset, removedBytes, removedCount, entriesScratch));
  }

  /** Unpacks the nodes near the ends; packs the first beyond them, and the one given if it is inner. */
  compressAround(node: ListNode | undefined): void {
    const { depth } = this;
    if (depth === 0 || this.nodeCount < depth * 2) return;
    let forward = this.head!;
    let backward = this.tail!;
    let isOuter = node === undefined;
    for (let nth = 0; nth < depth; nth += 1) {
      this.#unpack(forward);
      this.#unpack(backward);
      isOuter ||= forward === node || backward === node;
      if (forward === backward || forward.next === backward) return;
      forward = forward.next!;
      backward = backward.prev!;
    }
    if (!isOuter) this.#pack(node!);
    this.#pack(forward);
    this.#pack(backward);
  }

  /** Points the shared cursor at a node's listpack, unpacked beside when it is compressed. */
  pointCursor(node: ListNode): void {
    if (!node.isCompressed) {
      cursorScratch.point(node.bytes, node.start);
      return;
    }
    unpackedScratch.point(node);
    cursorScratch.point(unpackedScratch.bytes, 0);
  }

  /** Joins nodes around one, as far as their sizes allow: outer pairs first, then it with both sides. */
  joinAround(center: ListNode): void {
    const { prev, next } = center;
    if (prev?.prev !== undefined) this.#join(prev.prev, prev);
    if (next?.next !== undefined) this.#join(next, next.next);
    let target = center;
    if (center.prev !== undefined) target = this.#join(center.prev, center) ?? center;
    if (target.next !== undefined) target = this.#join(target, target.next) ?? target;
    this.compressAround(target);
  }

  /** Joins two neighbours if the limit allows it; returns the joined node. */
  #join(left: ListNode, right: ListNode): ListNode | undefined {
    if (left.isPlain || right.isPlain) return undefined;
    if (!admitsJoin(this.size, left.size + right.size, left.count + right.count)) return undefined;
    this.pointCursor(right);
    const length = right.size - HEADER_BYTES - 1;
    const start = cursorScratch.start + HEADER_BYTES;
    entriesScratch.clear().addEncoded(cursorScratch.bytes, start, length, right.count);
    this.#unpack(left);
    this.extend(left, false);
    this.count += right.count;
    this.unlink(right);
    this.compressAround(left);
    return left;
  }

  #insert(node: ListNode, prev: ListNode | undefined, next: ListNode | undefined): void {
    node.prev = prev;
    node.next = next;
    if (prev === undefined) this.head = node;
    else prev.next = node;
    if (next === undefined) this.tail = node;
    else next.prev = node;
    this.nodeCount += 1;
    this.#memory += node.memoryBytes;
  }

  #pack(node: ListNode): void {
    this.change(node, () => node.compress());
  }

  #unpack(node: ListNode): void {
    if (!node.isCompressed) return;
    this.#memory -= node.memoryBytes;
    node.decompress();
    this.#memory += node.memoryBytes;
  }
}
