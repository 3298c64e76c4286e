/** The sections of INFO about keys. */

import { KEY_SIZES_ROWS, type Page, prefixReports } from '#stats';
import type { Line } from './info-lines.ts';
import type { ServerMetrics } from './server-metrics.ts';

export function keyspace(metrics: ServerMetrics): readonly Line[] {
  const lines: Line[] = [];
  for (let index = 0; index < metrics.databases; index += 1) {
    let keys = 0;
    let expires = 0;
    let subexpiry = 0;
    let expiryMs = 0;
    for (const page of metrics.shards) {
      const own = page.expires(index);
      keys += page.keys(index);
      expires += own;
      expiryMs += own * (page.meanExpiry(index) - metrics.nowMs);
      subexpiry += page.fieldExpires(index);
    }
    if (keys === 0) continue;
    // Keys that are over their time and not yet removed do not make it negative.
    const avgTtl = expires > 0 ? Math.max(0, Math.round(expiryMs / expires)) : 0;
    const counts = `keys=${keys},expires=${expires},avg_ttl=${avgTtl},subexpiry=${subexpiry}`;
    lines.push([`db${index}`, counts]);
  }
  return lines;
}

/** A line for each configured prefix, and the last for the other keys; no section without any. */
export function prefixes({ settings, shards }: ServerMetrics): readonly Line[] | undefined {
  const reports = prefixReports(settings.list('key-prefixes.prefixes'), shards);
  if (reports.length === 0) return undefined;
  return reports.map((each, number) => {
    const counted: readonly (readonly [string, number | null])[] = [
      ['ops', each.ops],
      ['hits', each.hits],
      ['misses', each.misses],
      ['input_bytes', each.inputBytes],
      ['output_bytes', each.outputBytes],
      ['keys', each.keys],
      ['memory_bytes', each.memoryBytes],
    ];
    const known = counted.filter(([, value]) => value !== null);
    const shown = known.map(([name, value]) => `${name}=${String(value)}`).join(',');
    // The prefix is last, because it may hold commas.
    return [`prefix${number}`, `${shown},prefix=${each.prefix}`];
  });
}

/** Redis' names of types by number of ValueType; the name of streams is ours. */
const TYPES: readonly (readonly [type: number, name: string])[] = [
  [1, 'strings_sizes'],
  [2, 'lists_items'],
  [3, 'sets_items'],
  [4, 'zsets_items'],
  [5, 'hashes_items'],
  [6, 'streams_items'],
];

/** Names of Redis 8.6 for the bytes of keys in memory; strings have none there, the name of streams is ours. */
const MEMORY_TYPES: typeof TYPES = [
  [2, 'lists_sizes'],
  [3, 'sets_sizes'],
  [4, 'zsets_sizes'],
  [5, 'hashes_sizes'],
  [6, 'streams_sizes'],
];

/** Returns how many keys are how large, as the shards' last walks have found; and how long ago the oldest was. */
export function keySizes(metrics: ServerMetrics): readonly Line[] {
  const lines: Line[] = [];
  for (let database = 0; database < metrics.databases; database += 1) {
    lines.push(
      ...distributions(database, TYPES, (type, row) => {
        return sumOf(metrics, (page) => page.keySizes(database, type, row));
      }),
      ...distributions(database, MEMORY_TYPES, (type, row) => {
        return sumOf(metrics, (page) => page.keyMemorySizes(database, type, row));
      }),
    );
  }
  return [...lines, ...keySizesAge(metrics)];
}

function sumOf({ shards }: ServerMetrics, countOf: (page: Page) => number): number {
  return shards.reduce((sum, page) => sum + countOf(page), 0);
}

/** Returns a line for each type that has keys; `countOf` returns the keys of a type in a row. */
function distributions(
  database: number,
  types: typeof TYPES,
  countOf: (type: number, row: number) => number,
): readonly Line[] {
  return types.flatMap(([type, name]): Line[] => {
    const shown = distribution((row) => countOf(type, row));
    return shown === '' ? [] : [[`db${database}_distrib_${name}`, shown]];
  });
}

/**
 * Milliseconds since the oldest of those walks. It is what INFO ALL has of the section: redis_exporter, which asks for
 * that, makes a metric without meaning of every line that begins with "db".
 */
export function keySizesAge({ shards, nowUs }: ServerMetrics): readonly Line[] {
  const walkedUs = Math.min(...shards.map((page) => page.get('keySizesUs')));
  if (walkedUs <= 0) return [];
  return [['keysizes_age_ms', Math.max(0, Math.round((nowUs - walkedUs) / 1_000))]];
}

/** As `0=1,4=7`: the least size of each row, and how many keys are in it. */
function distribution(countOf: (row: number) => number): string {
  const shown: string[] = [];
  for (let row = 0; row < KEY_SIZES_ROWS; row += 1) {
    const count = countOf(row);
    if (count > 0) shown.push(`${label(row)}=${count}`);
  }
  return shown.join(',');
}

const UNITS = ['', 'K', 'M', 'G'];

/** The least size of a row: 0, 1, 2, 4, ... 512, 1K, 2K, as Redis 8 writes them. */
function label(row: number): string {
  if (row === 0) return '0';
  const power = row - 1;
  const unit = Math.min(Math.floor(power / 10), UNITS.length - 1);
  return `${2 ** (power - 10 * unit)}${UNITS[unit] ?? ''}`;
}
