/**
 * A large list: nodes of listpacks that lead to one another both ways.
 *
 * Nodes are filled, split and joined as Redis does it, so that what OBJECT ENCODING and DEBUG OBJECT say
 * of a list is the same. A cursor stands at one element; it is good until the next call that writes.
 */
import type { Bytes, EntryTaker, Steps } from '#base';
import { HEADER_BYTES } from '../listpack/listpack-layout.ts';
import { ListNode } from './list-node.ts';
import { cursorScratch, entriesScratch, NodeChain } from './node-chain.ts';
import { admitsElement, isLarge } from './node-limits.ts';

/** Number of nodes from which the memory of one more, nearly empty node is negligible. */
const LONG_LIST_NODES = 8;
/** A node seldom takes exactly what the one before did; less than what `trim` gives back. */
const ROOM_SPARE_SHIFT = 7;
/** Bytes that a node of the usual settings can take, a little more than its limit. */
const ROOM_BYTES_MAX = 8_320;

const NO_BYTES: Bytes = new Uint8Array(0);

export class Quicklist {
  readonly nodes: NodeChain;
  /** See `ListLimits`. */
  plainBytes = 0;
  /** The element read. */
  bytes: Bytes = NO_BYTES;
  at = 0;
  length = 0;
  // The current element: its node, and its index and offset there.
  #node: ListNode | undefined;
  #index = 0;
  #offset = 0;

  constructor(size: number, depth: number) {
    this.nodes = new NodeChain(size, depth);
  }

  get count(): number {
    return this.nodes.count;
  }

  get totalBytes(): number {
    return this.nodes.totalBytes;
  }

