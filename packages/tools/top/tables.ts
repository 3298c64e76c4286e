/** Tables of `svc-server top`: what two readings of a server say of shards, commands, clients and keys. */

import { shown, sizeText, timeText } from '../text/columns.ts';
import type { CommandFigures, Part, Reading } from './ask-figures.ts';

const NAME_CHARS_MAX = 24;
const KEY_CHARS_MAX = 64;
const COMMAND_CHARS_MAX = 60;
const P99 = 0.99;
const US_PER_MS = 1_000;
/** Microseconds in a second that are 1 % of it. */
const US_PER_PERCENT = 10_000;
const NEVER_CALLED: CommandFigures = { calls: 0, us: 0 };

/** Text of a field, and its value if rows can be sorted by it. */
export interface Cell {
  readonly text: string;
  readonly value?: number;
}

export interface Table {
  readonly part: Part;
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Column that rows are sorted by at first. */
  readonly sort: number;
  /** Reason for an empty table or an empty column; empty without one. */
  readonly note: string;
}

/** Rates of a shard, command, client or key, as `--json` prints them; null where they are not known. */
type Row = Readonly<Record<string, string | number | null>>;

type Kind = 'text' | 'number' | 'rate' | 'share' | 'bytes' | 'time';

interface Column {
  readonly head: string;
  readonly field: string;
  readonly kind: Kind;
  readonly charsMax?: number;
}

interface View {
  readonly title: string;
  readonly columns: readonly Column[];
  /** Field that rows are sorted by at first. */
  readonly sort: string;
  readonly rows: (before: Reading, now: Reading) => readonly Row[];
  readonly note: (now: Reading) => string;
}

const SHARDS: View = {
  title: 'Shards',
  columns: [
    { head: 'shard', field: 'id', kind: 'number' },
    { head: 'ops/s', field: 'ops_per_sec', kind: 'rate' },
    { head: 'busy', field: 'busy_percent', kind: 'share' },
    { head: 'p99 within', field: 'p99_us_max', kind: 'time' },
    { head: 'memory', field: 'memory_bytes', kind: 'bytes' },
    { head: 'keys', field: 'keys', kind: 'number' },
    { head: 'queue', field: 'queue_depth', kind: 'number' },
    { head: 'queued', field: 'queue_bytes', kind: 'bytes' },
    { head: 'state', field: 'state', kind: 'text' },
    { head: 'executing', field: 'executing', kind: 'text', charsMax: COMMAND_CHARS_MAX },
  ],
  sort: 'id',
  rows: (before, now) =>
    now.status.shards.map((shard) => {
      const { id, executing } = shard;
      return {
        id,
        ops_per_sec: shard.ops_per_sec,
        busy_percent: shard.busy_percent,
        p99_us_max: p99OfBands(before.bands?.[id], now.bands?.[id]),
        memory_bytes: shard.memory_bytes,
        keys: shard.keys,
        queue_depth: shard.queue_depth,
        queue_bytes: shard.queue_bytes,
        state: shard.state,
        executing: executing === null ? null : `${executing.command} ${executing.key ?? ''}`.trim(),
      };
    }),
  note: ({ bands }) =>
    bands === null ? 'p99 of a shard: CONFIG SET latency-bands-enabled yes' : '',
};

const COMMANDS: View = {
  title: 'Commands',
  columns: [
    { head: 'command', field: 'command', kind: 'text' },
    { head: 'calls/s', field: 'calls_per_sec', kind: 'rate' },
    { head: 'CPU', field: 'cpu_percent', kind: 'share' },
    { head: 'p99', field: 'p99_us', kind: 'time' },
    { head: 'mean', field: 'mean_us', kind: 'time' },
    { head: 'calls', field: 'calls', kind: 'number' },
  ],
  sort: 'cpu_percent',
  rows: (before, now) => {
    const lately = new Map(
      now.status.commands.top.map(({ command, windows }) => [command, windows]),
    );
    return [...(now.commands ?? [])].map(([command, { calls, us }]) => {
      const was = before.commands?.get(command) ?? NEVER_CALLED;
      // CONFIG RESETSTAT begins at 0 again.
      const { calls: callsBefore, us: usBefore } = calls < was.calls ? NEVER_CALLED : was;
      const secs = before.commands === null ? 0 : secondsBetween(before, now);
      const called = calls - callsBefore;
      const spentUs = us - usBefore;
      return {
        command,
        calls_per_sec: rate(called, secs),
        cpu_percent: rate(spentUs / US_PER_PERCENT, secs),
        p99_us: lately.get(command)?.now?.p99_us ?? null,
        mean_us: secs === 0 || called === 0 ? null : spentUs / called,
        calls,
      };
    });
  },
  note: () => '',
};

