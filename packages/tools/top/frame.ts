/** Frames of `svc-server top` as lines of text. */

import { shown, sizeText, timeText } from '../text/columns.ts';
import { PARTS, type Part, type Reading } from './ask-figures.ts';
import { sortable, sorted, tableOf, type Cell, type Table } from './tables.ts';

/** State of the view that keys change. */
export interface TopState {
  readonly part: Part;
  /** Columns that tables are sorted by; the first choice of a table without one. */
  readonly sorts: ReadonlyMap<Part, number>;
  readonly intervalMs: number;
  readonly isPaused: boolean;
  /** Reason why the server cannot be asked now; undefined if it can. */
  readonly lost: string | undefined;
}

const MESSAGE_CHARS_MAX = 400;
const SECONDS_PER_HOUR = 3_600;
const SECONDS_PER_DAY = 86_400;

/** Returns the lines about the server and its health. */
function headLines(address: string, { status }: Reading): string[] {
  const { frogdb, memory, clients, keyspace, commands, health } = status;
  const lately = commands.windows.now;
  const latency =
    lately === null
      ? ''
      : `  p50 ${timeText(lately.p50_us)}  p99 ${timeText(lately.p99_us)}  max ${timeText(lately.max_us)}`;
  return [
    `svc ${shown(frogdb.version, 20)} at ${address}, up ${uptimeText(frogdb.uptime_secs)}`,
    `${whole(commands.ops_per_sec)} ops/s  ${whole(clients.connected)} clients  ${whole(keyspace.total_keys)} keys  ${sizeText(memory.used_bytes)} of data  ${sizeText(memory.rss_bytes)} resident${latency}`,
    `Health: ${shown(health.status, 20)}`,
    ...health.issues.map(
      ({ severity, code, message }) =>
        `  ${shown(`${severity} ${code}: ${message}`, MESSAGE_CHARS_MAX)}`,
    ),
    ...health.limited_by.map(
      ({ cause, message }) => `  limited by ${shown(`${cause}: ${message}`, MESSAGE_CHARS_MAX)}`,
    ),
  ];
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function uptimeText(seconds: number): string {
  if (seconds >= SECONDS_PER_DAY) return `${Math.floor(seconds / SECONDS_PER_DAY)} days`;
  if (seconds >= SECONDS_PER_HOUR) return `${Math.floor(seconds / SECONDS_PER_HOUR)} h`;
  return seconds >= 60 ? `${Math.floor(seconds / 60)} min` : `${seconds} s`;
}

/** Returns all tables one after the other, each with `rowsMax` rows at most. */
export function wholeFrame(
  address: string,
  before: Reading,
  now: Reading,
  rowsMax: number,
): string[] {
  const tables = PARTS.flatMap((part) => {
    const table = tableOf(part, before, now);
    const { lines } = tableLines(table, table.sort);
    return ['', `${table.title}:`, ...lines.slice(0, rowsMax + 1), ...noteLines(table)];
  });
  return [...headLines(address, now), ...tables, ...missingLines(now)];
}

/** Returns the lines of one view, no more than there is room for. */
export function viewFrame(
  address: string,
  readings: { readonly before: Reading; readonly now: Reading },
  state: TopState,
  rows: number,
): string[] {
  const { before, now } = readings;
  const table = tableOf(state.part, before, now);
  const column = state.sorts.get(state.part) ?? table.sort;
  const below = [...noteLines(table), ...missingLines(now), KEYS_LINE];
  const above = [
    ...headLines(address, now),
    ...lostLines(state),
    '',
    tabLine(state, table, column),
  ];
  const room = Math.max(1, rows - above.length - below.length);
  return [...above, ...tableLines(table, column).lines.slice(0, room), ...below].slice(0, rows);
}

const KEYS_LINE = '1-4, tab: view  s: sort  p: pause  + -: interval  q: quit';

function lostLines({ lost }: TopState): string[] {
  return lost === undefined
    ? []
    : [`Connection lost, reconnecting: ${shown(lost, MESSAGE_CHARS_MAX)}`];
}

function tabLine({ part, intervalMs, isPaused }: TopState, table: Table, column: number): string {
  const tabs = PARTS.map((each, nth) => {
    const label = `${nth + 1} ${each}`;
    return each === part ? `[${label}]` : ` ${label} `;
  });
  const every = isPaused ? 'paused' : `every ${intervalMs / 1_000} s`;
  return `${tabs.join(' ')}  by ${table.head[column]!}, ${every}`;
}

function noteLines({ note }: Table): string[] {
  return note === '' ? [] : [`  ${note}`];
}

function missingLines({ missing }: Reading): string[] {
  return missing.map((reason) => `  missing: ${shown(reason, MESSAGE_CHARS_MAX)}`);
}

/** Returns the head and the rows, with numbers at the right of their columns. */
function tableLines(table: Table, column: number): { readonly lines: readonly string[] } {
  const head = table.head.map((text) => ({ text }));
  const numbers = new Set(sortable(table.part));
  const rows: readonly (readonly Cell[])[] = [head, ...sorted(table, column)];
  const widths = table.head.map((_, nth) => Math.max(...rows.map((row) => row[nth]!.text.length)));
  const lines = rows.map((row) => {
    const cells = row.map(({ text }, nth) =>
      numbers.has(nth) ? text.padStart(widths[nth]!) : text.padEnd(widths[nth]!),
    );
    return `  ${cells.join('  ')}`.trimEnd();
  });
  return { lines };
}
