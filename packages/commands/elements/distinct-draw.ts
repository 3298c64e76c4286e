/** Different elements of a collection, by chance. */

/** Collection that elements are drawn from. */
interface Drawable {
  readonly count: number;
  /** Number that identifies the current element. */
  readonly current: number;
  first(): boolean;
  next(): boolean;
  draw(random: () => number): void;
}

/** Single draws are cheaper than a walk if at most one of this many elements is wanted. */
const WALK_PARTS = 3;

/**
 * Calls back for `count` distinct random elements; all selections are equally likely. Elements come in the order of the
 * collection if it is walked as a whole.
 */
export function drawDistinct(
  collection: Drawable,
  count: number,
  random: () => number,
  visit: () => void,
): void {
  const size = collection.count;
  if (count * WALK_PARTS <= size) {
    const drawn = new Set<number>();
    while (drawn.size < count) {
      collection.draw(random);
      const { current } = collection;
      if (drawn.has(current)) continue;
      drawn.add(current);
      visit();
    }
    return;
  }
  let wanted = count;
  let left = size;
  for (let more = collection.first(); more && wanted > 0; more = collection.next()) {
    // Taken with the chance that the wanted ones of those left include it.
    if (random() * left < wanted) {
      visit();
      wanted -= 1;
    }
    left -= 1;
  }
}
