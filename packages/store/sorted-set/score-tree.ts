/**
 * The order of a large sorted set: a B+ tree over scores that counts what lies below each node.
 *
 * A slot is a score and a reference to its member; references mean something to the owner alone, who
 * compares members of equal scores. The first slot of an inner node's child stands in the inner node
 * as well, and follows the child's. A node that goes is replaced by the last one, so that memory
 * shrinks with the tree.
 */
import { assert, type Steps } from '#base';
import { NodePages, NONE, SLOTS } from './node-pages.ts';

/** Two neighbours become one when both fit with this many slots in use. */
const MERGE_SLOTS_MAX = 44;
/** More levels than 2^31 slots could need. */
const LEVELS_MAX = 12;

// The way from the root to a leaf, as the last descent of any tree went: changes follow at once.
const pathNodeScratch = new Int32Array(LEVELS_MAX);
const pathSlotScratch = new Int32Array(LEVELS_MAX);

/** Compares the member of a slot with the one that is searched for. */
export interface SlotOrder {
  /** Below zero when the slot's member comes first, zero when it is the same. */
  compareSlot(ref: number): number;
}

/** A place in the tree: a leaf and a slot in it. */
export class TreePlace {
  leaf = NONE;
  slot = 0;
}

export class ScoreTree {
  leaves = new NodePages(false);
  inner = new NodePages(true);
  /** Levels of inner nodes above the leaves. */
  height = 0;
  /** The top node: a leaf while there are no inner nodes. */
  root: number;
  first: number;
  last: number;
  #count = 0;

  constructor() {
    this.root = this.leaves.add();
    this.first = this.root;
    this.last = this.root;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.leaves.bytes + this.inner.bytes;
  }

  /** Adds a slot; `order` looks for the member, which is not there. */
  insert(score: number, ref: number, order: SlotOrder): void {
    const leaf = this.#descend(score, order);
    const slot = this.#lowerBound(leaf, score, order);
    const { leaves } = this;
    if (leaves.count(leaf) === SLOTS) this.#reserve();
    this.#count += 1;
    if (leaves.count(leaf) < SLOTS) {
      leaves.openSlot(leaf, slot);
      leaves.setSlot(leaf, slot, score, ref);
      this.#grown(slot === 0);
      return;
    }
    this.#splitLeaf(leaf, slot, score, ref);
  }

  /** Removes the slot of a member that is there. */
  remove(score: number, order: SlotOrder): void {
    const leaf = this.#descend(score, order);
    const slot = this.#lowerBound(leaf, score, order);
    assert(slot < this.leaves.count(leaf), 'a member that is removed is in the tree');
    this.#removeAt(leaf, slot);
  }

  /** Lets the slot of a member lead to another reference. */
  rename(score: number, ref: number, order: SlotOrder): void {
    const leaf = this.#descend(score, order);
    const slot = this.#lowerBound(leaf, score, order);
    assert(slot < this.leaves.count(leaf), 'a member that moves is in the tree');
    this.leaves.setRef(leaf, slot, ref);
    if (slot === 0) this.#firstChanged();
  }

  /** Returns how many slots come before the member with this score; `order` may stand for a bound instead. */
  rank(score: number, order: SlotOrder): number {
    let before = 0;
    let node = this.root;
    for (let level = this.height; level > 0; level -= 1) {
      const slot = this.#childSlot(node, score, order);
      for (let index = 0; index < slot; index += 1) before += this.inner.below(node, index);
      node = this.inner.child(node, slot);
    }
    return before + this.#lowerBound(node, score, order);
  }

  /** Returns the rank of a member in sets that are in lexicographic order, regardless of scores. */
  rankByMember(order: SlotOrder): number {
    const { inner, leaves } = this;
    let before = 0;
    let node = this.root;
    for (let level = this.height; level > 0; level -= 1) {
      // A child that begins behind the member comes after the one that could hold it.
      const slot = Math.max(countBefore(inner, node, 1, order) - 1, 0);
      for (let index = 0; index < slot; index += 1) before += inner.below(node, index);
      node = inner.child(node, slot);
    }
    return before + countBefore(leaves, node, 0, order);
  }

  /** Points `place` at the slot of this rank, which must exist. */
  seek(rank: number, place: TreePlace): void {
    let rest = rank;
    let node = this.root;
    for (let level = this.height; level > 0; level -= 1) {
      let slot = 0;
      let below = this.inner.below(node, 0);
      while (rest >= below) {
        rest -= below;
        slot += 1;
        below = this.inner.below(node, slot);
      }
      node = this.inner.child(node, slot);
    }
    place.leaf = node;
    place.slot = rest;
  }

