/** Different elements of a collection, by chance. */

/** Collection that elements are drawn from. */
interface Drawable {
  readonly count: number;
  /** A number that tells the current element from all others. */
  readonly current: number;
  first(): boolean;
  next(): boolean;
  draw(random: () => number): void;
}

/** Drawing one by one is cheaper than a walk while at most one element in so many is wanted. */
const WALK_PARTS = 3;

/**
 * Calls back at `count` different elements, each choice of so many being as likely as the other. The
 * order is the collection's own where the whole is walked.
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
