/** DEBUG subcommands for the size from which list elements get their own nodes, and for the contents of nodes. */

import { CommandError } from '#base';
import type { Quicklist } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import { everyShard } from '../../definition/definition.ts';
import { allOk } from '../../definition/merge.ts';
import { disturbingHead } from './debug-head.ts';

export const packedThreshold = everyShard({
  ...disturbingHead,
  name: 'DEBUG|QUICKLIST-PACKED-THRESHOLD',
  summary: 'Sets the size from which an element of a list gets its own node, in bytes.',
  arity: 3,
  run({ store }, args) {
    store.listPlainBytes = thresholdBytes(args);
    return null;
  },
  merge: allOk,
});

/** Returns the fields that DEBUG OBJECT adds for a large list. */
export function quicklistReport({ nodes }: Quicklist): string {
  const average = (nodes.count / nodes.nodeCount).toFixed(2);
  let size = 0;
  for (let node = nodes.head; node !== undefined; node = node.next) size += node.size;
  const isCompressed = nodes.depth > 0 ? 1 : 0;
  return (
    ` ql_nodes:${nodes.nodeCount} ql_avg_node:${average} ql_listpack_max:${nodes.size} ` +
    `ql_compressed:${isCompressed} ql_uncompressed_size:${size}`
  );
}

const badThreshold = new CommandError(
  'ERR argument must be a memory value bigger than 1 and smaller than 4gb',
);
/** Redis leaves a megabyte below 4 GiB for its own headers. */
const THRESHOLD_MAX = 2 ** 32 - 2 ** 20;
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1_000,
  kb: 1_024,
  m: 1_000_000,
  mb: 1_024 ** 2,
  g: 1_000_000_000,
  gb: 1_024 ** 3,
};

function thresholdBytes(args: Arguments): number {
  const [, digits = '', unit = '-'] = /^(\d+)([a-z]*)$/i.exec(args.latin1(2)) ?? [];
  const bytes = Number(digits) * (UNITS[unit.toLowerCase()] ?? NaN);
  if (!(bytes <= THRESHOLD_MAX)) throw badThreshold;
  return bytes;
}
