/**
 * SCAN: walks a database in pieces, one shard after the other.
 *
 * All shards are asked: where the walk through one ends before COUNT keys were looked at, the next ones follow in the
 * same reply as long as they are so small that they fit in whole. So a small database is walked in one call, as a client
 * of Redis expects, and a large one costs the shards whose turn it is not nothing.
 */

import { CommandError, errors, globMatches, type Bytes } from '#base';
import type { Keyspace, Ref } from '#store';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { everyShard } from '../definition.ts';
import { noKeys } from '../keys.ts';
import { hasEnded } from './lookup.ts';
import { cursorPlace, cursorShard } from './scan-cursor.ts';
import { joinedWalks, NOT_YET, TOO_MANY, type Walked } from './scan-merge.ts';
import { typeNumber } from './type-names.ts';

export const scan = everyShard<Walked>({
  name: 'SCAN',
  summary: 'Walks the keys of the database, some with each call.',
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
  history: [['6.0.0', 'TYPE came.']],
  run(context, args) {
    const { keyspace, shardIndex, shardCount } = context;
    const place = cursorPlace(args, shardCount);
    const wanted = readWanted(args);
    const { count } = wanted;
    const first = cursorShard(args, shardCount);
    if (shardIndex < first) return NOT_YET;
    if (shardIndex > first && keyspace.size > count) return TOO_MANY;
    const visit = collectorOf(context, wanted);
    let next = keyspace.scan(shardIndex === first ? place : 0, count, visit);
    while (shardIndex > first && next !== 0) next = keyspace.scan(next, count, visit);
    sweep(context);
    return { next, count, looked: lookedAt, keys: gatheredKeys() };
  },
  merge: joinedWalks,
});

export const keyScanning = [scan];

interface Wanted {
  count: number;
  pattern: Bytes | undefined;
  /** The store's number of the type; -1 for a type that does not exist; undefined for all. */
  type: number | undefined;
}

/** The most records that one call looks at, whatever COUNT says: the store counts in 31 bits. */
const COUNT_MAX = 2 ** 31 - 1;
const COUNT_DEFAULT = 10;

const noValuesHere = new CommandError('ERR NOVALUES option can only be used in HSCAN');

function readWanted(args: Arguments): Wanted {
  const wanted: Wanted = { count: COUNT_DEFAULT, pattern: undefined, type: undefined };
  args.position = 2;
  while (args.more) {
    if (args.left >= 2 && args.takes('COUNT')) {
      wanted.count = Math.min(args.roundedAt(args.next()), COUNT_MAX);
      if (wanted.count < 1) throw errors.syntax;
    } else if (args.left >= 2 && args.takes('MATCH')) {
      const pattern = args.bytes();
      wanted.pattern = pattern.length === 1 && pattern[0] === STAR ? undefined : pattern;
    } else if (args.left >= 2 && args.takes('TYPE')) {
      const index = args.next();
      wanted.type = typeNumber(args.source, args.at(index), args.length(index));
    } else if (args.takes('NOVALUES')) {
      throw noValuesHere;
    } else {
      throw errors.syntax;
    }
  }
  return wanted;
}

const STAR = 0x2a;

// The keys of one call are gathered in memory that serves all calls: SCAN is often called, and with
// small counts. They are copies, as removing the ended ones may move records.

let gathered = Buffer.allocUnsafe(4096);
let gatheredBytes = 0;
/** Where each gathered key begins, and its length. */
const spans: number[] = [];
let lookedAt = 0;
const ended: Bytes[] = [];

function collectorOf(context: ShardContext, wanted: Wanted): (ref: Ref) => void {
  const { keyspace, nowMs } = context;
  spans.length = 0;
  gatheredBytes = 0;
  lookedAt = 0;
  return (ref) => {
    lookedAt += 1;
    if (hasEnded(keyspace, ref, nowMs)) {
      const { bytes, at, length } = keyspace.key(ref);
      ended.push(bytes.slice(at, at + length));
    } else if (wanted.type === undefined || keyspace.type(ref) === wanted.type) {
      gather(keyspace, ref, wanted.pattern);
    }
  };
}

function gather(keyspace: Keyspace, ref: Ref, pattern: Bytes | undefined): void {
  const { bytes, at, length } = keyspace.key(ref);
  if (pattern !== undefined && !globMatches(pattern, bytes.subarray(at, at + length))) return;
  if (gatheredBytes + length > gathered.length) {
    gathered = Buffer.concat([gathered, Buffer.allocUnsafe(gathered.length + length)]);
  }
  gathered.set(bytes.subarray(at, at + length), gatheredBytes);
  spans.push(gatheredBytes, length);
  gatheredBytes += length;
}

/** Removes the ended keys that the scan met: looking at one is enough. */
function sweep({ keyspace }: ShardContext): void {
  for (const key of ended) keyspace.peek(key, 0, key.length);
  ended.length = 0;
}

function gatheredKeys(): readonly Bytes[] {
  const keys: Bytes[] = [];
  for (let index = 0; index < spans.length; index += 2) {
    const at = spans[index]!;
    keys.push(gathered.subarray(at, at + spans[index + 1]!));
  }
  return keys;
}
