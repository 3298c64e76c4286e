/** Order of many elements by numbers, and where these are equal by a comparison of their own. */

/** Numbers that elements are sorted by; those with equal ones are compared, and stay as they are if that is 0. */
export interface SortKeys {
  readonly ranks: Float64Array;
  readonly isDescending: boolean;
  compareEqual(one: number, other: number): number;
}

/** From this part of all elements on it costs less to sort all of them. */
const PART_SORTED_WHOLE = 8;
/** Runs of this length are sorted by insertion. */
const RUN_LENGTH = 8;

/** Returns the elements at the places from `first` up to `end` in the order, by their numbers. */
export function orderOf(keys: SortKeys, first: number, end: number): Uint32Array {
  const count = keys.ranks.length;
  const last = Math.min(end, count);
  if (first >= last) return new Uint32Array(0);
  const order =
    last * PART_SORTED_WHOLE <= count ? leastOf(keys, last) : sorted(keys, numbered(count));
  return order.subarray(first, last);
}

function numbered(count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  for (let nth = 0; nth < count; nth += 1) numbers[nth] = nth;
  return numbers;
}

/** True when an element must stand after another that has a smaller number. */
function isAfter(keys: SortKeys, one: number, other: number): boolean {
  const { ranks, isDescending } = keys;
  const oneRank = ranks[one]!;
  const otherRank = ranks[other]!;
  if (oneRank !== otherRank) return oneRank > otherRank !== isDescending;
  const compared = keys.compareEqual(one, other);
  return isDescending ? compared < 0 : compared > 0;
}

/** Sorts by merging, so that equal elements stay in their order. */
function sorted(keys: SortKeys, order: Uint32Array): Uint32Array {
  const count = order.length;
  for (let start = 0; start < count; start += RUN_LENGTH) {
    sortRun(keys, order, start, Math.min(start + RUN_LENGTH, count));
  }
  let from = order;
  let to: Uint32Array = new Uint32Array(count);
  for (let width = RUN_LENGTH; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const middle = Math.min(start + width, count);
      merge(keys, from, to, start, middle, Math.min(middle + width, count));
    }
    [from, to] = [to, from];
  }
  return from;
}

function sortRun(keys: SortKeys, order: Uint32Array, start: number, end: number): void {
  for (let next = start + 1; next < end; next += 1) {
    const element = order[next]!;
    let at = next;
    while (at > start && isAfter(keys, order[at - 1]!, element)) {
      order[at] = order[at - 1]!;
      at -= 1;
    }
    order[at] = element;
  }
}

function merge(
  keys: SortKeys,
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  middle: number,
  end: number,
): void {
  let left = start;
  let right = middle;
  for (let at = start; at < end; at += 1) {
    const takesLeft = left < middle && (right >= end || !isAfter(keys, from[left]!, from[right]!));
    to[at] = takesLeft ? from[left]! : from[right]!;
    if (takesLeft) left += 1;
    else right += 1;
  }
}

/** Returns the first elements of the order alone, from a heap with the last of them at its root. */
function leastOf(keys: SortKeys, wanted: number): Uint32Array {
  const heap = numbered(wanted);
  for (let root = (wanted >> 1) - 1; root >= 0; root -= 1) sink(keys, heap, root);
  const { length } = keys.ranks;
  for (let next = wanted; next < length; next += 1) {
    if (!isAfter(keys, heap[0]!, next)) continue;
    heap[0] = next;
    sink(keys, heap, 0);
  }
  // Equal elements stand in the order of their numbers.
  return sorted(keys, heap.sort());
}

/** True when one of any two elements must stand after the other. */
function isLater(keys: SortKeys, one: number, other: number): boolean {
  return one < other ? isAfter(keys, one, other) : !isAfter(keys, other, one);
}

function sink(keys: SortKeys, heap: Uint32Array, root: number): void {
  const element = heap[root]!;
  let at = root;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isLater(keys, heap[child + 1]!, heap[child]!)) child += 1;
    if (!isLater(keys, heap[child]!, element)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = element;
}
