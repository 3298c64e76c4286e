/** MEMORY: what keys cost, and whether memory is well used. */

import { errors } from '#base';
import type { Arguments } from '../arguments.ts';
import type { MainContext } from '../contexts.ts';
import { container, everyShard, oneShard, onMain } from '../definition.ts';
import { helpReply } from '../help.ts';
import { noKeys, oneKey } from '../keys.ts';
import type { Merge } from '../merge.ts';
import { jsonPart } from '../parts.ts';

const usage = oneShard({
  name: 'MEMORY|USAGE',
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

/** What one shard says about its memory. */
interface Health {
  keys: number;
  recordBytes: number;
  segmentBytes: number;
}

const healthReport: Merge<Health> = {
  policy: 'special',
  part: jsonPart<Health>(),
  combine(parts, reply) {
    reply.verbatim(diagnosis(parts));
  },
};

const doctor = everyShard<Health>({
  name: 'MEMORY|DOCTOR',
  summary: 'Answers what seems wrong with the use of memory.',
  since: '4.0.0',
  complexity: 'O(1)',
  group: 'server',
  arity: 2,
  flags: [],
  keys: noKeys,
  args: [],
  tips: ['nondeterministic_output'],
  run({ store }) {
    const { recordBytes, segmentBytes } = store.memory;
    const keys = store.databases.reduce((total, { size }) => total + size, 0);
    return { keys, recordBytes, segmentBytes };
  },
  merge: healthReport,
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
      ['DOCTOR', 'What seems wrong with the use of memory.'],
      [
        'USAGE <key> [SAMPLES <count>]',
        'Bytes that <key> and its value take. They are counted exactly, so that',
        'nothing is sampled, whatever <count> says.',
      ],
    ]);
  },
});

export const memory = container({
  name: 'MEMORY',
  summary: 'Groups the commands about memory.',
  since: '4.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  arity: -2,
  flags: [],
  subcommands: [doctor, help, usage],
});

export const serverMemory = [memory];

function demandSamples(args: Arguments): void {
  args.position = 3;
  while (args.more) {
    if (args.left < 2 || !args.takes('SAMPLES')) throw errors.syntax;
    if (args.roundedAt(args.next()) < 0) throw errors.syntax;
  }
}

/** Below this, shares say nothing. */
const SMALL_BYTES = 5 * 1024 * 1024;
/** Memory per byte of records from which on it is worth a word. */
const FRAGMENTATION_MAX = 1.4;

function diagnosis(shards: readonly Health[]): string {
  let keys = 0;
  let recordBytes = 0;
  let segmentBytes = 0;
  for (const shard of shards) {
    keys += shard.keys;
    recordBytes += shard.recordBytes;
    segmentBytes += shard.segmentBytes;
  }
  if (recordBytes < SMALL_BYTES) {
    return `There are ${keys} keys in ${recordBytes} bytes: too little to find fault with.\n`;
  }
  const fragmentation = segmentBytes / recordBytes;
  if (fragmentation <= FRAGMENTATION_MAX) {
    return `All is well: ${keys} keys take ${recordBytes} bytes, in ${segmentBytes} bytes of memory.\n`;
  }
  return (
    `Fragmentation: ${recordBytes} bytes of records lie in ${segmentBytes} bytes of memory ` +
    `(${fragmentation.toFixed(2)} times as much). It goes down by itself between commands; if it ` +
    'stays, the server is too busy to move records.\n'
  );
}
