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
  summary: 'Returns the memory of a key and its value, in bytes.',
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
  summary: 'Returns likely problems of memory usage.',
  complexity: 'O(N) for N shards and clients.',
  tips: policies,
  run({ reply, memory: port }) {
    reply.verbatim(port.latencyMonitor());
  },
});

const stats = onMain<ServerContext>({
  ...aboutMemory,
  name: 'MEMORY|STATS',
  summary: 'Returns memory usage by purpose.',
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
  summary: "Returns statistics of the shards' allocators and of the threads' heaps.",
  complexity: 'O(N) for N shards.',
  tips: policies,
  run({ reply, memory: port }) {
    reply.verbatim(port.allocator());
  },
});

const purge = onMain<ServerContext>({
  ...aboutMemory,
  name: 'MEMORY|PURGE',
  summary: 'Moves records out of sparse slabs, and returns free memory to the operating system.',
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
      ['DOCTOR', 'Returns likely problems of memory usage with advice.'],
      ['MALLOC-STATS', "Returns statistics of the shards' allocators and of the threads' heaps."],
      [
        'PURGE',
        'Moves records out of sparse slabs, and frees these. Memory of the',
        'JavaScript heaps is left to their garbage collectors.',
      ],
      ['STATS', 'Returns memory usage by purpose, and resident memory.'],
      [
        'USAGE <key> [SAMPLES <count>]',
        'Returns the memory of <key> and its value, in bytes. It is exact:',
        'nothing is sampled, and <count> is ignored.',
      ],
    ]);
  },
});

const memory = container({
  name: 'MEMORY',
  summary: 'Container for commands about memory.',
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
