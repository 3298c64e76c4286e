/** CLUSTER subcommands about slots: their keys, and their assignment to nodes. */

import { CommandError, keySlot, SLOT_COUNT } from '#base';
import { answerOrError, writeOk } from '../contexts/answer-later.ts';
import type { Arguments } from '../arguments/arguments.ts';
import { onMain } from '../definition/definition.ts';
import { clusterOf, ofAdministration, ofCluster } from './enabled.ts';
import type { ClusterContext, ClusterPort, SlotChange } from './ports.ts';
import { invalidSlot, readRanges, readSlot, readSlots } from './slot-arguments.ts';

const noSlot = new CommandError('ERR Invalid slot');
const noSlotOrCount = new CommandError('ERR Invalid slot or number of keys');
const noAction = new CommandError(
  'ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP',
);

const keySlotOf = onMain<ClusterContext>({
  ...ofCluster,
  name: 'CLUSTER|KEYSLOT',
  summary: 'Returns the slot of a key.',
  since: '3.0.0',
  complexity: 'O(N), N being the bytes of the key.',
  arity: 3,
  args: [{ name: 'key', type: 'string' }],
  run(context, args) {
    clusterOf(context);
    context.reply.integer(keySlot(args.source, args.at(2), args.length(2)));
  },
});

const countKeys = onMain<ClusterContext>({
  ...ofCluster,
  name: 'CLUSTER|COUNTKEYSINSLOT',
  summary: 'Counts the keys of a slot on this node, in the selected database.',
  since: '3.0.0',
  complexity: 'O(1)',
  arity: 3,
  args: [{ name: 'slot', type: 'integer' }],
  run(context, args) {
    const cluster = clusterOf(context);
    const slot = readSlot(args, noSlot);
    answerOrError(
      context,
      cluster.countKeys(slot, context.client.session.database),
      (reply, count) => {
        reply.integer(count);
      },
    );
  },
});

const getKeys = onMain<ClusterContext>({
  ...ofCluster,
  name: 'CLUSTER|GETKEYSINSLOT',
  summary: 'Returns keys of a slot on this node, in the selected database.',
  since: '3.0.0',
  complexity: 'O(N), N being the number of keys on the shard of the slot.',
  arity: 4,
  args: [
    { name: 'slot', type: 'integer' },
    { name: 'count', type: 'integer' },
  ],
  tips: ['nondeterministic_output'],
  run(context, args) {
    const cluster = clusterOf(context);
    const slot = args.integer();
    const count = args.integer();
    if (slot < 0 || slot >= SLOT_COUNT || count < 0) throw noSlotOrCount;
    answerOrError(
      context,
      cluster.keysOf(slot, context.client.session.database, count),
      (reply, keys) => {
        reply.arrayHeader(keys.length);
        for (const key of keys) reply.bulk(key);
      },
    );
  },
});

type ChangeSlots = (cluster: ClusterPort, slots: readonly number[]) => Promise<void>;

function changingSlots(name: 'ADDSLOTS' | 'DELSLOTS', summary: string, change: ChangeSlots) {
  return onMain<ClusterContext>({
    ...ofAdministration,
    name: `CLUSTER|${name}`,
    summary,
    since: '3.0.0',
    complexity: 'O(N), N being the number of slots named.',
    arity: -3,
    args: [{ name: 'slot', type: 'integer', multiple: true }],
    run(context, args) {
      const cluster = clusterOf(context);
      answerOrError(context, change(cluster, readSlots(args)), writeOk);
    },
  });
}

function changingRanges(
  name: 'ADDSLOTSRANGE' | 'DELSLOTSRANGE',
  summary: string,
  change: ChangeSlots,
) {
  return onMain<ClusterContext>({
    ...ofAdministration,
    name: `CLUSTER|${name}`,
    summary,
    since: '7.0.0',
    complexity: 'O(N), N being the number of slots in the ranges.',
    arity: -4,
    args: [
      {
        name: 'range',
        type: 'block',
        multiple: true,
        arguments: [
          { name: 'start-slot', type: 'integer' },
          { name: 'end-slot', type: 'integer' },
        ],
      },
    ],
    run(context, args) {
      const cluster = clusterOf(context);
      const slots = readRanges(args, `cluster|${name.toLowerCase()}`);
      answerOrError(context, change(cluster, slots), writeOk);
    },
  });
}

const add: ChangeSlots = (cluster, slots) => cluster.addSlots(slots);
const remove: ChangeSlots = (cluster, slots) => cluster.deleteSlots(slots);

const flushSlots = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|FLUSHSLOTS',
  summary: 'Removes all slots from this node, which must be empty.',
  since: '3.0.0',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  run(context) {
    answerOrError(context, clusterOf(context).flushSlots(), writeOk);
  },
});

const setSlot = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|SETSLOT',
  summary: 'Opens or closes a slot for migration key by key, or assigns it to a node.',
  since: '3.0.0',
  complexity: 'O(1)',
  arity: -4,
  args: [
    { name: 'slot', type: 'integer' },
    {
      name: 'subcommand',
      type: 'oneof',
      arguments: [
        { name: 'importing', shown: 'node-id', type: 'string', token: 'IMPORTING' },
        { name: 'migrating', shown: 'node-id', type: 'string', token: 'MIGRATING' },
        { name: 'node', shown: 'node-id', type: 'string', token: 'NODE' },
        { name: 'stable', type: 'pure-token', token: 'STABLE' },
      ],
    },
  ],
  run(context, args) {
    const cluster = clusterOf(context);
    const slot = readSlot(args, invalidSlot);
    answerOrError(context, cluster.setSlot(slot, readChange(args)), writeOk);
  },
});

function readChange(args: Arguments): SlotChange {
  if (args.left === 1 && args.takes('STABLE')) return { kind: 'stable' };
  if (args.left !== 2) throw noAction;
  for (const kind of ['migrating', 'importing', 'node'] as const) {
    if (args.takes(kind.toUpperCase())) return { kind, node: args.text() };
  }
  throw noAction;
}

export const clusterSlots = [
  keySlotOf,
  countKeys,
  getKeys,
  changingSlots('ADDSLOTS', 'Assigns free slots to this node.', add),
  changingRanges('ADDSLOTSRANGE', 'Assigns ranges of free slots to this node.', add),
  changingSlots('DELSLOTS', 'Removes slots from this node; they are unassigned then.', remove),
  changingRanges(
    'DELSLOTSRANGE',
    'Removes ranges of slots from this node; they are unassigned then.',
    remove,
  ),
  flushSlots,
  setSlot,
];
