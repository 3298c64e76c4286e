/** XCLAIM and XAUTOCLAIM: a consumer takes over what another has not acknowledged. */

import { CommandError, errors, untilNul } from '#base';
import { IdPlace, type Stream, type StreamConsumer, type StreamGroup, StreamId } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import type { ShardContext } from '../../contexts/contexts.ts';
import { oneShard } from '../../definition/definition.ts';
import { findToRead } from '../../elements/lookup.ts';
import { oneKey } from '../../definition/keys.ts';
import { replyEntryAt } from '../entries/entries.ts';
import { ClaimRows, Deliveries } from './deliveries.ts';
import { isId, readId, readStart, replyId } from '../entries/ids.ts';
import { consumerAsking, groupAt, noGroup, streamOf, streamToRead } from '../entries/lookup.ts';

const GROUP_INDEX = 2;
const CONSUMER_INDEX = 3;
const IDLE_INDEX = 4;
const IDS_INDEX = 5;
const START_INDEX = 5;

/** Number of entries that XAUTOCLAIM looks at for each that it may claim. */
const ATTEMPTS_PER_ENTRY = 10;
const CLAIMED_STANDARD = 100;
/** An id's bytes in Redis, by which it judges a count, and what no memory holds of them. */
const ID_BYTES = 16;
const COUNT_MAX = (2n ** 63n - 1n) / BigInt(ID_BYTES);
const IDS_BYTES_MAX = 2 ** 47;

const invalid = (what: string, command: string): CommandError =>
  new CommandError(`ERR Invalid ${what} argument for ${command}`);

const invalidIdle = invalid('min-idle-time', 'XCLAIM');
const invalidAutoIdle = invalid('min-idle-time', 'XAUTOCLAIM');
const invalidIdleOption = invalid('IDLE option', 'XCLAIM');
const invalidTime = invalid('TIME option', 'XCLAIM');
const invalidRetryCount = invalid('RETRYCOUNT option', 'XCLAIM');
const noCount = new CommandError('ERR COUNT must be > 0');
const countTooHigh = new CommandError(
  'ERR Insufficient memory, failed allocating transient memory, COUNT too high.',
);

const idScratch = new StreamId();
const startScratch = new StreamId();
const placeScratch = new IdPlace();

const xclaim = oneShard({
  name: 'XCLAIM',
  summary: 'Assigns pending entries to a consumer.',
  since: '5.0.0',
  complexity: 'O(log(N)) for each entry, N being the number of pending ones.',
  group: 'stream',
  arity: -6,
  flags: ['write', 'fast'],
  keys: oneKey('RW', 'update'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'group', type: 'string' },
    { name: 'consumer', type: 'string' },
    { name: 'min-idle-time', type: 'string' },
    { name: 'id', type: 'string', multiple: true },
    { name: 'ms', type: 'integer', token: 'IDLE', optional: true },
    { name: 'unix-time-milliseconds', type: 'unix-time', token: 'TIME', optional: true },
    { name: 'count', type: 'integer', token: 'RETRYCOUNT', optional: true },
    { name: 'force', type: 'pure-token', token: 'FORCE', optional: true },
    { name: 'justid', type: 'pure-token', token: 'JUSTID', optional: true },
    { name: 'lastid', type: 'string', token: 'LASTID', optional: true },
  ],
  tips: ['nondeterministic_output'],
  run(context, args) {
    const found = streamToRead(context, args);
    const group = found && groupAt(found.stream, args, GROUP_INDEX);
    if (group === undefined) throw noGroup(args);
    const claim = readClaim(args, context.nowMs);
    const isAhead = claim.lastId !== undefined && claim.lastId.compare(group.lastId) > 0;
    if (isAhead) group.lastId.set(claim.lastId!);
    const { consumer, deliveries } = takingConsumer(context, args, group);
    const rows = new ClaimRows();
    const expected = claim.end - IDS_INDEX;
    const mark = context.reply.beginArray(expected);
    const taker: Taker = { stream: found!.stream, group, consumer };
    const outcome = { claimed: 0, gone: 0, rows: context.isReplicated ? rows : undefined };
    for (let index = IDS_INDEX; index < claim.end; index += 1) {
      readId(args, index, idScratch);
      claimOne(context, taker, claim, outcome);
    }
    context.reply.endArray(mark, expected, outcome.claimed);
    found!.post();
    context.countChanges(Math.max(outcome.claimed + outcome.gone, isAhead ? 1 : 0));
    if (deliveries === undefined) return;
    rows.report(deliveries);
    if (isAhead) deliveries.advanced();
  },
});

