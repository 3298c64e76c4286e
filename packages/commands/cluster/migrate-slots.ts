/** CLUSTER MIGRATESLOTS of Valkey 9: hands slots over to one or several nodes, all or none of them. */

import { CommandError, errors, SLOT_COUNT } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import { answerOrError, writeOk } from '../contexts/answer-later.ts';
import { onMain } from '../definition/definition.ts';
import { clusterOf, ofAdministration } from './enabled.ts';
import type { ClusterContext, MoveWish, SlotSpan } from './ports.ts';
import { invalidSlot, readSlot } from './slot-arguments.ts';

const noRanges = new CommandError('ERR No slot ranges specified');
const noEnd = new CommandError('ERR No end slot for final slot range');
const overlapping = new CommandError('ERR Slot ranges in migrations overlap');

export const migrateSlotsOfValkey = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|MIGRATESLOTS',
  summary: 'Starts migrations of slots to other nodes.',
  since: '9.0.0',
  complexity: 'O(N), N being the number of slots; the keys follow meanwhile.',
  arity: -4,
  args: [
    {
      name: 'migration-group',
      type: 'block',
      multiple: true,
      arguments: [
        { name: 'slotsrange-token', type: 'pure-token', token: 'SLOTSRANGE' },
        {
          name: 'range',
          type: 'block',
          multiple: true,
          arguments: [
            { name: 'start-slot', type: 'integer' },
            { name: 'end-slot', type: 'integer' },
          ],
        },
        { name: 'node-token', type: 'pure-token', token: 'NODE' },
        { name: 'node-id', type: 'string' },
      ],
    },
  ],
  run(context, args) {
    const { moves } = clusterOf(context);
    answerOrError(context, moves.begin(readGroups(args)), writeOk);
  },
});

/** Reads the moves that are wanted, none of which has a slot of another. */
function readGroups(args: Arguments): readonly MoveWish[] {
  const wishes: MoveWish[] = [];
  const taken = new Set<number>();
  while (args.more) {
    if (!args.takes('SLOTSRANGE')) throw errors.syntax;
    const slots = slotsIn(readSpans(args));
    if (slots.some((slot) => taken.has(slot))) throw overlapping;
    for (const slot of slots) taken.add(slot);
    if (!args.takes('NODE')) throw errors.syntax;
    wishes.push({ slots, target: args.text() });
  }
  return wishes;
}

/** Reads ranges up to the first argument that is no integer. */
function readSpans(args: Arguments): readonly SlotSpan[] {
  const spans: SlotSpan[] = [];
  const nths = new Int32Array(SLOT_COUNT).fill(-1);
  while (args.more && !Number.isNaN(args.integerAt(args.position))) {
    const span = readSpan(args);
    const [first, last] = span;
    const before = nths.subarray(first, last + 1).filter((nth) => nth >= 0);
    if (before.length > 0) throw overlapOf(span, spans[Math.min(...before)]!);
    nths.fill(spans.length, first, last + 1);
    spans.push(span);
  }
  if (spans.length === 0) throw noRanges;
  return spans;
}

function readSpan(args: Arguments): SlotSpan {
  const first = readSlot(args, invalidSlot);
  if (!args.more) throw noEnd;
  const last = readSlot(args, invalidSlot);
  if (first > last) {
    throw new CommandError(
      `ERR Start slot number ${first} is greater than end slot number ${last}.`,
    );
  }
  return [first, last];
}

function overlapOf(span: SlotSpan, before: SlotSpan): CommandError {
  const ranges = `${span.join('-')} overlaps with previous range ${before.join('-')}`;
  return new CommandError(`ERR Slot range ${ranges}.`);
}

function slotsIn(spans: readonly SlotSpan[]): readonly number[] {
  return spans.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, nth) => first + nth),
  );
}
