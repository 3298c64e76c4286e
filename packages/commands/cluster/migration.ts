/** CLUSTER MIGRATION of Redis 8.4: slot migrations as the node sees them that takes the slots. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import { answerOrError } from '../contexts/answer-later.ts';
import { onMain } from '../definition/definition.ts';
import { clusterOf, ofAdministration } from './enabled.ts';
import { rangesOf, writeMoves } from './moves.ts';
import type { ClusterContext, ClusterPort, MoveState, SlotMigrationDetails } from './ports.ts';
import { readRanges } from './slot-arguments.ts';

const NAME = 'cluster|migration';
const unknownArgument = new CommandError('ERR unknown argument');

export const migration = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|MIGRATION',
  summary: 'Starts, reports and cancels migrations of slots to this node.',
  since: '8.4.0',
  complexity: 'O(N), N being the number of slots; the keys follow meanwhile.',
  arity: -4,
  args: [
    {
      name: 'subcommand',
      type: 'oneof',
      arguments: [
        {
          name: 'import',
          type: 'block',
          token: 'IMPORT',
          multiple: true,
          arguments: [
            { name: 'start-slot', type: 'integer' },
            { name: 'end-slot', type: 'integer' },
          ],
        },
        { name: 'cancel', type: 'oneof', token: 'CANCEL', arguments: oneOrAll() },
        { name: 'status', type: 'oneof', token: 'STATUS', arguments: oneOrAll() },
      ],
    },
  ],
  tips: ['nondeterministic_output'],
  run(context, args) {
    const { moves } = clusterOf(context);
    if (args.takes('IMPORT')) {
      answerOrError(context, moves.import(readRanges(args, NAME)), (reply, id) => {
        reply.text(id);
      });
    } else if (args.takes('CANCEL')) {
      answerOrError(context, moves.cancel(readTask(args)), (reply, count) => {
        reply.integer(count);
      });
    } else if (args.takes('STATUS')) {
      answerOrError(context, found(moves, readTask(args)), (reply, all) => {
        writeMoves(reply, all, fieldsOf);
      });
    } else {
      throw unknownArgument;
    }
  },
});

function oneOrAll() {
  return [
    { name: 'task-id', type: 'string', token: 'ID' },
    { name: 'all', type: 'pure-token', token: 'ALL' },
  ] as const;
}

/** Reads `ID id` or `ALL`; undefined for all. */
function readTask(args: Arguments): string | undefined {
  const isAll = args.takes('ALL');
  if (!isAll && !args.takes('ID'))
    throw args.left > 2 ? errors.wrongArguments(NAME) : unknownArgument;
  if (args.left !== (isAll ? 0 : 1)) throw errors.wrongArguments(NAME);
  return isAll ? undefined : args.text();
}

/** Returns the migrations with an id, or all: running ones first, then those that have ended, the latest first. */
async function found(
  moves: ClusterPort['moves'],
  id: string | undefined,
): Promise<readonly SlotMigrationDetails[]> {
  const all = (await moves.report()).filter((move) => id === undefined || move.id === id);
  const ended = all.filter((move) => stateOf(move).isEnd);
  return [
    ...all.filter((move) => !stateOf(move).isEnd),
    ...ended.sort((one, other) => other.updatedMs - one.updatedMs),
  ];
}

interface RedisState {
  readonly import: string;
  readonly migrate: string;
  readonly isEnd: boolean;
}

/** Redis' names of states on the side that takes the slots, and on the side that gives them. */
const states: Readonly<Record<MoveState, RedisState>> = {
  connecting: { import: 'connecting', migrate: 'connecting', isEnd: false },
  snapshotting: { import: 'accumulate-buffer', migrate: 'send-bulk-and-stream', isEnd: false },
  replicating: { import: 'streaming-buffer', migrate: 'send-stream', isEnd: false },
  paused: { import: 'wait-stream-eof', migrate: 'handoff', isEnd: false },
  success: { import: 'completed', migrate: 'completed', isEnd: true },
  failed: { import: 'failed', migrate: 'failed', isEnd: true },
  cancelled: { import: 'canceled', migrate: 'canceled', isEnd: true },
};

function stateOf({ state }: SlotMigrationDetails): RedisState {
  return states[state];
}

/** Fields of Redis; times are Unix milliseconds, -1 for what has not happened. */
function fieldsOf(move: SlotMigrationDetails) {
  const operation = move.operation === 'IMPORT' ? 'import' : 'migrate';
  const state = stateOf(move);
  const hasPaused = operation === 'migrate' && move.state === 'success';
  return [
    ['id', move.id],
    ['slots', rangesOf(move)],
    ['source', move.sourceNode],
    ['dest', move.targetNode],
    ['operation', operation],
    ['state', state[operation]],
    ['last_error', move.message],
    // A disturbed migration fails instead of being tried again.
    ['retries', 0],
    ['create_time', Math.floor(move.createdMs)],
    ['start_time', Math.floor(move.startedMs ?? -1)],
    ['end_time', state.isEnd ? Math.floor(move.updatedMs) : -1],
    ['write_pause_ms', hasPaused ? move.pauseMs : 0],
  ] as const;
}
