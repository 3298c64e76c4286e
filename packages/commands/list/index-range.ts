/** Elements between two indexes, both included, of which negative ones count from the end. */
export function indexRange(
  start: number,
  stop: number,
  size: number,
): { first: number; count: number } {
  const first = start < 0 ? Math.max(size + start, 0) : start;
  const last = Math.min(stop < 0 ? size + stop : stop, size - 1);
  return first > last ? { first: 0, count: 0 } : { first, count: last - first + 1 };
}