const xautoclaim = oneShard({
  name: 'XAUTOCLAIM',
  summary: 'Assigns the next entries that have been pending for a minimum time to a consumer.',
  since: '6.2.0',
  complexity: 'O(M*log(N)) for M entries that are looked at out of N that are pending.',
  group: 'stream',
  arity: -6,
  flags: ['write', 'fast'],
  keys: oneKey('RW', 'delete'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'group', type: 'string' },
    { name: 'consumer', type: 'string' },
    { name: 'min-idle-time', type: 'string' },
    { name: 'start', type: 'string' },
    { name: 'count', type: 'integer', token: 'COUNT', optional: true },
    { name: 'justid', type: 'pure-token', token: 'JUSTID', optional: true },
  ],
  tips: ['nondeterministic_output'],
  history: [
    ['7.0.0', 'Added the ids of deleted entries, which are no longer pending, to the reply.'],
  ],
  run(context, args) {
    const ref = findToRead(context, args, 1);
    const sweep = readSweep(args);
    const found = streamOf(context, ref);
    const group = found && groupAt(found.stream, args, GROUP_INDEX);
    if (group === undefined) throw noGroup(args);
    if (sweep.count * ID_BYTES > IDS_BYTES_MAX) throw countTooHigh;
    const { consumer, deliveries } = takingConsumer(context, args, group);
    const taker: Taker = { stream: found!.stream, group, consumer };
    const swept = sweepPending(taker, sweep, context.nowMs);
    replySwept(context, taker, sweep, swept);
    found!.post();
    context.countChanges(swept.claimed.length + swept.gone.length);
    if (deliveries !== undefined) swept.rows.report(deliveries);
  },
});

export const streamClaiming = [xclaim, xautoclaim];

/** The consumer that claims entries, and the rows for replicas, if there are any replicas. */
function takingConsumer(
  context: ShardContext,
  args: Arguments,
  group: StreamGroup,
): { consumer: StreamConsumer; deliveries: Deliveries | undefined } {
  const name = args.latin1(CONSUMER_INDEX);
  const isNew = group.consumers.get(name) === undefined;
  const consumer = consumerAsking(context, args, 1, { group, name });
  if (!context.isReplicated) return { consumer, deliveries: undefined };
  const words = { key: args.copy(1), name: args.copy(GROUP_INDEX), consumer: args.copy(3), group };
  const deliveries = new Deliveries(context, words);
  if (isNew) deliveries.created();
  return { consumer, deliveries };
}

/** Consumer that takes entries over. */
interface Taker {
  stream: Stream;
  group: StreamGroup;
  consumer: StreamConsumer;
}

interface Claim {
  /** Index after the last id. */
  end: number;
  idleMs: number;
  deliveredMs: number;
  /** -1: as many as there are, and this one. */
  deliveries: number;
  isForced: boolean;
  isIdOnly: boolean;
  lastId: StreamId | undefined;
}

function readClaim(args: Arguments, nowMs: number): Claim {
  const idleMs = Math.max(args.roundedAt(IDLE_INDEX, invalidIdle), 0);
  let end = IDS_INDEX;
  while (end < args.count && isId(args, end, idScratch)) end += 1;
  const claim: Claim = {
    end,
    idleMs,
    deliveredMs: -1,
    deliveries: -1,
    isForced: false,
    isIdOnly: false,
    lastId: undefined,
  };
  args.position = end;
  while (args.more) takeClaimOption(args, claim, nowMs);
  const { deliveredMs } = claim;
  if (deliveredMs < 0 || deliveredMs > nowMs) claim.deliveredMs = nowMs;
  return claim;
}

function takeClaimOption(args: Arguments, claim: Claim, nowMs: number): void {
  const hasValue = args.left >= 2;
  if (args.takes('FORCE')) {
    claim.isForced = true;
  } else if (args.takes('JUSTID')) {
    claim.isIdOnly = true;
  } else if (hasValue && args.takes('IDLE')) {
    claim.deliveredMs = nowMs - args.roundedAt(args.next(), invalidIdleOption);
  } else if (hasValue && args.takes('TIME')) {
    claim.deliveredMs = args.roundedAt(args.next(), invalidTime);
  } else if (hasValue && args.takes('RETRYCOUNT')) {
    claim.deliveries = args.roundedAt(args.next(), invalidRetryCount);
  } else if (hasValue && args.takes('LASTID')) {
    claim.lastId = new StreamId();
    readId(args, args.next(), claim.lastId);
  } else {
    throw new CommandError(`ERR Unrecognized XCLAIM option '${untilNul(args.text())}'`);
  }
}