  /** Steps on; false after the last slot. */
  next(place: TreePlace): boolean {
    place.slot += 1;
    if (place.slot < this.leaves.count(place.leaf)) return true;
    place.leaf = this.leaves.next(place.leaf);
    place.slot = 0;
    return place.leaf !== NONE;
  }

  prev(place: TreePlace): boolean {
    place.slot -= 1;
    if (place.slot >= 0) return true;
    place.leaf = this.leaves.prev(place.leaf);
    if (place.leaf === NONE) return false;
    place.slot = this.leaves.count(place.leaf) - 1;
    return true;
  }

  /** Counts slots from the place on to its leaf's end, or with `isDown` to its beginning. */
  runLength({ leaf, slot }: TreePlace, isDown: boolean): number {
    return isDown ? slot + 1 : this.leaves.count(leaf) - slot;
  }

  /** The words that have the reference of the place at `refIndex`, with those of its leaf's other slots around it. */
  leafWords({ leaf }: TreePlace): Int32Array {
    return this.leaves.page(leaf).words;
  }

  refIndex({ leaf, slot }: TreePlace): number {
    return this.leaves.refIndex(leaf, slot);
  }

  /** Moves forwards or backwards by `slots` slots, within the leaf or to the first slot of a neighbour. */
  skip(place: TreePlace, slots: number): void {
    place.slot += slots > 0 ? slots - 1 : slots + 1;
    if (slots > 0) this.next(place);
    else this.prev(place);
  }

  score(place: TreePlace): number {
    return this.leaves.score(place.leaf, place.slot);
  }

  ref(place: TreePlace): number {
    return this.leaves.ref(place.leaf, place.slot);
  }

  *copy(): Steps<ScoreTree> {
    const copy = new ScoreTree();
    const leaves = yield* this.leaves.copy();
    copy.adopt(leaves, yield* this.inner.copy(), this.#count, this.height);
    copy.root = this.root;
    copy.first = this.first;
    copy.last = this.last;
    return copy;
  }

  /** Takes over nodes; root, first and last are for the caller to set. */
  adopt(leaves: NodePages, inner: NodePages, count: number, height: number): void {
    this.leaves = leaves;
    this.inner = inner;
    this.#count = count;
    this.height = height;
  }

  #removeAt(leaf: number, slot: number): void {
    const { leaves } = this;
    this.#count -= 1;
    leaves.closeSlot(leaf, slot);
    for (let level = 0; level < this.height; level += 1) {
      this.inner.addBelow(pathNodeScratch[level]!, pathSlotScratch[level]!, -1);
    }
    if (slot === 0 && leaves.count(leaf) > 0) this.#firstChanged();
    if (this.height > 0) this.#mergeUp(leaf);
  }

