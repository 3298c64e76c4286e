/** CLUSTER SLOT-STATS: keys, time and bytes of the slots of this node. */

import { CommandError, errors, SLOT_COUNT } from '#base';
import type { ReplyWriter } from '#resp';
import { answerOrError } from '../contexts/answer-later.ts';
import type { Arguments } from '../arguments/arguments.ts';
import { onMain } from '../definition/definition.ts';
import { clusterOf, ofCluster } from './enabled.ts';
import type { ClusterContext, SlotStatistics } from './ports.ts';

const invalidSlot = new CommandError('ERR Invalid or out of range slot');
const noMetric = new CommandError('ERR Unrecognized sort metric for ORDERBY.');
const badLimit = new CommandError(
  `ERR Limit has to lie in between 1 and ${SLOT_COUNT} (maximum number of slots).`,
);
const twice = new CommandError('ERR Multiple filters of the same type are disallowed.');

type Value = (statistics: SlotStatistics) => number;

const KEY_COUNT = 'key-count';
/** Names of the statistics, in the order of replies. */
const metrics: ReadonlyMap<string, Value> = new Map<string, Value>([
  [KEY_COUNT, ({ keys }) => keys],
  ['cpu-usec', ({ costs }) => Math.round(costs?.us ?? 0)],
  ['network-bytes-in', ({ costs }) => costs?.inputBytes ?? 0],
  ['network-bytes-out', ({ costs }) => costs?.outputBytes ?? 0],
  ['memory-bytes', ({ costs }) => costs?.memoryBytes ?? 0],
]);

interface Order {
  readonly metric: Value;
  readonly limit: number;
  readonly isAscending: boolean;
}

export const slotStats = onMain<ClusterContext>({
  ...ofCluster,
  name: 'CLUSTER|SLOT-STATS',
  summary: 'Returns statistics of the slots of this node: keys, time and bytes.',
  since: '8.2.0',
  complexity:
    'O(N) for N slots; O(N*log(N)) with ORDERBY, and O(M) more for the M keys of the node if memory is returned.',
  arity: -4,
  args: [
    {
      name: 'filter',
      type: 'oneof',
      arguments: [
        {
          name: 'slotsrange',
          type: 'block',
          token: 'SLOTSRANGE',
          arguments: [
            { name: 'start-slot', type: 'integer' },
            { name: 'end-slot', type: 'integer' },
          ],
        },
        {
          name: 'orderby',
          type: 'block',
          token: 'ORDERBY',
          arguments: [
            { name: 'metric', type: 'string' },
            { name: 'limit', type: 'integer', token: 'LIMIT', optional: true },
            {
              name: 'order',
              type: 'oneof',
              optional: true,
              arguments: [
                { name: 'asc', type: 'pure-token', token: 'ASC' },
                { name: 'desc', type: 'pure-token', token: 'DESC' },
              ],
            },
          ],
        },
      ],
    },
  ],
  tips: ['nondeterministic_output'],
  run(context, args) {
    const cluster = clusterOf(context);
    if (args.left === 3 && args.takes('SLOTSRANGE')) {
      const first = readSlot(args);
      const last = readSlot(args);
      if (first > last) {
        throw new CommandError(
          `ERR Start slot number ${first} is greater than end slot number ${last}`,
        );
      }
      answerOrError(context, cluster.slotStatistics(first, last), writeAll);
      return;
    }
    if (!args.takes('ORDERBY')) throw errors.subcommandSyntax(args.latin1(1), 'CLUSTER');
    const order = readOrder(args, cluster.countsSlotCosts);
    answerOrError(context, cluster.slotStatistics(0, SLOT_COUNT - 1), (reply, statistics) => {
      writeAll(reply, ordered(statistics, order));
    });
  },
});

function readSlot(args: Arguments): number {
  const slot = args.integer(invalidSlot);
  if (slot < 0 || slot >= SLOT_COUNT) throw invalidSlot;
  return slot;
}

function readOrder(args: Arguments, hasCosts: boolean): Order {
  const name = args.text().toLowerCase();
  const metric = hasCosts || name === KEY_COUNT ? metrics.get(name) : undefined;
  if (metric === undefined) throw noMetric;
  let limit: number | undefined;
  let isAscending: boolean | undefined;
  while (args.more) {
    if (args.left > 1 && args.takes('LIMIT')) {
      if (limit !== undefined) throw twice;
      limit = args.integer(badLimit);
      if (limit < 1 || limit > SLOT_COUNT) throw badLimit;
      continue;
    }
    const isUp = args.takes('ASC');
    if (!isUp && !args.takes('DESC')) throw errors.syntax;
    if (isAscending !== undefined) throw twice;
    isAscending = isUp;
  }
  return { metric, limit: limit ?? SLOT_COUNT, isAscending: isAscending ?? false };
}

function ordered(
  statistics: readonly SlotStatistics[],
  { metric, limit, isAscending }: Order,
): readonly SlotStatistics[] {
  const sign = isAscending ? 1 : -1;
  return statistics
    .toSorted((one, other) => sign * (metric(one) - metric(other)) || one.slot - other.slot)
    .slice(0, limit);
}

function writeAll(reply: ReplyWriter, statistics: readonly SlotStatistics[]): void {
  reply.arrayHeader(statistics.length);
  for (const each of statistics) {
    reply.arrayHeader(2);
    reply.integer(each.slot);
    const reported = each.costs === undefined ? [KEY_COUNT] : [...metrics.keys()];
    reply.mapHeader(reported.length);
    for (const name of reported) {
      reply.text(name);
      reply.integer(metrics.get(name)!(each));
    }
  }
}
