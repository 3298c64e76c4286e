/** Reads quantities from the pages, as the rows of the table say. */

import { type PageQuantity, QUANTITIES, type ShardField, type StatusField } from '#quantities';
import type { Page } from './page.ts';

/** Pages that have a part of a quantity. */
export function pagesOf(
  { by }: PageQuantity,
  main: Page,
  shards: readonly Page[],
): readonly Page[] {
  if (by === 'main') return [main];
  return by === 'shards' ? shards : [main, ...shards];
}

/** A quantity over the threads that write it: their sum, or the greatest. */
export function readQuantity(row: PageQuantity, main: Page, shards: readonly Page[]): number {
  const { counter, over } = row;
  const pages = pagesOf(row, main, shards);
  if (over === 'greatest') return Math.max(...pages.map((page) => page.get(counter)));
  return pages.reduce((sum, page) => sum + page.get(counter), 0);
}

/** Fields that rows name in a section of the status document, in the order of the table. */
export function statusFields<Section extends string>(
  section: Section,
  main: Page,
  shards: readonly Page[],
): Readonly<Record<StatusField<Section>, number>> {
  const start = `${section}.`;
  const rows = QUANTITIES.filter(({ status }) => status?.startsWith(start));
  return Object.fromEntries(
    rows.map((row) => [row.status!.slice(start.length), readQuantity(row, main, shards)]),
  ) as Record<StatusField<Section>, number>;
}

const SHARD_ROWS = QUANTITIES.filter(({ shards }) => shards !== undefined);

/** Fields of a shard in the status document that rows name, in the order of the table. */
export function shardFields(page: Page): Readonly<Record<ShardField, number>> {
  return Object.fromEntries(
    SHARD_ROWS.map(({ shards, counter }) => [shards, page.get(counter)]),
  ) as Record<ShardField, number>;
}
