/**
 * The table of quantities: every number of a page, once, with its names on all surfaces. The page, INFO, the metrics, the
 * names of redis_exporter, the status document and the live samples take names and meanings from here.
 *
 * Rows stand in short lists, which the surfaces put into the order that each of them has.
 */

import { ACCESS_QUANTITIES } from './access.ts';
import { CLIENT_QUANTITIES } from './clients.ts';
import { CLUSTER_QUANTITIES } from './cluster.ts';
import { COMMAND_QUANTITIES } from './commands.ts';
import { DURABILITY_QUANTITIES } from './durability.ts';
import { KEY_QUANTITIES } from './keys.ts';
import { MEMORY_QUANTITIES } from './memory.ts';
import type { Quantity } from './quantity.ts';
import { REPLICATION_QUANTITIES } from './replication.ts';
import { SCRIPT_QUANTITIES } from './scripts.ts';
import { THREAD_QUANTITIES } from './threads.ts';
import { TIER_QUANTITIES } from './tier.ts';
import { TLS_QUANTITIES } from './tls.ts';

const SUBJECTS = [
  THREAD_QUANTITIES,
  MEMORY_QUANTITIES,
  COMMAND_QUANTITIES,
  KEY_QUANTITIES,
  CLIENT_QUANTITIES,
  ACCESS_QUANTITIES,
  TLS_QUANTITIES,
  TIER_QUANTITIES,
  DURABILITY_QUANTITIES,
  REPLICATION_QUANTITIES,
  CLUSTER_QUANTITIES,
  SCRIPT_QUANTITIES,
] as const;

/** A row of any list of a subject. */
type RowOf<Subject> =
  Subject extends Readonly<Record<string, readonly (infer Row)[]>> ? Row : never;

type Row = RowOf<(typeof SUBJECTS)[number]>;

export type Counter = Row['counter'];

/** A quantity of a page. */
export interface PageQuantity extends Quantity {
  readonly counter: Counter;
}

export const QUANTITIES: readonly PageQuantity[] = SUBJECTS.flatMap((subject) =>
  Object.values<readonly PageQuantity[]>(subject).flat(),
);

/** Counters of a shard's store, in the order in which it keeps them. */
export type StoreCounter = Extract<Row, { readonly inStore: true }>['counter'];

export const STORE_COUNTERS = QUANTITIES.filter(({ inStore }) => inStore).map(
  ({ counter }) => counter as StoreCounter,
);

/** Fields that the rows name in a section of the status document. */
export type StatusField<Section extends string> = Row extends infer One
  ? One extends { readonly status: `${Section}.${infer Field}` }
    ? Field
    : never
  : never;

/** Fields of a shard in the status document that are numbers of its page. */
export type ShardField = Extract<Row, { readonly shards: string }>['shards'];

/** Fields of the live samples that are rates of counters. */
export type LiveRate = Extract<Row, { readonly live: string }>['live'];
