/** Uses of keys with configured prefixes, and the number of such keys: from the pages of all shards. */

import { crc64 } from '#base';
import type { Page } from './page.ts';
import { PREFIX_ROWS, PrefixField } from './prefix-rows.ts';

/** Figures of the keys with one prefix. */
export interface PrefixReport {
  /** Empty for the keys with none of the prefixes. */
  readonly prefix: string;
  /** Keys that commands have named; a command with several counts for each. */
  readonly ops: number;
  /** Look-ups by commands that read. */
  readonly hits: number;
  readonly misses: number;
  /**
   * Bytes of requests (of a part of a gathered command, its arguments) and of replies; of a command with
   * several keys, an even share for each.
   */
  readonly inputBytes: number;
  readonly outputBytes: number;
  /** As of the last walk over all keys; null until there was one. */
  readonly keys: number | null;
  readonly memoryBytes: number | null;
}

/**
 * Returns a number that identifies a list of prefixes, by which pages declare the meaning of their rows; 0 for an empty
 * list.
 */
export function prefixesId(prefixes: readonly string[]): number {
  if (prefixes.length === 0) return 0;
  const bytes = Buffer.from(prefixes.join('\0'));
  const { high, low } = crc64(bytes, 0, bytes.length);
  // As many bits as a double holds exactly; never 0.
  return 1 + (high & 0xf_ffff) * 2 ** 32 + low;
}

/** A row for each prefix in its order, and the last for the keys with none; nothing without prefixes. */
export function prefixReports(
  prefixes: readonly string[],
  shards: readonly Page[],
): readonly PrefixReport[] {
  const id = prefixesId(prefixes);
  if (id === 0) return [];
  // A shard that has not received a change yet counts in other rows.
  const pages = shards.filter((page) => page.get('prefixesId') === id);
  const isWalked = shards.every((page) => page.get('prefixesWalkedId') === id);
  return [...prefixes, ''].map((prefix, row) => {
    const sum = (field: number): number =>
      pages.reduce((total, page) => total + page.values[page.prefixCell(row) + field]!, 0);
    return {
      prefix,
      ops: sum(PrefixField.ops),
      hits: sum(PrefixField.hits),
      misses: sum(PrefixField.misses),
      inputBytes: sum(PrefixField.inputBytes),
      outputBytes: sum(PrefixField.outputBytes),
      keys: isWalked ? sum(PrefixField.keys) : null,
      memoryBytes: isWalked ? sum(PrefixField.memoryBytes) : null,
    };
  });
}

/** Has a page count for other prefixes, from zero. */
export function beginPrefixes(page: Page, id: number): void {
  page.set('prefixesId', id);
  page.set('prefixesWalkedId', 0);
  page.values.fill(0, page.prefixCell(0), page.prefixCell(PREFIX_ROWS));
}

/** Shows what a walk over all keys has found for the prefixes that the page counts for. */
export function setPrefixKeySizes(page: Page, keys: Float64Array, memoryBytes: Float64Array): void {
  for (let row = 0; row < PREFIX_ROWS; row += 1) {
    page.values[page.prefixCell(row) + PrefixField.keys] = keys[row]!;
    page.values[page.prefixCell(row) + PrefixField.memoryBytes] = memoryBytes[row]!;
  }
  page.set('prefixesWalkedId', page.get('prefixesId'));
}
