/** XCFGSET and XIDMPRECORD: limits of a stream's idempotent ids, and one of them for an entry that is there. */

import { CommandError, errors } from '#base';
import { StreamId } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import { oneShard } from '../../definition/definition.ts';
import { oneKey } from '../../definition/keys.ts';
import { readId } from '../entries/ids.ts';
import { streamToWrite } from '../entries/lookup.ts';

const DURATION_MAX = 86_400;
const SIZE_MAX = 10_000;

const nothingGiven = new CommandError('ERR At least one parameter must be specified');
const emptyProducer = new CommandError('ERR producer ID must be non-empty');
const emptyId = new CommandError('ERR idempotent ID must be non-empty');
const noEntry = new CommandError('ERR No such message in stream');
const otherEntry = new CommandError(
  'ERR IID already exists for this producer with a different stream ID',
);

const idScratch = new StreamId();

const xcfgset = oneShard({
  name: 'XCFGSET',
  summary: 'Sets for how long, and how many, idempotent ids of a stream are remembered.',
  since: '8.6.0',
  complexity: 'O(1), and O(N) for N idempotent ids that are forgotten.',
  group: 'stream',
  arity: -2,
  flags: ['write', 'fast'],
  keys: oneKey('RW', 'update'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'duration', type: 'integer', token: 'IDMP-DURATION', optional: true },
    { name: 'maxsize', type: 'integer', token: 'IDMP-MAXSIZE', optional: true },
  ],
  run(context, args) {
    const target = streamToWrite(context, args);
    if (target === undefined) throw errors.noSuchKey;
    const { idempotentIds } = target.stream;
    const wanted = readLimits(args);
    const before = idempotentIds.limits;
    const durationSeconds = wanted.durationSeconds ?? before.durationSeconds;
    const maxSize = wanted.maxSize ?? before.maxSize;
    context.reply.ok();
    // Publishers may all set the same before they begin.
    if (durationSeconds === before.durationSeconds && maxSize === before.maxSize) return;
    idempotentIds.limits = { durationSeconds, maxSize };
    idempotentIds.clear();
    target.post();
    context.countChanges(1);
  },
});

const xidmprecord = oneShard({
  name: 'XIDMPRECORD',
  summary: 'Remembers an idempotent id for an entry that exists; for logs and replicas.',
  since: '8.6.2',
  complexity: 'O(log(N)) for N entries of the stream.',
  group: 'stream',
  arity: 5,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', 'update'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'pid', type: 'string' },
    { name: 'iid', type: 'string' },
    { name: 'stream-id', type: 'string' },
  ],
  run(context, args) {
    readId(args, 4, idScratch);
    const [producer, idempotentId] = [args.latin1(2), args.latin1(3)];
    if (producer === '') throw emptyProducer;
    if (idempotentId === '') throw emptyId;
    const target = streamToWrite(context, args);
    if (target === undefined) throw errors.noSuchKey;
    const { stream } = target;
    if (!stream.has(idScratch)) throw noEntry;
    const { idempotentIds } = stream;
    const known = idempotentIds.find(producer, idempotentId, context.nowMs);
    // A later entry means that the earlier one's id had expired where this was decided.
    const order = known === undefined ? 1 : idScratch.compare(known);
    if (order < 0) throw otherEntry;
    context.reply.ok();
    if (order === 0) return;
    idempotentIds.remember(producer, idempotentId, idScratch);
    target.post();
    context.countChanges(1);
  },
});

export const streamIdempotency = [xcfgset, xidmprecord];

interface WantedLimits {
  durationSeconds: number | undefined;
  maxSize: number | undefined;
}

function readLimits(args: Arguments): WantedLimits {
  const wanted: WantedLimits = { durationSeconds: undefined, maxSize: undefined };
  args.position = 2;
  while (args.more) {
    if (args.left >= 2 && args.takes('IDMP-DURATION')) {
      demandOnce('IDMP-DURATION', wanted.durationSeconds);
      wanted.durationSeconds = readLimit(args, 'IDMP-DURATION', DURATION_MAX, 'seconds');
    } else if (args.left >= 2 && args.takes('IDMP-MAXSIZE')) {
      demandOnce('IDMP-MAXSIZE', wanted.maxSize);
      wanted.maxSize = readLimit(args, 'IDMP-MAXSIZE', SIZE_MAX, 'entries');
    } else {
      throw errors.syntax;
    }
  }
  if (wanted.durationSeconds === undefined && wanted.maxSize === undefined) throw nothingGiven;
  return wanted;
}

function demandOnce(name: string, given: number | undefined): void {
  if (given !== undefined) throw new CommandError(`ERR ${name} specified multiple times`);
}

function readLimit(args: Arguments, name: string, most: number, unit: string): number {
  const value = args.integer64();
  if (value >= 1n && value <= BigInt(most)) return Number(value);
  throw new CommandError(`ERR ${name} must be between 1 and ${most} ${unit}`);
}
