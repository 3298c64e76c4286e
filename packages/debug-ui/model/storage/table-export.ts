/** Rows of a table as CSV or JSON, by the values that it is sorted by. */

import type { Cell } from '../sorting.ts';

interface ExportedColumn<Row> {
  readonly name: string;
  readonly title: string;
  readonly value?: (row: Row) => Cell;
}

type WithValue<Row> = ExportedColumn<Row> & Required<Pick<ExportedColumn<Row>, 'value'>>;

/** Columns without a value, such as buttons, are left out. */
function valued<Row>(columns: readonly ExportedColumn<Row>[]): readonly WithValue<Row>[] {
  return columns.filter((column): column is WithValue<Row> => column.value !== undefined);
}

/** RFC 4180, with the titles as the first line. */
export function csvOf<Row>(columns: readonly ExportedColumn<Row>[], rows: readonly Row[]): string {
  const shown = valued(columns);
  const lines = [
    shown.map(({ title }) => title),
    ...rows.map((row) => shown.map(({ value }) => value(row))),
  ];
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

/** A list of objects by the names of columns. */
export function jsonOf<Row>(columns: readonly ExportedColumn<Row>[], rows: readonly Row[]): string {
  const shown = valued(columns);
  const objects = rows.map((row) =>
    Object.fromEntries(shown.map(({ name, value }) => [name, value(row) ?? null])),
  );
  return `${JSON.stringify(objects, null, 2)}\n`;
}

/** Name of the file of a table. */
export function exportName(caption: string, kind: 'csv' | 'json'): string {
  const words = caption.toLowerCase().replaceAll(/[^a-z\d]+/g, '-');
  return `svc-${words.replaceAll(/^-|-$/g, '')}.${kind}`;
}

function csvCell(cell: Cell): string {
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  const text = String(cell ?? '');
  // Spreadsheets run a text that begins like a formula: client names and keys are anyone's text.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
