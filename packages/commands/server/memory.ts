/** MEMORY: what keys cost, and whether memory is well used. */

import { errors } from '#base';
import { answerLater, writeOk } from '../contexts/answer-later.ts';
import type { Arguments } from '../arguments/arguments.ts';
import type { ReplyWriter } from '#resp';
import type { MainContext } from '../contexts/contexts.ts';
import { container, oneShard, onMain, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys, oneKey } from '../definition/keys.ts';
import type { MemoryTree, ServerContext } from './ports/ports.ts';

const policies = [
  'nondeterministic_output',
  'request_policy:all_shards',
  'response_policy:special',
];

const usage = oneShard({
  name: 'MEMORY|USAGE',
  leavesValues: true,
  summary: 'Answers how many bytes a key and its value take.',
  since: '4.0.0',
  complexity: 'O(1): sizes are counted while values change.',
  group: 'server',
  arity: -3,
  flags: ['readonly'],
  keys: oneKey('RO', undefined, 2),
  args: [
    { name: 'key', type: 'key' },
    { name: 'count', type: 'integer', token: 'SAMPLES', optional: true },
  ],
  run({ keyspace, reply }, args) {
    demandSamples(args);
    const ref = keyspace.peek(args.source, args.at(2), args.length(2));
    if (ref === 0) reply.nil();
    else reply.integer(keyspace.recordBytes(ref));
  },
});

const aboutMemory = {
  since: '4.0.0',
  group: 'server',
  arity: 2,
  flags: [],
  keys: noKeys,
  args: [],
} as const satisfies Partial<CommandHead>;

const doctor = onMain<ServerContext>({
  ...aboutMemory,
  name: 'MEMORY|DOCTOR',
  summary: 'Answers what seems wrong with the use of memory.',
  complexity: 'O(N) for N shards and clients.',
  tips: policies,
  run({ reply, memory: port }) {
    reply.verbatim(port.latencyMonitor());
  },
});

const stats = onMain<ServerContext>({
  ...aboutMemory,
  name: 'MEMORY|STATS',
  summary: 'Answers what memory is used for.',
  complexity: 'O(N) for N shards, clients, and mappings of the process.',
  tips: policies,
  run(context) {
    const { memory: port, mayBlock } = context;
    if (mayBlock) answerLater(context, port.statsLater(), writeTree);
    else writeTree(context.reply, port.stats());
  },
});

const mallocStats = onMain<ServerContext>({
  ...aboutMemory,
  name: 'MEMORY|MALLOC-STATS',
  summary: "Answers what the shards' allocator and the heaps of the threads hold.",
  complexity: 'O(N) for N shards.',
  tips: policies,
  run({ reply, memory: port }) {
    reply.verbatim(port.allocator());
  },
});

const purge = onMain<ServerContext>({
  ...aboutMemory,
  name: 'MEMORY|PURGE',
  summary: 'Moves records out of sparse slabs at once, and gives free memory back to the system.',
  complexity: 'O(N) for N records moved; at most 20 milliseconds in each shard.',
  tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
  run(context) {
    const { memory: port, mayBlock } = context;
    if (!mayBlock) {
      void port.purge();
      context.reply.ok();
      return;
    }
    answerLater(context, port.purge(), writeOk);
  },
});

const help = onMain<MainContext>({
  name: 'MEMORY|HELP',
  summary: 'Describes the subcommands.',
  since: '4.0.0',
  complexity: 'O(1)',
  group: 'server',
  arity: 2,
  flags: ['loading', 'stale'],
  keys: noKeys,
  args: [],
  run({ reply }) {
    helpReply(reply, 'MEMORY', [
      ['DOCTOR', 'Explains what seems wrong with the use of memory, and what to do about it.'],
      ['MALLOC-STATS', "What the shards' allocator and the heaps of the threads hold."],
      [
        'PURGE',
        'Moves records out of sparse slabs at once, and gives those back. What the',
        'heaps of the threads hold is left to their collectors.',
      ],
      ['STATS', 'Lists what memory is used for, down to what is resident.'],
      [
        'USAGE <key> [SAMPLES <count>]',
        'Bytes that <key> and its value take. They are counted exactly, so that',
        'nothing is sampled, whatever <count> says.',
      ],
    ]);
  },
});

const memory = container({
  name: 'MEMORY',
  summary: 'Groups the commands about memory.',
  since: '4.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  arity: -2,
  flags: [],
  subcommands: [doctor, help, mallocStats, purge, stats, usage],
});

export const serverMemory = [memory];

function demandSamples(args: Arguments): void {
  args.position = 3;
  while (args.more) {
    if (args.left < 2 || !args.takes('SAMPLES')) throw errors.syntax;
    if (args.roundedAt(args.next()) < 0) throw errors.syntax;
  }
}

function writeTree(reply: ReplyWriter, tree: MemoryTree): void {
  reply.mapHeader(tree.length);
  for (const [name, value] of tree) {
    reply.text(name);
    if (typeof value === 'number') reply.integer(value);
    else if ('double' in value) reply.double(value.double);
    else writeTree(reply, value);
  }
}