  /** Adds an element at an end. */
  push(bytes: Bytes, at: number, length: number, isHead: boolean): void {
    const { nodes } = this;
    const end = isHead ? nodes.head : nodes.tail;
    nodes.count += 1;
    if (this.#isLarge(length)) {
      nodes.link(ListNode.plain(bytes, at, length), end, !isHead);
      return;
    }
    entriesScratch.clear().add(bytes, at, length);
    if (end !== undefined && this.#admits(end, length)) nodes.extend(end, isHead);
    else nodes.link(this.#newEnd(end, isHead), end, !isHead);
  }

  /** A node of the entries, which becomes an end; in a long list with room for as much as the last had. */
  #newEnd(end: ListNode | undefined, isHead: boolean): ListNode {
    const isLong = end !== undefined && this.nodes.nodeCount >= LONG_LIST_NODES;
    if (!isLong || end.isPlain) return ListNode.packed(entriesScratch);
    const room = Math.min(end.size + (end.size >> ROOM_SPARE_SHIFT), ROOM_BYTES_MAX);
    return ListNode.growing(entriesScratch, room, isHead);
  }

  // The cursor.

  /** Steps to the element at an index, counted from the end when negative. */
  seek(index: number): boolean {
    const { count } = this.nodes;
    const wanted = index < 0 ? count + index : index;
    if (wanted < 0 || wanted >= count) return false;
    const isNearHead = wanted * 2 < count;
    let node = isNearHead ? this.nodes.head! : this.nodes.tail!;
    let rest = isNearHead ? wanted : count - 1 - wanted;
    while (rest >= node.count) {
      rest -= node.count;
      node = isNearHead ? node.next! : node.prev!;
    }
    this.#stand(node, isNearHead ? rest : node.count - 1 - rest);
    return true;
  }

  next(): boolean {
    const node = this.#node;
    if (node === undefined) return false;
    if (this.#index + 1 >= node.count) return this.#stand(node.next, 0);
    this.nodes.pointCursor(node);
    cursorScratch.moveTo(this.#offset);
    cursorScratch.next();
    this.#index += 1;
    this.#offset = cursorScratch.offset;
    return true;
  }

  prev(): boolean {
    const node = this.#node;
    if (node === undefined) return false;
    if (this.#index === 0) return this.#standAtLast(node.prev);
    this.nodes.pointCursor(node);
    cursorScratch.moveTo(this.#offset);
    cursorScratch.prev();
    this.#index -= 1;
    this.#offset = cursorScratch.offset;
    return true;
  }

  /** Points `bytes`, `at` and `length` at the current element. */
  read(): void {
    const node = this.#node!;
    this.nodes.pointCursor(node);
    if (node.isPlain) {
      this.bytes = cursorScratch.bytes;
      this.at = cursorScratch.start;
      this.length = node.size;
      return;
    }
    cursorScratch.moveTo(this.#offset);
    cursorScratch.read();
    this.bytes = cursorScratch.text;
    this.at = cursorScratch.textAt;
    this.length = cursorScratch.textLength;
  }

  /** Visits `count` elements from the current one on, except those that `taker` takes; all of them must exist. */
  each(
    count: number,
    visit: (bytes: Bytes, at: number, length: number) => void,
    taker?: EntryTaker,
  ): void {
    let node = this.#node!;
    let index = this.#index;
    let offset = this.#offset;
    for (let left = count; ;) {
      this.nodes.pointCursor(node);
      if (node.isPlain) {
        visit(cursorScratch.bytes, cursorScratch.start, node.size);
      } else {
        cursorScratch.moveTo(offset);
        cursorScratch.each(Math.min(left, node.count - index), visit, taker);
      }
      left -= node.count - index;
      if (left <= 0) return;
      node = node.next!;
      index = 0;
      offset = HEADER_BYTES;
    }
  }

  equals(bytes: Bytes, at: number, length: number): boolean {
    const node = this.#node!;
    this.nodes.pointCursor(node);
    if (!node.isPlain) {
      cursorScratch.moveTo(this.#offset);
      return cursorScratch.equals(bytes, at, length);
    }
    if (node.size !== length) return false;
    const { bytes: own, start } = cursorScratch;
    for (let index = 0; index < length; index += 1) {
      if (own[start + index] !== bytes[at + index]) return false;
    }
    return true;
  }

  // Changes at the cursor, which has no position afterwards, except for `remove`.

  /** Puts an element beside the current one. */
  insert(bytes: Bytes, at: number, length: number, isAfter: boolean): void {
    const { nodes } = this;
    const node = this.#node!;
    const isAtEdge = this.#index === (isAfter ? node.count - 1 : 0);
    nodes.count += 1;
    if (this.#isLarge(length)) {
      this.#insertNode(ListNode.plain(bytes, at, length), node, isAtEdge, isAfter);
      return;
    }
    if (this.#admits(node, length)) {
      const offset = this.#gapOffset(node, isAfter);
      entriesScratch.clear().add(bytes, at, length);
      nodes.splice(node, offset, 0, 0);
      return;
    }
    const neighbour = isAfter ? node.next : node.prev;
    if (!isAtEdge) {
      this.#insertInSplit(node, bytes, at, length, isAfter);
      return;
    }
    entriesScratch.clear().add(bytes, at, length);
    if (neighbour !== undefined && this.#admits(neighbour, length)) {
      nodes.splice(neighbour, isAfter ? HEADER_BYTES : neighbour.size - 1, 0, 0);
    } else {
      nodes.link(ListNode.packed(entriesScratch), node, isAfter);
    }
  }

  /** Puts another element in the place of the current one. */
  replace(bytes: Bytes, at: number, length: number): void {
    const { nodes } = this;
    const node = this.#node!;
    this.bytes = NO_BYTES;
    const large = this.#isLarge(length);
    if (!node.isPlain && !large) {
      const entryBytes = this.#entryBytes(node);
      entriesScratch.clear().add(bytes, at, length);
      nodes.splice(node, this.#offset, entryBytes, 1);
    } else if (node.isPlain && large) {
      nodes.change(node, () => node.replacePlain(bytes, at, length));
      nodes.compressAround(node);
    } else if (node.isPlain) {
      this.insert(bytes, at, length, true);
      nodes.unlink(node);
      this.#node = undefined;
    } else {
      this.#replaceByPlain(node, bytes, at, length);
    }
  }

  /** Takes the current element out, and steps to the one that comes next in the direction. */
  remove(isForward: boolean): boolean {
    const { nodes } = this;
    const node = this.#node!;
    const index = this.#index;
    const { prev, next } = node;
    this.bytes = NO_BYTES;
    if (node.count === 1) {
      nodes.unlink(node);
      return isForward ? this.#stand(next, 0) : this.#standAtLast(prev);
    }
    const entryBytes = this.#entryBytes(node);
    entriesScratch.clear();
    nodes.splice(node, this.#offset, entryBytes, 1);
    nodes.count -= 1;
    if (isForward) return index < node.count ? this.#stand(node, index) : this.#stand(next, 0);
    return index > 0 ? this.#stand(node, index - 1) : this.#standAtLast(prev);
  }

  /** Takes out `count` elements from an index on; all of them are there. */
  removeRange(first: number, count: number): void {
    if (count === 0 || !this.seek(first)) return;
    this.bytes = NO_BYTES;
    let node = this.#node;
    let index = this.#index;
    let left = count;
    while (left > 0 && node !== undefined) {
      const { next } = node;
      const taken = Math.min(left, node.count - index);
      if (taken === node.count) this.nodes.unlink(node);
      else this.#removeFrom(node, index, taken);
      left -= taken;
      node = next;
      index = 0;
    }
    this.#node = undefined;
  }

  *copy(): Steps<Quicklist> {
    const { size, depth, head } = this.nodes;
    const copy = new Quicklist(size, depth);
    for (let node = head; node !== undefined; node = node.next) {
      copy.nodes.adopt(node.copy());
      yield;
    }
    return copy;
  }

  #isLarge(length: number): boolean {
    return isLarge(this.nodes.size, length, this.plainBytes);
  }

  #admits(node: ListNode, length: number): boolean {
    return !node.isPlain && admitsElement(this.nodes.size, node.size, node.count, length);
  }

  #stand(node: ListNode | undefined, index: number): boolean {
    this.#node = node;
    this.#index = index;
    this.#offset = HEADER_BYTES;
    if (node === undefined) return false;
    if (node.isPlain || index === 0) return true;
    this.nodes.pointCursor(node);
    cursorScratch.seek(index);
    this.#offset = cursorScratch.offset;
    return true;
  }

  #standAtLast(node: ListNode | undefined): boolean {
    return this.#stand(node, node === undefined ? 0 : node.count - 1);
  }

  /** Bytes of the current element's entry. */
  #entryBytes(node: ListNode): number {
    this.nodes.pointCursor(node);
    cursorScratch.moveTo(this.#offset);
    return cursorScratch.entryBytes;
  }

  /** Returns the offset of the gap before or after the current element. */
  #gapOffset(node: ListNode, isAfter: boolean): number {
    return isAfter ? this.#offset + this.#entryBytes(node) : this.#offset;
  }

  #insertNode(added: ListNode, node: ListNode, isAtEdge: boolean, isAfter: boolean): void {
    const { nodes } = this;
    if (node.isPlain || isAtEdge) {
      nodes.link(added, node, isAfter);
      return;
    }
    const other = this.#split(node, isAfter);
    nodes.link(added, node, isAfter);
    nodes.link(other, added, isAfter);
  }

  /** Splits a full node at the gap and puts an element there. */
  #insertInSplit(node: ListNode, bytes: Bytes, at: number, length: number, isAfter: boolean): void {
    const other = this.#split(node, isAfter);
    entriesScratch.clear().add(bytes, at, length);
    if (isAfter) other.prepend(entriesScratch);
    else other.append(entriesScratch);
    this.nodes.link(other, node, isAfter);
    this.nodes.joinAround(node);
  }

  /**
   * Takes what comes after the current element, or before it, out of a node into another, which belongs
   * nowhere yet.
   */
  #split(node: ListNode, isAfter: boolean): ListNode {
    const gap = this.#gapOffset(node, isAfter);
    const first = isAfter ? gap : HEADER_BYTES;
    const end = isAfter ? node.size - 1 : gap;
    const count = isAfter ? node.count - 1 - this.#index : this.#index;
    this.nodes.pointCursor(node);
    entriesScratch
      .clear()
      .addEncoded(cursorScratch.bytes, cursorScratch.start + first, end - first, count);
    const other = ListNode.packed(entriesScratch);
    entriesScratch.clear();
    this.nodes.splice(node, first, end - first, count);
    return other;
  }

  /** Puts a large element in the place of one in a listpack. */
  #replaceByPlain(node: ListNode, bytes: Bytes, at: number, length: number): void {
    const { nodes } = this;
    const isLast = this.#index === node.count - 1;
    const rest = isLast ? undefined : this.#split(node, true);
    const added = ListNode.plain(bytes, at, length);
    nodes.link(added, node, true);
    if (rest !== undefined) nodes.link(rest, added, true);
    if (node.count === 1) {
      // The count is less by what the node held, which the new element makes up for.
      nodes.unlink(node);
      nodes.count += 1;
      return;
    }
    this.#standAtLast(node);
    const entryBytes = this.#entryBytes(node);
    entriesScratch.clear();
    nodes.splice(node, this.#offset, entryBytes, 1);
    nodes.joinAround(added);
  }

  #removeFrom(node: ListNode, index: number, count: number): void {
    this.nodes.pointCursor(node);
    cursorScratch.seek(index);
    const first = cursorScratch.offset;
    let end = cursorScratch.endOffset;
    if (index + count < node.count) {
      cursorScratch.seek(index + count);
      end = cursorScratch.offset;
    }
    entriesScratch.clear();
    this.nodes.splice(node, first, end - first, count);
    this.nodes.count -= count;
  }
}
