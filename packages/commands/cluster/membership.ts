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
  summary: 'Has this node and another, and all that they know, see each other.',
  since: '3.0.0',
  complexity: 'O(N), N being the number of nodes.',
  history: [['4.0.0', 'The port of the cluster bus came; nothing is there any more.']],
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
  summary: 'Takes a node out of the cluster.',
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
  summary: 'Has this replica take the place of its primary.',
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
    // Both leave it to the coordinator who the primary is: nobody takes a place that has not been let go.
    const isForced = args.takes('FORCE') || args.takes('TAKEOVER');
    if (args.more) throw errors.syntax;
    answerOrError(context, cluster.failOver(isForced), writeOk);
  },
});

const reset = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|RESET',
  summary: 'Takes this node out of the cluster; with HARD it is another node from then on.',
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
  summary: "Gives this node's group a new epoch: a revision of the coordinator.",
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
  'ERR Epochs are revisions of the coordinator, which nobody sets by hand',
);

const setConfigEpoch = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|SET-CONFIG-EPOCH',
  summary: 'Answers an error: epochs are revisions of the coordinator.',
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
  summary: 'Answers OK: the coordinator has on disk what it has acknowledged.',
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
  summary: 'Explains the subcommands of CLUSTER.',
  since: '5.0.0',
  complexity: 'O(1)',
  arity: 2,
  flags: ['loading', 'stale'],
  args: [],
  run({ reply }) {
    helpReply(reply, 'CLUSTER', [
      ['ADDSLOTS <slot> [<slot> ...]', 'Gives free slots to this node.'],
      [
        'ADDSLOTSRANGE <start slot> <end slot> [<start slot> <end slot> ...]',
        'The same by ranges.',
      ],
      ['BUMPEPOCH', "Gives this node's group a new epoch."],
      ['CANCELSLOTMIGRATIONS', 'Ends all moves of slots that are under way here.'],
      ['COUNT-FAILURE-REPORTS <node-id>', '0: leases tell who is away.'],
      ['COUNTKEYSINSLOT <slot>', 'Counts the keys of a slot.'],
      ['DELSLOTS <slot> [<slot> ...]', 'Takes slots from this node.'],
      [
        'DELSLOTSRANGE <start slot> <end slot> [<start slot> <end slot> ...]',
        'The same by ranges.',
      ],
      ['FAILOVER [FORCE|TAKEOVER]', 'Has this replica take the place of its primary.'],
      ['FLUSHSLOTS', 'Takes all slots from this node.'],
      ['FORGET <node-id>', 'Takes a node out of the cluster.'],
      ['GETKEYSINSLOT <slot> <count>', 'Answers keys of a slot.'],
      ['GETSLOTMIGRATIONS', 'Tells how far moves of slots are.'],
      ['INFO', 'The state of the cluster.'],
      ['KEYSLOT <key>', 'The slot of a key.'],
      ['LINKS', 'Connections over which nodes tell each other of messages.'],
      ['MEET <ip> <port>', 'Has two nodes see each other.'],
      [
        'MIGRATE-SLOTS <start slot> <end slot> [<start slot> <end slot> ...] TO <node-id>',
        'Hands slots over to another node, with all of their keys.',
      ],
      ['MYID', 'The id of this node.'],
      ['MYSHARDID', "The id of this node's group."],
      ['NODES', 'A line for each node.'],
      ['REPLICAS <node-id>', 'A line for each replica of a node.'],
      ['REPLICATE <node-id>', 'Makes this node a replica of another.'],
      ['RESET [HARD|SOFT]', 'Takes this node out of the cluster.'],
      ['SAVECONFIG', 'OK: the coordinator has everything on disk.'],
      ['SETSLOT <slot> (IMPORTING|MIGRATING|STABLE|NODE <node-id>)', 'Moves a slot key by key.'],
      ['SHARDS', 'The groups of nodes.'],
      [
        'SLOT-STATS (SLOTSRANGE <start slot> <end slot>|ORDERBY <metric> [LIMIT <limit>] [ASC|DESC])',
        'Keys, time and bytes of the slots of this node.',
      ],
      ['SLOTS', 'The ranges of slots, and who has them.'],
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
