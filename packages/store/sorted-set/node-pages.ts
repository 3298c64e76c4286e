/**
 * Nodes of a tree in pages of typed memory. They are numbered without gaps, so that the last page can
 * grow and shrink with their number.
 *
 *   node, in words   0     scores, doubles
 *                    128   references
 *                    192   slots in use, parent, previous and next of its kind (leaves), or 0 and
 *                          the levels below (inner nodes)
 *                    196   children, then how many slots of leaves lie below each (inner nodes only)
 *
 * Large because most fields of a node have two members, and only this class knows where in the page they lie.
 */

import { isResourceError, type Steps } from '#base';
import { asBytes, type WordReader, type WordWriter } from '../memory/word-bytes.ts';

/** Slots of a node. */
export const SLOTS = 64;
/** Number that stands for no node. */
export const NONE = -1;

const REFS = 2 * SLOTS;
const COUNT = 3 * SLOTS;
const PARENT = COUNT + 1;
const PREVIOUS = COUNT + 2;
const NEXT = COUNT + 3;
const LEAF_WORDS = COUNT + 4;
const CHILDREN = LEAF_WORDS;
const BELOWS = CHILDREN + SLOTS;
const INNER_WORDS = BELOWS + SLOTS;

const WORD_BYTES = 4;
const PAGE_BITS = 5;
const PAGE_NODES = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_NODES - 1;
/** The last page grows by this fraction of all nodes, and at least by the minimum. */
const GROWTH_PARTS = 8;
const GROWTH_NODES_MIN = 1;
/** Number of spare nodes whose memory is never freed. */
const SPARE_NODES_MIN = 4;
/** Bytes that Node keeps beside those of a page: a buffer, two views and our own object (measured). */
const PAGE_OVERHEAD_BYTES = 360;

class NodePage {
  readonly words: Int32Array;
  readonly scores: Float64Array;

  constructor(nodes: number, words: number) {
    const buffer = new ArrayBuffer(nodes * words * WORD_BYTES);
    this.words = new Int32Array(buffer);
    this.scores = new Float64Array(buffer);
  }
}

export class NodePages {
  readonly words: number;
  pages: NodePage[] = [];
  used = 0;
  #capacity = 0;

  constructor(isInner: boolean) {
    this.words = isInner ? INNER_WORDS : LEAF_WORDS;
  }

  get isInner(): boolean {
    return this.words === INNER_WORDS;
  }

  get bytes(): number {
    return this.#capacity * this.words * WORD_BYTES + this.pages.length * PAGE_OVERHEAD_BYTES;
  }

