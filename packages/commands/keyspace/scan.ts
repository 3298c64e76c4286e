/** SCAN: walks a database in pieces, one shard after the other. */

import { CommandError, errors, globMatches, type Bytes } from '#base';
import type { Keyspace, Ref } from '#store';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { oneShard } from '../definition.ts';
import { noKeys } from '../keys.ts';
import { hasEnded } from './lookup.ts';
import { cursorPlace, cursorShard, nextCursor } from './scan-cursor.ts';
import { typeNumber } from './type-names.ts';

export const scan = oneShard({
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
  shard: cursorShard,
  run(context, args) {
    const place = cursorPlace(args, context.shardCount);
    const wanted = readWanted(args);
    const next = context.keyspace.scan(place, wanted.count, collectorOf(context, wanted));
    sweep(context);
    answer(context, nextCursor(next, context.shardIndex, context.shardCount));
  },
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
const ended: Bytes[] = [];

function collectorOf(context: ShardContext, wanted: Wanted): (ref: Ref) => void {
  const { keyspace, nowMs } = context;
  spans.length = 0;
  gatheredBytes = 0;
  return (ref) => {
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

function answer({ reply }: ShardContext, cursor: number): void {
  reply.arrayHeader(2);
  reply.bulkInteger(cursor);
  reply.arrayHeader(spans.length / 2);
  for (let index = 0; index < spans.length; index += 2) {
    reply.bulk(gathered, spans[index], spans[index + 1]);
  }
}
