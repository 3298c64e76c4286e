/** XNACK: a consumer gives pending entries back, for others to claim at once. */

import { CommandError, untilNul } from '#base';
import { DELIVERIES_MAX, IdPlace, type Stream, type StreamGroup, StreamId } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import { oneShard } from '../../definition/definition.ts';
import { oneKey } from '../../definition/keys.ts';
import { idsDoc, readId } from '../entries/ids.ts';
import { groupAt, streamToWrite } from '../entries/lookup.ts';

const GROUP_INDEX = 2;
const MODE_INDEX = 3;
const IDS_INDEX = 4;
const FIRST_ID_INDEX = 6;

/** Time of delivery of an entry that no consumer has. */
const RELEASED_MS = 0;

const MODES = ['SILENT', 'FAIL', 'FATAL'] as const;

const unknownMode = new CommandError('ERR XNACK mode must be SILENT, FAIL, or FATAL');
const noIds = new CommandError('ERR syntax error, expected IDS keyword');
const notPositive = new CommandError('ERR numids must be positive');
const otherCount = new CommandError("ERR number of IDs doesn't match numids");
const negativeCount = new CommandError('ERR Invalid RETRYCOUNT value, must be >= 0');

const idScratch = new StreamId();
const placeScratch = new IdPlace();

const xnack = oneShard({
  name: 'XNACK',
  summary: 'Releases pending entries of a consumer group, which can be claimed at once.',
  since: '8.8.0',
  complexity: 'O(log(N)) for each entry, N being the number of pending ones.',
  group: 'stream',
  arity: -7,
  flags: ['write', 'fast'],
  keys: oneKey('RW', 'update'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'group', type: 'string' },
    {
      name: 'mode',
      type: 'oneof',
      arguments: MODES.map((mode) => ({
        name: mode.toLowerCase(),
        type: 'pure-token',
        token: mode,
      })),
    },
    idsDoc,
    { name: 'count', type: 'integer', token: 'RETRYCOUNT', optional: true },
    { name: 'force', type: 'pure-token', token: 'FORCE', optional: true },
  ],
  run(context, args) {
    const release = readRelease(args);
    const { end } = release;
    for (let index = FIRST_ID_INDEX; index < end; index += 1) readId(args, index, idScratch);
    const target = streamToWrite(context, args);
    const group = target && groupAt(target.stream, args, GROUP_INDEX);
    let released = 0;
    for (let index = FIRST_ID_INDEX; group !== undefined && index < end; index += 1) {
      readId(args, index, idScratch);
      if (releaseOne(target!.stream, group, release)) released += 1;
    }
    target?.post();
    context.reply.integer(released);
    context.countChanges(released);
    // Who waits to claim entries of this stream need not wait until they are idle.
    if (released > 0) context.concernsWaiters(args.source, args.at(1), args.length(1));
  },
});

export const streamReleasing = [xnack];

interface Release {
  readonly mode: (typeof MODES)[number];
  /** Index after the last id. */
  readonly end: number;
  /** Number of deliveries to set; -1: that of the mode. */
  deliveries: number;
  /** Entries that are not pending become pending. */
  isForced: boolean;
}

function readRelease(args: Arguments): Release {
  const mode = MODES.find((each) => args.spellsAt(MODE_INDEX, each));
  if (mode === undefined) throw unknownMode;
  if (!args.spellsAt(IDS_INDEX, 'IDS')) throw noIds;
  args.position = IDS_INDEX + 1;
  const count = args.integer64();
  if (count < 1n) throw notPositive;
  if (count > BigInt(args.left)) throw otherCount;
  const end = FIRST_ID_INDEX + Number(count);
  const release: Release = { mode, end, deliveries: -1, isForced: false };
  args.position = end;
  while (args.more) takeOption(args, release);
  return release;
}

function takeOption(args: Arguments, release: Release): void {
  if (args.takes('FORCE')) {
    release.isForced = true;
  } else if (args.left >= 2 && args.takes('RETRYCOUNT')) {
    const deliveries = args.integer64();
    if (deliveries < 0n) throw negativeCount;
    release.deliveries = Number(deliveries);
  } else {
    throw new CommandError(`ERR Unrecognized XNACK option '${untilNul(args.text())}'`);
  }
}

/** Releases the entry of the current id; returns false if it stays as it was. */
function releaseOne(
  stream: Stream,
  group: StreamGroup,
  { mode, deliveries, isForced }: Release,
): boolean {
  // The order in which entries are released is that in which they are claimed.
  group.keepDeliveryOrder();
  if (group.pending.find(idScratch, placeScratch)) {
    if (group.consumerAt(placeScratch) === undefined) return false;
    group.disown(placeScratch, idScratch);
    const before = group.deliveries(placeScratch);
    const wanted = deliveries >= 0 ? deliveries : deliveriesAfter(mode, before);
    group.setDelivery(placeScratch, RELEASED_MS, wanted);
    return true;
  }
  if (!isForced || !stream.has(idScratch)) return false;
  group.enter(idScratch, placeScratch);
  const wanted = deliveries >= 0 ? deliveries : deliveriesAfter(mode, 0);
  group.setDelivery(placeScratch, RELEASED_MS, wanted);
  return true;
}

/** An entry that made its consumer fail was delivered; one that was given back unseen was not. */
function deliveriesAfter(mode: Release['mode'], before: number): number {
  if (mode === 'FATAL') return DELIVERIES_MAX;
  return mode === 'SILENT' ? Math.max(before - 1, 0) : before;
}