  /** Allocates the memory of `nodes` more nodes. */
  reserve(nodes: number): void {
    while (this.#capacity - this.used < nodes) this.#grow();
  }

  /** A new node without slots or neighbours. */
  add(): number {
    this.reserve(1);
    const node = this.used;
    this.used += 1;
    const { words } = this.page(node);
    const base = this.base(node);
    words[base + COUNT] = 0;
    words[base + PARENT] = NONE;
    words[base + PREVIOUS] = NONE;
    words[base + NEXT] = NONE;
    return node;
  }

  /** Gives the last node back. */
  dropLast(): void {
    this.used -= 1;
    // Some room stays, so that a node that comes and goes takes no memory each time.
    const spare = this.#capacity - this.used;
    if (spare > SPARE_NODES_MIN && spare > (2 * this.used) / GROWTH_PARTS) this.#shrink();
  }

  page(node: number): NodePage {
    return this.pages[node >>> PAGE_BITS]!;
  }

  /** Returns the place in its page where the node's words begin. */
  base(node: number): number {
    return (node & PAGE_MASK) * this.words;
  }

  count(node: number): number {
    return this.page(node).words[this.base(node) + COUNT]!;
  }

  setCount(node: number, count: number): void {
    this.page(node).words[this.base(node) + COUNT] = count;
  }

  parent(node: number): number {
    return this.page(node).words[this.base(node) + PARENT]!;
  }

  setParent(node: number, parent: number): void {
    this.page(node).words[this.base(node) + PARENT] = parent;
  }

  prev(node: number): number {
    return this.page(node).words[this.base(node) + PREVIOUS]!;
  }

  setPrev(node: number, other: number): void {
    this.page(node).words[this.base(node) + PREVIOUS] = other;
  }

  next(node: number): number {
    return this.page(node).words[this.base(node) + NEXT]!;
  }

  setNext(node: number, other: number): void {
    this.page(node).words[this.base(node) + NEXT] = other;
  }

  /** Lets two leaves follow each other; either may be none. */
  link(left: number, right: number): void {
    if (left !== NONE) this.setNext(left, right);
    if (right !== NONE) this.setPrev(right, left);
  }

  score(node: number, slot: number): number {
    return this.page(node).scores[this.base(node) / 2 + slot]!;
  }

  /** Returns the place of a slot's reference in the words of its node's page. */
  refIndex(node: number, slot: number): number {
    return this.base(node) + REFS + slot;
  }

  ref(node: number, slot: number): number {
    return this.page(node).words[this.refIndex(node, slot)]!;
  }

  setRef(node: number, slot: number, ref: number): void {
    this.page(node).words[this.base(node) + REFS + slot] = ref;
  }

  setSlot(node: number, slot: number, score: number, ref: number): void {
    const page = this.page(node);
    const base = this.base(node);
    page.scores[base / 2 + slot] = score;
    page.words[base + REFS + slot] = ref;
  }

  child(node: number, slot: number): number {
    return this.page(node).words[this.base(node) + CHILDREN + slot]!;
  }

  below(node: number, slot: number): number {
    return this.page(node).words[this.base(node) + BELOWS + slot]!;
  }

  addBelow(node: number, slot: number, delta: number): void {
    this.page(node).words[this.base(node) + BELOWS + slot]! += delta;
  }

  setChild(node: number, slot: number, child: number, below: number): void {
    const { words } = this.page(node);
    const base = this.base(node);
    words[base + CHILDREN + slot] = child;
    words[base + BELOWS + slot] = below;
  }

  /** Gives a child, which is there, another number. */
  renameChild(node: number, old: number, child: number): void {
    let at = this.base(node) + CHILDREN;
    const { words } = this.page(node);
    while (words[at] !== old) at += 1;
    words[at] = child;
  }

  /** Returns how many slots of leaves the node stands for. */
  total(node: number): number {
    const count = this.count(node);
    if (!this.isInner) return count;
    let total = 0;
    for (let slot = 0; slot < count; slot += 1) total += this.below(node, slot);
    return total;
  }

  /** Makes room for a slot before the others from `slot` on. */
  openSlot(node: number, slot: number): void {
    const page = this.page(node);
    const base = this.base(node);
    const count = page.words[base + COUNT]!;
    shift(page, base, slot, slot + 1, count - slot);
    if (this.isInner) shiftChildren(page, base, slot, slot + 1, count - slot);
    page.words[base + COUNT] = count + 1;
  }

  closeSlot(node: number, slot: number): void {
    const page = this.page(node);
    const base = this.base(node);
    const count = page.words[base + COUNT]! - 1;
    shift(page, base, slot + 1, slot, count - slot);
    if (this.isInner) shiftChildren(page, base, slot + 1, slot, count - slot);
    page.words[base + COUNT] = count;
  }

  /** Takes the slots from `from` on to the end of another node. */
  moveSlots(source: number, from: number, target: number): void {
    const count = this.count(source);
    const start = this.count(target);
    const one = this.page(source);
    const other = this.page(target);
    const oneBase = this.base(source);
    const otherBase = this.base(target);
    for (let slot = from; slot < count; slot += 1) {
      const at = start + slot - from;
      other.scores[otherBase / 2 + at] = one.scores[oneBase / 2 + slot]!;
      other.words[otherBase + REFS + at] = one.words[oneBase + REFS + slot]!;
      if (!this.isInner) continue;
      other.words[otherBase + CHILDREN + at] = one.words[oneBase + CHILDREN + slot]!;
      other.words[otherBase + BELOWS + at] = one.words[oneBase + BELOWS + slot]!;
    }
    this.setCount(target, start + count - from);
    this.setCount(source, from);
  }

  /** Writes all of a node over another. */
  copyNode(source: number, target: number): void {
    const from = this.base(source);
    const to = this.base(target);
    const one = this.page(source).words;
    const other = this.page(target).words;
    for (let word = 0; word < this.words; word += 1) other[to + word] = one[from + word]!;
  }

  *copy(): Steps<NodePages> {
    const copy = new NodePages(this.isInner);
    for (const { words } of this.pages) {
      const page = new NodePage(words.length / this.words, this.words);
      page.words.set(words);
      copy.pages.push(page);
      yield;
    }
    copy.used = this.used;
    copy.#capacity = this.#capacity;
    return copy;
  }

  /** Bytes of the nodes in use. */
  get usedBytes(): number {
    return this.used * this.words * WORD_BYTES;
  }

  /** Writes the nodes in use. */
  *write(writer: WordWriter): Steps<void> {
    for (const [index, page] of this.pages.entries()) {
      const nodes = Math.min(PAGE_NODES, this.used - index * PAGE_NODES);
      if (nodes <= 0) return;
      writer.bytes(asBytes(page.words, 0, nodes * this.words));
      yield;
    }
  }

  /** Nodes as `write` has written them. */
  static *read(used: number, isInner: boolean, reader: WordReader): Steps<NodePages> {
    const nodes = new NodePages(isInner);
    nodes.used = used;
    for (let first = 0; first < used; first += PAGE_NODES) {
      const count = Math.min(PAGE_NODES, used - first);
      const page = new NodePage(count, nodes.words);
      asBytes(page.words).set(reader.bytes(count * nodes.words * WORD_BYTES));
      nodes.pages.push(page);
      nodes.#capacity += count;
      yield;
    }
    return nodes;
  }

  /** Gives back what is more than the next growth would take, if there is memory for a smaller page. */
  #shrink(): void {
    try {
      this.#giveBack();
    } catch (error) {
      if (!isResourceError(error)) throw error;
    }
  }

