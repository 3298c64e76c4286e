/** Makes a failing list shorter while it keeps failing: Zeller's delta debugging, by removal only. */

/** Returns a list from which no single item can be removed without losing its failure. */
export async function minimise<Item>(
  items: readonly Item[],
  fails: (items: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let left = items;
  let chunk = Math.ceil(left.length / 2);
  while (chunk >= 1 && left.length > 0) {
    const before = left.length;
    for (let at = 0; at < left.length;) {
      const shorter = [...left.slice(0, at), ...left.slice(at + chunk)];
      if (await fails(shorter)) left = shorter;
      else at += chunk;
    }
    // Single items are tried again as long as that helps: one may have depended on another that was removed.
    if (chunk > 1) chunk = Math.ceil(chunk / 2);
    else if (left.length === before) break;
  }
  return left;
}
