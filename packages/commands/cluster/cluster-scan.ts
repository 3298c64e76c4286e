/**
 * CLUSTERSCAN of Valkey 9.1: walks the keys of the whole cluster. Its cursor has a hash tag of the next slot, so clients
 * send it to the node that serves the slot.
 */

import { type Bytes, CommandError, keySlot, latin1, SLOT_COUNT } from '#base';
import type { ReplyWriter } from '#resp';
import type { Arguments } from '../arguments/arguments.ts';
import { answerOrError } from '../contexts/answer-later.ts';
import { onMain } from '../definition/definition.ts';
import { keySpec } from '../definition/keys.ts';
import { readScanOptions, type ScanOptions } from '../keyspace/scan/scan-options.ts';
import { clusterOf } from './enabled.ts';
import type { ClusterContext } from './ports.ts';
import { invalidSlot, readSlot } from './slot-arguments.ts';
import { slotOfPattern, tagOfSlot } from './slot-tags.ts';

const invalidCursor = new CommandError('ERR Invalid cursor');
const slotMismatch = new CommandError('ERR Cursor slot mismatch');
const slotTwice = new CommandError('ERR SLOT option can only be specified once');

/** `fingerprint-{tag}-local`: a fingerprint of 0 starts at the slot. */
const CURSOR = /^([0-9A-Za-z]+)-\{([^{}]+)\}-(\d{1,20})$/;
const DONE = '0';

export const clusterScan = onMain<ClusterContext>({
  name: 'CLUSTERSCAN',
  summary: 'Iterates over the keys of the cluster, a few with each call.',
  since: '9.1.0',
  complexity: 'O(1) for each call, O(N) for the whole walk over N keys.',
  group: 'cluster',
  arity: -2,
  flags: ['readonly'],
  acl: { add: ['keyspace'] },
  keys: { specs: [{ ...keySpec(1, 'RO'), notKey: true }] },
  args: [
    { name: 'cursor', type: 'string' },
    { name: 'match-pattern', type: 'pattern', token: 'MATCH', optional: true },
    { name: 'count', type: 'integer', token: 'COUNT', optional: true },
    { name: 'type', type: 'string', token: 'TYPE', optional: true },
    { name: 'slot', type: 'integer', token: 'SLOT', optional: true },
  ],
  tips: ['nondeterministic_output', 'request_policy:special', 'response_policy:special'],
  run(context, args) {
    const cluster = clusterOf(context);
    const walk = readWalk(args);
    if (walk.slot === undefined || walk.cursor === undefined) {
      writeStep(context.reply, walk.slot === undefined ? DONE : startOf(walk.slot), []);
      return;
    }
    const { slot, only, options } = walk;
    const range = cluster.scanRangeOf(slot);
    const { place, last } = placeOf(walk.cursor, only ?? range.last, range.fingerprint);
    const { database } = context.client.session;
    const { count, pattern, type } = options;
    const asked = cluster.scanKeys({ first: slot, last, place, database, count, pattern, type });
    answerOrError(context, asked, (reply, { next, keys }) => {
      if (next !== 0) {
        writeStep(reply, `${range.fingerprint}-{${tagOfSlot(slot)}}-${localOf(next, last)}`, keys);
      } else {
        const isOver = only !== undefined || last === SLOT_COUNT - 1;
        writeStep(reply, isOver ? DONE : startOf(last + 1), keys);
      }
    });
  },
});

interface Cursor {
  readonly fingerprint: string;
  readonly slot: number;
  readonly local: bigint;
}

interface Walk {
  readonly options: ScanOptions;
  /** The slot that is walked alone; undefined for all. */
  readonly only: number | undefined;
  /** The slot to continue with; undefined when nothing is left. */
  readonly slot: number | undefined;
  /** Place in the slot; undefined when the next call starts there. */
  readonly cursor: Cursor | undefined;
}

function readWalk(args: Arguments): Walk {
  const { options, asked } = readOptions(args);
  const cursor = readCursor(args);
  if (cursor !== undefined && asked !== undefined && cursor.slot !== asked) throw slotMismatch;
  // Keys that match a pattern with a hash tag are in no other slot.
  const matched = options.pattern && slotOfPattern(options.pattern);
  const only = asked ?? matched;
  const slot = only ?? cursor?.slot ?? 0;
  const isPast = only !== undefined && cursor !== undefined && cursor.slot > only;
  if (isPast || (matched ?? only) !== only) return { options, only, slot: undefined, cursor };
  return { options, only, slot, cursor: cursor?.slot === slot ? cursor : undefined };
}

function readOptions(args: Arguments): { options: ScanOptions; asked: number | undefined } {
  let asked: number | undefined;
  const options = readScanOptions(args, () => {
    if (args.left < 2 || !args.takes('SLOT')) return false;
    if (asked !== undefined) throw slotTwice;
    asked = readSlot(args, invalidSlot);
    return true;
  });
  if (options.type === -1) throw new CommandError(`ERR unknown type name '${options.typeName}'`);
  return { options, asked };
}

/** Reads the cursor; undefined for `0`, which starts a walk. */
function readCursor(args: Arguments): Cursor | undefined {
  const text = latin1(args.source, args.at(1), args.length(1));
  if (text === DONE) return undefined;
  const [, fingerprint, tag, local] = CURSOR.exec(text) ?? [];
  if (fingerprint === undefined || tag === undefined || local === undefined) throw invalidCursor;
  const slot = keySlot(Buffer.from(tag, 'latin1'), 0, tag.length);
  return { fingerprint, slot, local: BigInt(local) };
}

/** Returns the slot of a call's cursor; -1 for a cursor without one, which any node takes. */
export function slotOfScan(args: Arguments): number {
  const text = latin1(args.source, args.at(1), args.length(1));
  return CURSOR.test(text) ? keySlot(args.source, args.at(1), args.length(1)) : -1;
}

// The local part has the place in the walk, and the last slot of the range that it is of: the range must not grow.

function localOf(place: number, last: number): bigint {
  return BigInt(place) * BigInt(SLOT_COUNT) + BigInt(last);
}

/** Returns the place in a range of slots that ends at `last` now. A cursor of another fingerprint starts again. */
function placeOf({ fingerprint, slot, local }: Cursor, last: number, current: string) {
  const ended = Number(local % BigInt(SLOT_COUNT));
  if (fingerprint !== current || ended < slot) return { place: 0, last };
  const place = Number(BigInt.asUintN(32, local / BigInt(SLOT_COUNT)));
  return { place, last: Math.min(last, ended) };
}

function startOf(slot: number): string {
  return `0-{${tagOfSlot(slot)}}-0`;
}

function writeStep(reply: ReplyWriter, cursor: string, keys: readonly Bytes[]): void {
  reply.arrayHeader(2);
  reply.text(cursor);
  reply.arrayHeader(keys.length);
  for (const key of keys) reply.bulk(key);
}
