/**
 * SCAN: walks a database in pieces, one shard after the other.
 *
 * All shards are asked: where the walk through one ends before COUNT keys were looked at, the next ones follow in the
 * same reply as long as they are so small that they fit in whole. So a small database is walked in one call, as a client
 * of Redis expects, and a large one costs the shards whose turn it is not nothing.
 */

import type { Bytes } from '#base';
import type { Ref } from '#store';
import { BulkList } from '../../definition/bulk-list.ts';
import type { ShardContext } from '../../contexts/contexts.ts';
import { everyShard } from '../../definition/definition.ts';
import { noKeys } from '../../definition/keys.ts';
import { addMatching, keyCopy } from './keys.ts';
import { hasEnded } from '../../elements/lookup.ts';
import { scanPlace } from '../../elements/scan-cursor.ts';
import { joinedWalks, NOT_YET, TOO_MANY, type Walked } from './scan-merge.ts';
import { readScanOptions, type ScanOptions } from './scan-options.ts';

const scan = everyShard<Walked>({
  name: 'SCAN',
  summary: 'Iterates over the keys of the selected database, a few with each call.',
  since: '2.8.0',
  complexity: 'O(1) for each call, O(N) for the whole walk over N keys.',
  group: 'generic',
  arity: -2,
  flags: ['readonly'],
  keys: noKeys,
  args: [
    { name: 'cursor', type: 'integer' },
    { name: 'pattern', type: 'pattern', token: 'MATCH', optional: true },
    { name: 'count', type: 'integer', token: 'COUNT', optional: true },
    { name: 'type', type: 'string', token: 'TYPE', since: '6.0.0', optional: true },
  ],
  tips: ['nondeterministic_output', 'request_policy:special', 'response_policy:special'],
  history: [['6.0.0', 'Added TYPE.']],
  run(context, args) {
    const { keyspace, shardIndex, shardCount } = context;
    const { shard, place } = scanPlace(args, shardCount);
    const wanted = readScanOptions(args);
    if (shardIndex < shard) return NOT_YET;
    if (shardIndex === shard) return walked(context, wanted, place, false);
    return keyspace.size > wanted.count ? TOO_MANY : walked(context, wanted, 0, true);
  },
  merge: joinedWalks,
});

export const keyScanning = [scan];

/** Walks on from a place, to the end if that is asked for. */
function walked(
  { keyspace, nowMs }: ShardContext,
  { count, pattern, type }: ScanOptions,
  place: number,
  toEnd: boolean,
): Walked {
  const keys = new BulkList();
  const ended: Bytes[] = [];
  let looked = 0;
  const visit = (ref: Ref): void => {
    looked += 1;
    if (keyspace.isHidden(ref)) return;
    if (hasEnded(keyspace, ref, nowMs)) {
      ended.push(keyCopy(keyspace, ref));
    } else if (type === undefined || keyspace.type(ref) === type) {
      addMatching(keyspace, ref, pattern, keys);
    }
  };
  let next = keyspace.scan(place, count, visit);
  while (toEnd && next !== 0) next = keyspace.scan(next, count, visit);
  // Looking at an ended key is enough to remove it, which may move records.
  for (const key of ended) keyspace.peek(key, 0, key.length);
  return { next, count, looked, keys };
}