  /** Finds the leaf where the member is or would be, and remembers the way. */
  #descend(score: number, order: SlotOrder): number {
    let node = this.root;
    for (let level = 0; level < this.height; level += 1) {
      const slot = this.#childSlot(node, score, order);
      pathNodeScratch[level] = node;
      pathSlotScratch[level] = slot;
      node = this.inner.child(node, slot);
    }
    return node;
  }

  /** The child that holds the member: the last whose first slot does not come after it. */
  #childSlot(node: number, score: number, order: SlotOrder): number {
    const { inner } = this;
    const { scores } = inner.page(node);
    const base = inner.base(node) / 2;
    let least = 1;
    let most = inner.count(node);
    while (least < most) {
      const middle = (least + most) >>> 1;
      const found = scores[base + middle]!;
      const isBehind =
        found > score || (found === score && order.compareSlot(inner.ref(node, middle)) > 0);
      if (isBehind) most = middle;
      else least = middle + 1;
    }
    return least - 1;
  }

  /** The first slot that does not come before the member. */
  #lowerBound(leaf: number, score: number, order: SlotOrder): number {
    const { leaves } = this;
    const { scores } = leaves.page(leaf);
    const base = leaves.base(leaf) / 2;
    let least = 0;
    let most = leaves.count(leaf);
    while (least < most) {
      const middle = (least + most) >>> 1;
      const found = scores[base + middle]!;
      const isBefore =
        found < score || (found === score && order.compareSlot(leaves.ref(leaf, middle)) < 0);
      if (isBefore) least = middle + 1;
      else most = middle;
    }
    return least;
  }

  /** Counts one more along the way; the first slots follow where the leaf's has changed. */
  #grown(isFirst: boolean): void {
    for (let level = 0; level < this.height; level += 1) {
      this.inner.addBelow(pathNodeScratch[level]!, pathSlotScratch[level]!, 1);
    }
    if (isFirst) this.#firstChanged();
  }

  /** Repeats the leaf's first slot upwards, as long as the way goes through first children. */
  #firstChanged(): void {
    this.#repeatFirst(this.height - 1);
  }

  #repeatFirst(from: number): void {
    for (let level = from; level >= 0; level -= 1) {
      const node = pathNodeScratch[level]!;
      const slot = pathSlotScratch[level]!;
      const child = this.inner.child(node, slot);
      const nodes = level === this.height - 1 ? this.leaves : this.inner;
      this.inner.setSlot(node, slot, nodes.score(child, 0), nodes.ref(child, 0));
      if (slot > 0) return;
    }
  }

  /** Takes the memory that splitting the leaf at the end of the way needs: it fails before anything changes. */
  #reserve(): void {
    let level = this.height - 1;
    while (level >= 0 && this.inner.count(pathNodeScratch[level]!) === SLOTS) level -= 1;
    // Those that are full are split, and above them all there is a new root.
    const full = this.height - 1 - level;
    this.leaves.reserve(1);
    this.inner.reserve(level < 0 ? full + 1 : full);
  }

  /** Takes the memory for another leaf, unless there is but one, which has room when a slot is removed first. */
  reserveLeaf(): void {
    if (this.height > 0) this.leaves.reserve(1);
  }

  #splitLeaf(leaf: number, slot: number, score: number, ref: number): void {
    const { leaves } = this;
    const right = leaves.add();
    const following = leaves.next(leaf);
    leaves.link(leaf, right);
    leaves.link(right, following);
    if (following === NONE) this.last = right;
    // What is added at either end of everything leaves full leaves after it.
    let kept = SLOTS / 2;
    if (following === NONE && slot === SLOTS) kept = SLOTS;
    else if (leaves.prev(leaf) === NONE && slot === 0) kept = 0;
    leaves.moveSlots(leaf, kept, right);
    if (kept === 0 || (slot <= kept && kept < SLOTS)) {
      leaves.openSlot(leaf, slot);
      leaves.setSlot(leaf, slot, score, ref);
    } else {
      leaves.openSlot(right, slot - kept);
      leaves.setSlot(right, slot - kept, score, ref);
    }
    this.#grown(slot === 0);
    this.#adopted(this.height - 1, leaves, leaf, right);
  }

  /** Puts a new right neighbour of `left` into the inner node above them, splitting it if need be. */
  #adopted(level: number, nodes: NodePages, left: number, right: number): void {
    const { inner } = this;
    const moved = nodes.total(right);
    if (level < 0) {
      const root = inner.add();
      // The levels below it.
      inner.setNext(root, this.height + 1);
      this.#setChild(root, 0, nodes, left);
      this.#setChild(root, 1, nodes, right);
      inner.setCount(root, 2);
      this.root = root;
      this.height += 1;
      assert(this.height < LEVELS_MAX, 'a tree of a possible height');
      return;
    }
    const node = pathNodeScratch[level]!;
    const slot = pathSlotScratch[level]!;
    inner.addBelow(node, slot, -moved);
    if (inner.count(node) < SLOTS) {
      inner.openSlot(node, slot + 1);
      this.#setChild(node, slot + 1, nodes, right);
      return;
    }
    const sibling = inner.add();
    inner.setNext(sibling, inner.next(node));
    const isLast = slot === SLOTS - 1 && this.#isLastWay(level);
    const kept = isLast ? SLOTS : SLOTS / 2;
    inner.moveSlots(node, kept, sibling);
    this.#claimChildren(sibling, 0);
    const target = slot + 1 <= kept && !isLast ? node : sibling;
    const at = target === node ? slot + 1 : slot + 1 - kept;
    inner.openSlot(target, at);
    this.#setChild(target, at, nodes, right);
    this.#adopted(level - 1, inner, node, sibling);
  }

  /** True when the path goes through the last children down to `level`. */
  #isLastWay(level: number): boolean {
    for (let above = 0; above < level; above += 1) {
      if (pathSlotScratch[above]! + 1 < this.inner.count(pathNodeScratch[above]!)) return false;
    }
    return true;
  }

  #setChild(node: number, slot: number, nodes: NodePages, child: number): void {
    this.inner.setSlot(node, slot, nodes.score(child, 0), nodes.ref(child, 0));
    this.inner.setChild(node, slot, child, nodes.total(child));
    nodes.setParent(child, node);
  }

  /** Makes the node the parent of its children from `slot` on. */
  #claimChildren(node: number, slot: number): void {
    const { inner } = this;
    const nodes = this.#childrenOf(node);
    for (let at = slot; at < inner.count(node); at += 1)
      nodes.setParent(inner.child(node, at), node);
  }

  #childrenOf(node: number): NodePages {
    return this.inner.next(node) === 1 ? this.leaves : this.inner;
  }

  /** From the changed leaf upwards, puts nodes together that have become small. */
  #mergeUp(leaf: number): void {
    let nodes = this.leaves;
    let node = leaf;
    for (let level = this.height - 1; level >= 0; level -= 1) {
      const gone = this.#merged(level, nodes, node);
      if (gone === NONE) break;
      if (nodes === this.leaves) this.#unlink(gone);
      this.#recycle(nodes, gone);
      nodes = this.inner;
      node = pathNodeScratch[level]!;
    }
    while (this.height > 0 && this.inner.count(this.root) <= 1) this.#lowerRoot();
  }

  /** Joins a node with a neighbour below the same parent, where that is due; returns which is free. */
  #merged(level: number, nodes: NodePages, node: number): number {
    const { inner } = this;
    const parent = pathNodeScratch[level]!;
    const slot = pathSlotScratch[level]!;
    if (nodes.count(node) === 0) {
      inner.closeSlot(parent, slot);
      if (slot === 0 && inner.count(parent) > 0) this.#repeatFirst(level - 1);
      return node;
    }
    const right = slot + 1 < inner.count(parent) ? slot + 1 : slot;
    if (right === 0) return NONE;
    const leftNode = inner.child(parent, right - 1);
    const rightNode = inner.child(parent, right);
    const start = nodes.count(leftNode);
    if (start + nodes.count(rightNode) > MERGE_SLOTS_MAX) return NONE;
    nodes.moveSlots(rightNode, 0, leftNode);
    if (nodes === inner) this.#claimChildren(leftNode, start);
    inner.addBelow(parent, right - 1, inner.below(parent, right));
    inner.closeSlot(parent, right);
    return rightNode;
  }

  #lowerRoot(): void {
    const old = this.root;
    this.height -= 1;
    if (this.inner.count(old) === 0) {
      // The tree is empty, and has no leaves.
      this.root = this.leaves.add();
      this.first = this.root;
      this.last = this.root;
      this.height = 0;
      this.inner = new NodePages(true);
      return;
    }
    const nodes = this.#childrenOf(old);
    this.root = this.inner.child(old, 0);
    nodes.setParent(this.root, NONE);
    this.#recycle(this.inner, old);
  }

  #unlink(leaf: number): void {
    const { leaves } = this;
    const before = leaves.prev(leaf);
    const behind = leaves.next(leaf);
    if (before === NONE && behind === NONE) return;
    leaves.link(before, behind);
    if (this.first === leaf) this.first = behind;
    if (this.last === leaf) this.last = before;
  }

  /** Renumbers the last node to fill the number of a removed one. */
  #recycle(nodes: NodePages, gone: number): void {
    const moved = nodes.used - 1;
    if (moved !== gone) {
      nodes.copyNode(moved, gone);
      const parent = nodes.parent(gone);
      if (parent !== NONE) this.inner.renameChild(parent, moved, gone);
      if (nodes === this.inner) this.#innerRenamed(moved, gone);
      else this.#leafRenamed(moved, gone);
    }
    nodes.dropLast();
  }

  #leafRenamed(old: number, leaf: number): void {
    const { leaves } = this;
    leaves.link(leaves.prev(leaf), leaf);
    leaves.link(leaf, leaves.next(leaf));
    if (this.first === old) this.first = leaf;
    if (this.last === old) this.last = leaf;
  }

  #innerRenamed(old: number, node: number): void {
    this.#claimChildren(node, 0);
    if (this.root === old) this.root = node;
    for (let level = 0; level < this.height; level += 1) {
      if (pathNodeScratch[level] === old) pathNodeScratch[level] = node;
    }
  }
}

/** Counts slots of a node, at least `least`, that come before the member that `order` looks for. */
function countBefore(nodes: NodePages, node: number, least: number, order: SlotOrder): number {
  let low = least;
  let high = nodes.count(node);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (order.compareSlot(nodes.ref(node, middle)) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
