/** CLUSTER subcommands about which nodes there are, and which of them are primaries. */

import { CommandError, errors } from '#base';
import { answerOrError, writeOk } from '../contexts/answer-later.ts';
import { onMain } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { clusterOf, ofAdministration, ofCluster } from './enabled.ts';
import type { ClusterContext } from './ports.ts';

const PORT_MAX = 65_535;

const meet = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|MEET',
  summary: 'Joins this node, another node and all nodes known to either into one cluster.',
  since: '3.0.0',
  complexity: 'O(N), N being the number of nodes.',
  history: [['4.0.0', 'Added the port of the cluster bus, which this server ignores.']],
  arity: -4,
  args: [
    { name: 'ip', type: 'string' },
    { name: 'port', type: 'integer' },
    { name: 'cluster-bus-port', type: 'integer', since: '4.0.0', optional: true },
  ],
  run(context, args) {
    const cluster = clusterOf(context);
    if (args.count > 5) throw errors.subcommandSyntax(args.latin1(1), 'CLUSTER');
    const host = args.text();
    const word = args.latin1(3);
    const port = args.integer(new CommandError(`ERR Invalid base port specified: ${word}`));
    if (port <= 0 || port > PORT_MAX) {
      throw new CommandError(`ERR Invalid node address specified: ${host}:${word}`);
    }
    answerOrError(context, cluster.meet(host, port), writeOk);
  },
});

const forget = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|FORGET',
  summary: 'Removes a node from the cluster.',
  since: '3.0.0',
  complexity: 'O(1)',
  arity: 3,
  args: [{ name: 'node-id', type: 'string' }],
  run(context, args) {
    answerOrError(context, clusterOf(context).forget(args.text()), writeOk);
  },
});

const replicate = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|REPLICATE',
  summary: 'Makes this node a replica of another.',
  since: '3.0.0',
  complexity: 'O(1)',
  arity: 3,
  args: [{ name: 'node-id', type: 'string' }],
  run(context, args) {
    answerOrError(context, clusterOf(context).replicate(args.text()), writeOk);
  },
});

const failover = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|FAILOVER',
  summary: 'Promotes this replica to primary of its group.',
  since: '3.0.0',
  complexity: 'O(1)',
  arity: -2,
  args: [
    {
      name: 'options',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'force', type: 'pure-token', token: 'FORCE' },
        { name: 'takeover', type: 'pure-token', token: 'TAKEOVER' },
      ],
    },
  ],
  run(context, args) {
    const cluster = clusterOf(context);
    // Both leave the choice of the primary to the coordinator: a role is taken only after it was released.
    const isForced = args.takes('FORCE') || args.takes('TAKEOVER');
    if (args.more) throw errors.syntax;
    answerOrError(context, cluster.failOver(isForced), writeOk);
  },
});

const reset = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|RESET',
  summary: 'Removes this node from the cluster; HARD also gives it a new id.',
  since: '3.0.0',
  complexity: 'O(N), N being the number of keys of a replica.',
  arity: -2,
  flags: ['admin', 'noscript', 'stale'],
  args: [
    {
      name: 'reset-type',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'hard', type: 'pure-token', token: 'HARD' },
        { name: 'soft', type: 'pure-token', token: 'SOFT' },
      ],
    },
  ],
  run(context, args) {
    const cluster = clusterOf(context);
    const isHard = args.takes('HARD');
    if (!isHard) args.takes('SOFT');
    if (args.more) throw errors.syntax;
    answerOrError(context, cluster.reset(isHard), writeOk);
  },
});

const bumpEpoch = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|BUMPEPOCH',
  summary: 'Assigns a new epoch, a revision of the coordinator, to the group of this node.',
  since: '3.0.0',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  tips: ['nondeterministic_output'],
  run(context) {
    answerOrError(context, clusterOf(context).bumpEpoch(), (reply, epoch) => {
      reply.simple(`BUMPED ${epoch}`);
    });
  },
});

const noEpoch = new CommandError(
  'ERR Epochs are revisions of the coordinator, which cannot be set',
);