/** Claims the entry of `id` if it is pending or the claim is forced. */
function claimOne(
  { reply, nowMs }: ShardContext,
  { stream, group, consumer }: Taker,
  claim: Claim,
  outcome: { claimed: number; gone: number; readonly rows: ClaimRows | undefined },
): void {
  const { pending } = group;
  const isPending = pending.find(idScratch, placeScratch);
  if (!stream.has(idScratch)) {
    if (isPending) {
      group.release(placeScratch, idScratch);
      outcome.gone += 1;
      outcome.rows?.add(idScratch, nowMs, 1);
    }
    return;
  }
  let deliveries = 1;
  if (isPending) {
    if (claim.idleMs > 0 && nowMs - group.deliveredMs(placeScratch) < claim.idleMs) return;
    deliveries = group.deliveries(placeScratch);
    group.assign(placeScratch, idScratch, consumer);
  } else {
    if (!claim.isForced) return;
    group.enter(idScratch, placeScratch, consumer);
  }
  if (claim.deliveries >= 0) ({ deliveries } = claim);
  else if (!claim.isIdOnly) deliveries += 1;
  group.setDelivery(placeScratch, claim.deliveredMs, deliveries);
  consumer.activeMs = nowMs;
  outcome.claimed += 1;
  outcome.rows?.add(idScratch, claim.deliveredMs, deliveries);
  if (claim.isIdOnly) replyId(reply, idScratch);
  else replyEntryAt(reply, stream, idScratch);
}

interface Sweep {
  idleMs: number;
  count: number;
  isIdOnly: boolean;
}

/** Parses the arguments of XAUTOCLAIM; sets `start`. */
function readSweep(args: Arguments): Sweep {
  const idleMs = Math.max(args.roundedAt(IDLE_INDEX, invalidAutoIdle), 0);
  readStart(args, START_INDEX, startScratch);
  const sweep: Sweep = { idleMs, count: CLAIMED_STANDARD, isIdOnly: false };
  args.position = START_INDEX + 1;
  while (args.more) {
    if (args.left >= 2 && args.takes('COUNT')) {
      const count = args.integer64(noCount);
      if (count < 1n || count > COUNT_MAX) throw noCount;
      sweep.count = Number(count);
    } else if (args.takes('JUSTID')) {
      sweep.isIdOnly = true;
    } else {
      throw errors.syntax;
    }
  }
  return sweep;
}

interface Swept {
  claimed: StreamId[];
  /** Entries that are in the stream no more. */
  gone: StreamId[];
  /** Id at which the next sweep begins. */
  next: StreamId;
  /** Claims to replicate. */
  rows: ClaimRows;
}

function sweepPending({ stream, group, consumer }: Taker, sweep: Sweep, nowMs: number): Swept {
  const { pending } = group;
  const swept: Swept = { claimed: [], gone: [], next: new StreamId(), rows: new ClaimRows() };
  let left = sweep.count;
  let attempts = sweep.count * ATTEMPTS_PER_ENTRY;
  let more = pending.seek(startScratch, placeScratch);
  for (; more && left > 0 && attempts > 0; attempts -= 1) {
    pending.readId(placeScratch, idScratch);
    if (!stream.has(idScratch)) {
      swept.gone.push(idScratch.copy());
      swept.rows.add(idScratch, nowMs, 1);
      more = group.release(placeScratch, idScratch);
      left -= 1;
      continue;
    }
    if (sweep.idleMs === 0 || nowMs - group.deliveredMs(placeScratch) >= sweep.idleMs) {
      const deliveries = group.deliveries(placeScratch) + (sweep.isIdOnly ? 0 : 1);
      group.assign(placeScratch, idScratch, consumer);
      group.setDelivery(placeScratch, nowMs, deliveries);
      consumer.activeMs = nowMs;
      swept.rows.add(idScratch, nowMs, deliveries);
      swept.claimed.push(idScratch.copy());
      left -= 1;
    }
    more = pending.next(placeScratch);
  }
  if (more) pending.readId(placeScratch, swept.next);
  return swept;
}

function replySwept(
  { reply }: ShardContext,
  { stream }: Taker,
  { isIdOnly }: Sweep,
  { claimed, gone, next }: Swept,
): void {
  reply.arrayHeader(3);
  replyId(reply, next);
  reply.arrayHeader(claimed.length);
  for (const each of claimed) {
    if (isIdOnly) replyId(reply, each);
    else replyEntryAt(reply, stream, each);
  }
  reply.arrayHeader(gone.length);
  for (const each of gone) replyId(reply, each);
}