const CLIENTS: View = {
  title: 'Clients',
  columns: [
    { head: 'client', field: 'id', kind: 'text' },
    { head: 'address', field: 'addr', kind: 'text' },
    { head: 'name', field: 'name', kind: 'text', charsMax: NAME_CHARS_MAX },
    { head: 'user', field: 'user', kind: 'text', charsMax: NAME_CHARS_MAX },
    { head: 'commands/s', field: 'commands_per_sec', kind: 'rate' },
    { head: 'output', field: 'output_bytes', kind: 'bytes' },
    { head: 'memory', field: 'memory_bytes', kind: 'bytes' },
    { head: 'commands', field: 'commands', kind: 'number' },
    { head: 'last', field: 'command', kind: 'text', charsMax: NAME_CHARS_MAX },
  ],
  sort: 'commands_per_sec',
  rows: (before, now) => {
    const were = new Map((before.clients ?? []).map((client) => [client.id, client]));
    const secs = before.clients === null ? 0 : secondsBetween(before, now);
    return (now.clients ?? []).map((client) => ({
      ...client,
      // All commands of a client that came in between are of the interval.
      commands_per_sec: rate(client.commands - (were.get(client.id)?.commands ?? 0), secs),
    }));
  },
  note: () => '',
};

const KEYS: View = {
  title: 'Keys',
  columns: [
    { head: 'key', field: 'key', kind: 'text', charsMax: KEY_CHARS_MAX },
    { head: 'db', field: 'db', kind: 'number' },
    { head: 'ops/s', field: 'ops_per_sec', kind: 'rate' },
    { head: 'reads/s', field: 'reads_per_sec', kind: 'rate' },
    { head: 'writes/s', field: 'writes_per_sec', kind: 'rate' },
  ],
  sort: 'ops_per_sec',
  rows: (_, now) => (now.keys ?? []).map((key) => ({ ...key })),
  note: ({ keys, missing }) =>
    keys === null && missing.length === 0
      ? 'No window of hot keys has ended: CONFIG SET hotkeys-window-enabled yes'
      : '',
};

const VIEWS: Readonly<Record<Part, View>> = {
  shards: SHARDS,
  commands: COMMANDS,
  clients: CLIENTS,
  keys: KEYS,
};

/** Returns the rows of a table as plain figures. */
export function rowsOf(part: Part, before: Reading, now: Reading): readonly Row[] {
  return VIEWS[part].rows(before, now);
}

export function tableOf(part: Part, before: Reading, now: Reading): Table {
  const { title, columns, sort, rows, note } = VIEWS[part];
  return {
    part,
    title,
    head: columns.map(({ head }) => head),
    rows: rows(before, now).map((row) =>
      columns.map((column) => cellOf(row[column.field]!, column)),
    ),
    sort: columns.findIndex(({ field }) => field === sort),
    note: note(now),
  };
}

/** Returns the columns that rows can be sorted by. */
export function sortable(part: Part): readonly number[] {
  return VIEWS[part].columns.flatMap(({ kind }, nth) => (kind === 'text' ? [] : nth));
}

/** Returns the rows with the largest values of a column first; ids are in their order. */
export function sorted({ rows, head }: Table, column: number): readonly (readonly Cell[])[] {
  const isId = head[column] === 'shard';
  const valueOf = (row: readonly Cell[]): number => row[column]?.value ?? -1;
  return [...rows].sort((a, b) => (isId ? valueOf(a) - valueOf(b) : valueOf(b) - valueOf(a)));
}

function cellOf(value: string | number | null, { kind, charsMax = KEY_CHARS_MAX }: Column): Cell {
  if (value === null || value === '') return { text: '-' };
  if (typeof value === 'string') return { text: shown(value, charsMax) };
  return { text: textOf(value, kind), value };
}

function textOf(value: number, kind: Kind): string {
  switch (kind) {
    case 'share':
      return `${value.toFixed(1)} %`;
    case 'bytes':
      return sizeText(value);
    case 'time':
      return value === Infinity ? 'over' : timeText(value);
    case 'rate':
    case 'number':
    case 'text':
      return Math.round(value).toLocaleString('en-US');
  }
}

function secondsBetween(before: Reading, now: Reading): number {
  return (now.atMs - before.atMs) / 1_000;
}

/** Returns null where there is only one reading. */
function rate(grown: number, secs: number): number | null {
  return secs > 0 ? grown / secs : null;
}

/**
 * Returns the threshold of the first latency band with 99 % of the requests between two readings, in microseconds;
 * Infinity if it is over the last, and null without requests.
 */
function p99OfBands(
  before: ReadonlyMap<string, number> | undefined,
  now: ReadonlyMap<string, number> | undefined,
): number | null {
  if (before === undefined || now === undefined) return null;
  const grown = (label: string): number => (now.get(label) ?? 0) - (before.get(label) ?? 0);
  const total = grown('total');
  if (total <= 0) return null;
  for (const label of now.keys()) {
    const [, ms] = /^<=(\d+(?:\.\d+)?)ms$/.exec(label) ?? [];
    if (ms !== undefined && grown(label) >= P99 * total) return Number(ms) * US_PER_MS;
  }
  return Infinity;
}