const setConfigEpoch = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|SET-CONFIG-EPOCH',
  summary: 'Always fails: epochs are revisions of the coordinator.',
  since: '3.0.0',
  complexity: 'O(1)',
  arity: 3,
  args: [{ name: 'config-epoch', type: 'integer' }],
  run(context) {
    clusterOf(context);
    throw noEpoch;
  },
});

const saveConfig = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|SAVECONFIG',
  summary: 'Returns OK: the coordinator persists everything it acknowledges.',
  since: '3.0.0',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  run(context) {
    clusterOf(context);
    context.reply.ok();
  },
});

const help = onMain({
  ...ofCluster,
  name: 'CLUSTER|HELP',
  summary: 'Lists the subcommands of CLUSTER.',
  since: '5.0.0',
  complexity: 'O(1)',
  arity: 2,
  flags: ['loading', 'stale'],
  args: [],
  run({ reply }) {
    helpReply(reply, 'CLUSTER', [
      ['ADDSLOTS <slot> [<slot> ...]', 'Assigns free slots to this node.'],
      [
        'ADDSLOTSRANGE <start slot> <end slot> [<start slot> <end slot> ...]',
        'Assigns ranges of free slots to this node.',
      ],
      ['BUMPEPOCH', 'Assigns a new epoch to the group of this node.'],
      ['CANCELSLOTMIGRATIONS', 'Cancels all running slot migrations of this node.'],
      ['COUNT-FAILURE-REPORTS <node-id>', 'Returns 0: failures are detected by leases.'],
      ['COUNTKEYSINSLOT <slot>', 'Counts the keys of a slot.'],
      ['DELSLOTS <slot> [<slot> ...]', 'Removes slots from this node.'],
      [
        'DELSLOTSRANGE <start slot> <end slot> [<start slot> <end slot> ...]',
        'Removes ranges of slots from this node.',
      ],
      ['FAILOVER [FORCE|TAKEOVER]', 'Promotes this replica to primary of its group.'],
      ['FLUSHSLOTS', 'Removes all slots from this node.'],
      ['FORGET <node-id>', 'Removes a node from the cluster.'],
      ['GETKEYSINSLOT <slot> <count>', 'Returns keys of a slot.'],
      ['GETSLOTMIGRATIONS', 'Returns the progress of slot migrations.'],
      ['INFO', 'Returns the state of the cluster.'],
      ['KEYSLOT <key>', 'Returns the slot of a key.'],
      ['LINKS', 'Returns the connections that carry published messages between nodes.'],
      ['MEET <ip> <port>', 'Joins this node and another into one cluster.'],
      [
        'MIGRATE-SLOTS <start slot> <end slot> [<start slot> <end slot> ...] TO <node-id>',
        'Starts a migration of slots with all of their keys to another node.',
      ],
      [
        'MIGRATESLOTS SLOTSRANGE <start slot> <end slot> [<start slot> <end slot> ...] NODE <node-id> [SLOTSRANGE ...]',
        'Starts migrations of slots with all of their keys to other nodes: all or none.',
      ],
      ['MYID', 'Returns the id of this node.'],
      ['MYSHARDID', 'Returns the id of the group of this node.'],
      ['NODES', 'Returns one line for each node.'],
      ['REPLICAS <node-id>', 'Returns one line for each replica of a node.'],
      ['REPLICATE <node-id>', 'Makes this node a replica of another.'],
      ['RESET [HARD|SOFT]', 'Removes this node from the cluster.'],
      ['SAVECONFIG', 'Returns OK: the coordinator persists everything it acknowledges.'],
      [
        'SETSLOT <slot> (IMPORTING|MIGRATING|STABLE|NODE <node-id>)',
        'Opens or closes a slot for migration key by key, or assigns it.',
      ],
      ['SHARDS', 'Returns the groups of nodes with their slots.'],
      [
        'SLOT-STATS (SLOTSRANGE <start slot> <end slot>|ORDERBY <metric> [LIMIT <limit>] [ASC|DESC])',
        'Returns keys, time and bytes of the slots of this node.',
      ],
      ['SLOTS', 'Returns the slot ranges with the nodes that serve them.'],
    ]);
  },
});

export const clusterMembership = [
  meet,
  forget,
  replicate,
  failover,
  reset,
  bumpEpoch,
  setConfigEpoch,
  saveConfig,
  help,
];
