/** CLUSTER subcommands that hand slots over to another node as a whole. */

import { CommandError, errors, SLOT_COUNT } from '#base';
import type { ReplyWriter } from '#resp';
import { answerOrError } from '../contexts/answer-later.ts';
import type { Arguments } from '../arguments/arguments.ts';
import { onMain } from '../definition/definition.ts';
import { clusterOf, ofAdministration } from './enabled.ts';
import type { ClusterContext, SlotMigrationDetails, SlotSpan } from './ports.ts';
import { invalidSlot } from './slot-arguments.ts';

const noTarget = new CommandError('ERR Syntax error: ranges of slots, TO and a node are wanted');

const noneRunning = new CommandError('ERR No migrations ongoing');

const migrateSlots = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|MIGRATE-SLOTS',
  summary: 'Starts a migration of slots to another node; returns its id.',
  since: '1.0.0',
  complexity: 'O(N), N being the number of slots; the keys follow meanwhile.',
  arity: -5,
  args: [
    { name: 'range', type: 'string', multiple: true },
    { name: 'node-id', type: 'string', token: 'TO' },
  ],
  run(context, args) {
    const cluster = clusterOf(context);
    const slots = readSlots(args);
    const hasTarget = args.takes('TO');
    if (!hasTarget || args.left === 0) throw noTarget;
    const node = args.text();
    if (args.left > 0) throw errors.syntax;
    answerOrError(context, cluster.moves.begin([{ slots, target: node }]), (reply, [id = '']) => {
      reply.text(id);
    });
  },
});

/** Reads ranges, each as a first and a last slot or as both with a dash between, up to TO. */
function readSlots(args: Arguments): readonly number[] {
  const words: string[] = [];
  while (args.more && !args.spellsAt(args.position, 'TO')) words.push(args.text());
  const slots = new Set<number>();
  for (const [first, last] of spansOf(words)) {
    if (first > last) {
      throw new CommandError(
        `ERR start slot number ${first} is greater than end slot number ${last}`,
      );
    }
    for (let slot = first; slot <= last; slot += 1) {
      if (slots.has(slot)) throw new CommandError(`ERR Slot ${slot} specified multiple times`);
      slots.add(slot);
    }
  }
  if (slots.size === 0) throw noTarget;
  return [...slots];
}

function* spansOf(words: readonly string[]): Generator<SlotSpan, void> {
  for (let nth = 0; nth < words.length; nth += 1) {
    const [first, last, ...rest] = words[nth]!.split('-');
    if (rest.length > 0) throw invalidSlot;
    if (last !== undefined) {
      yield [slotOf(first), slotOf(last)];
      continue;
    }
    nth += 1;
    if (words[nth] === undefined) throw noTarget;
    yield [slotOf(first), slotOf(words[nth])];
  }
}

function slotOf(text: string | undefined): number {
  const slot = /^\d{1,5}$/.test(text ?? '') ? Number(text) : SLOT_COUNT;
  if (slot >= SLOT_COUNT) throw invalidSlot;
  return slot;
}

const getSlotMigrations = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|GETSLOTMIGRATIONS',
  summary:
    "Returns the progress of this node's slot migrations, and the outcome of the latest ones.",
  since: '9.0.0',
  complexity: 'O(N), N being the number of moves.',
  arity: 2,
  args: [],
  tips: ['nondeterministic_output'],
  run(context) {
    answerOrError(context, clusterOf(context).moves.report(), (reply, moves) => {
      writeMoves(reply, moves, fieldsOf);
    });
  },
});

type MoveFields = readonly (readonly [name: string, value: string | number])[];

/** Writes a map for each migration. */
export function writeMoves(
  reply: ReplyWriter,
  moves: readonly SlotMigrationDetails[],
  fieldsOfMove: (move: SlotMigrationDetails) => MoveFields,
): void {
  reply.arrayHeader(moves.length);
  for (const move of moves) {
    const fields = fieldsOfMove(move);
    reply.mapHeader(fields.length);
    for (const [name, value] of fields) {
      reply.text(name);
      if (typeof value === 'number') reply.integer(value);
      else reply.text(value);
    }
  }
}

/** Returns the slots of a migration as `0-99 200-200`. */
export function rangesOf({ spans }: SlotMigrationDetails): string {
  return spans.map(([first, last]) => `${first}-${last}`).join(' ');
}

/** Fields of Valkey, followed by our own. */
function fieldsOf(move: SlotMigrationDetails): MoveFields {
  return [
    ['name', move.id],
    ['operation', move.operation],
    ['slot_ranges', rangesOf(move)],
    ['target_node', move.targetNode],
    ['source_node', move.sourceNode],
    ['create_time', Math.floor(move.createdMs / 1_000)],
    ['last_update_time', Math.floor(move.updatedMs / 1_000)],
    ['state', move.state],
    ['message', move.message],
    ['remaining_repl_size', move.lagBytes],
    ['keys', move.keys],
    ['bytes', move.bytes],
    ['pause_ms', move.pauseMs],
  ];
}

const cancelSlotMigrations = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|CANCELSLOTMIGRATIONS',
  summary: 'Cancels all running slot migrations of this node.',
  since: '9.0.0',
  complexity: 'O(N), N being the number of moves.',
  arity: 2,
  args: [],
  run(context) {
    answerOrError(context, clusterOf(context).moves.cancel(undefined), (reply, count) => {
      if (count === 0) reply.error(noneRunning);
      else reply.ok();
    });
  },
});

export const clusterMoves = [migrateSlots, getSlotMigrations, cancelSlotMigrations];