  #giveBack(): void {
    const kept = this.used + Math.max(GROWTH_NODES_MIN, Math.floor(this.used / GROWTH_PARTS));
    const pages = Math.ceil(kept / PAGE_NODES);
    const inLast = kept - (pages - 1) * PAGE_NODES;
    const last = this.pages[pages - 1]!;
    const page = new NodePage(inLast, this.words);
    page.words.set(last.words.subarray(0, inLast * this.words));
    this.pages.length = pages;
    this.pages[pages - 1] = page;
    this.#capacity = kept;
  }

  /** Adds room to the last page, or another page. */
  #grow(): void {
    const wanted = Math.max(GROWTH_NODES_MIN, Math.floor(this.#capacity / GROWTH_PARTS));
    const inLast = this.#capacity & PAGE_MASK;
    const nodes = Math.min(PAGE_NODES, inLast + wanted);
    const page = new NodePage(nodes, this.words);
    if (inLast > 0) page.words.set(this.pages.pop()!.words);
    this.pages.push(page);
    this.#capacity += nodes - inLast;
  }
}

function shift(page: NodePage, base: number, from: number, to: number, count: number): void {
  const { scores, words } = page;
  const scoresAt = base / 2;
  const refsAt = base + REFS;
  if (from < to) {
    for (let index = count - 1; index >= 0; index -= 1) {
      scores[scoresAt + to + index] = scores[scoresAt + from + index]!;
      words[refsAt + to + index] = words[refsAt + from + index]!;
    }
    return;
  }
  for (let index = 0; index < count; index += 1) {
    scores[scoresAt + to + index] = scores[scoresAt + from + index]!;
    words[refsAt + to + index] = words[refsAt + from + index]!;
  }
}

function shiftChildren(
  page: NodePage,
  base: number,
  from: number,
  to: number,
  count: number,
): void {
  const { words } = page;
  for (const at of [base + CHILDREN, base + BELOWS]) {
    words.copyWithin(at + to, at + from, at + from + count);
  }
}
