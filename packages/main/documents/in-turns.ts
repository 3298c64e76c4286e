/** Work on many items that must not keep commands waiting. */

/** Maps items with `of`, and yields to other work after each batch of items. */
export async function mapInTurns<T, R>(
  items: readonly T[],
  atOnce: number,
  of: (item: T) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    for (const item of items.slice(at, at + atOnce)) results.push(of(item));
  }
  return results;
}
