/** Sorts the rows of a table. */

export interface Order {
  readonly column: string;
  readonly isDescending: boolean;
}

export type Cell = string | number | boolean | null | undefined;

/** A sorted copy; rows without a value come last in either direction, and equal ones keep their order. */
export function sorted<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => Cell,
  isDescending: boolean,
): Row[] {
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((left, right) => {
    const a = valueOf(left);
    const b = valueOf(right);
    if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
    return sign * compare(a, b);
  });
}

/** The order after a column's head was chosen: again means the other way round. */
export function nextOrder(order: Order | undefined, column: string, isNumber: boolean): Order {
  if (order?.column === column) return { column, isDescending: !order.isDescending };
  // Of numbers the largest are looked for, of names the first.
  return { column, isDescending: isNumber };
}

/** Rows in whose text every word of the filter is found. */
export function filtered<Row>(
  rows: readonly Row[],
  filter: string,
  textOf: (row: Row) => string,
): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

type Present = string | number | boolean;

function isMissing(value: Cell): value is null | undefined {
  return value === null || value === undefined || Number.isNaN(value);
}

function compare(a: Present, b: Present): number {
  if (typeof a === 'string' && typeof b === 'string') {
    return a.localeCompare(b, 'en', { numeric: true });
  }
  return Number(a) - Number(b);
}
