/** LATENCY: what took long, how often, and why. */

import { CommandError, errors } from '#base';
import type { ReplyWriter } from '#resp';
import { answerLater } from '../contexts/answer-later.ts';
import type { Arguments } from '../arguments/arguments.ts';
import { container, onMain, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys } from '../definition/keys.ts';
import type { CommandEntry } from '../definition/command-entry.ts';
import type { CommandTable } from '../definition/command-table.ts';
import { eventGraph } from './event-graph.ts';
import type { DiagnosticsContext, Steps } from './ports.ts';

const aboutLatency = {
  complexity: 'O(1)',
  group: 'server',
  flags: ['admin', 'noscript', 'loading', 'stale'],
  keys: noKeys,
  since: '2.8.13',
} as const satisfies Partial<CommandHead>;

const everyNode = [
  'nondeterministic_output',
  'request_policy:all_nodes',
  'response_policy:special',
];

const latest = onMain<DiagnosticsContext>({
  ...aboutLatency,
  name: 'LATENCY|LATEST',
  summary: 'Returns the latest and the longest occurrence of each latency event.',
  arity: 2,
  args: [],
  tips: everyNode,
  run({ reply, latency }) {
    const { events } = latency;
    reply.arrayHeader(events.length);
    for (const { event, latest: last, usMax } of events) {
      reply.arrayHeader(4);
      reply.text(event);
      reply.integer(last?.unixSeconds ?? 0);
      reply.integer(milliseconds(last?.us ?? 0));
      reply.integer(milliseconds(usMax));
    }
  },
});

const history = onMain<DiagnosticsContext>({
  ...aboutLatency,
  name: 'LATENCY|HISTORY',
  summary: 'Returns the times and durations of a latency event.',
  arity: 3,
  args: [{ name: 'event', type: 'string' }],
  tips: everyNode,
  run({ reply, latency }, args) {
    const samples = latency.event(args.text())?.samples ?? [];
    reply.arrayHeader(samples.length);
    for (const { unixSeconds, us } of samples) {
      reply.arrayHeader(2);
      reply.integer(unixSeconds);
      reply.integer(milliseconds(us));
    }
  },
});

function milliseconds(us: number): number {
  return Math.floor(us / 1_000);
}

const graph = onMain<DiagnosticsContext>({
  ...aboutLatency,
  name: 'LATENCY|GRAPH',
  summary: 'Returns the durations of a latency event as a graph of text.',
  arity: 3,
  args: [{ name: 'event', type: 'string' }],
  tips: everyNode,
  run({ reply, latency, nowMs }, args) {
    const name = args.text();
    const series = latency.event(name);
    if (series === undefined) {
      throw new CommandError(`ERR No samples available for event '${name}'`);
    }
    reply.verbatim(eventGraph(series, nowMs));
  },
});

const reset = onMain<DiagnosticsContext>({
  ...aboutLatency,
  name: 'LATENCY|RESET',
  summary: 'Clears the occurrences of the named latency events, or of all.',
  arity: -2,
  args: [{ name: 'event', type: 'string', optional: true, multiple: true }],
  tips: ['request_policy:all_nodes', 'response_policy:agg_sum'],
  run({ reply, latency }, args) {
    const names = args.texts();
    reply.integer(names.length === 0 ? latency.reset() : latency.reset(names));
  },
});

const doctor = onMain<DiagnosticsContext>({
  ...aboutLatency,
  name: 'LATENCY|DOCTOR',
  summary: 'Returns the likely causes of latency with advice.',
  arity: 2,
  args: [],
  tips: everyNode,
  run(context) {
    answerLater(context, context.latency.diagnose(), (reply, text) => {
      reply.verbatim(text);
    });
  },
});

const histogram = onMain<DiagnosticsContext>({
  ...aboutLatency,
  name: 'LATENCY|HISTOGRAM',
  summary: 'Returns the cumulative latency histogram of each command.',
  since: '7.0.0',
  complexity: 'O(N) for N commands.',
  arity: -2,
  args: [{ name: 'command', type: 'string', optional: true, multiple: true }],
  tips: everyNode,
  run({ reply, commands, latency }, args) {
    const found = args.more ? namedEntries(commands, args) : commands.entries;
    const all = found
      .map((entry) => ({ name: entry.lowerName, steps: latency.histogram(entry.id) }))
      .filter(({ steps }) => steps.length > 0);
    reply.mapHeader(all.length);
    for (const { name, steps } of all) {
      reply.text(name);
      writeSteps(steps, reply);
    }
  },
});

/** The commands that a client named, and of containers all subcommands; unknown names are passed over. */
function namedEntries(commands: CommandTable, args: Arguments): readonly CommandEntry[] {
  const named: CommandEntry[] = [];
  while (args.more) {
    const entry = commands.byName(args.text());
    if (entry === undefined) continue;
    named.push(entry, ...(entry.bare === undefined ? [] : [entry.bare]), ...entry.subcommands);
  }
  return named;
}

function writeSteps(steps: Steps, reply: ReplyWriter): void {
  reply.mapHeader(2);
  reply.text('calls');
  reply.integer(steps.at(-1)?.[1] ?? 0);
  reply.text('histogram_usec');
  reply.mapHeader(steps.length);
  for (const [us, count] of steps) {
    reply.integer(us);
    reply.integer(count);
  }
}

const bandsDisabled = new CommandError(
  'ERR latency bands are not enabled, set latency-bands.enabled = true',
);

const bands = onMain<DiagnosticsContext>({
  ...aboutLatency,
  name: 'LATENCY|BANDS',
  summary: 'Returns the number of requests by latency band, in milliseconds.',
  since: '7.4.0',
  arity: -2,
  args: [
    {
      name: 'what',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'reset', type: 'pure-token', token: 'RESET' },
        { name: 'per-shard', type: 'pure-token', token: 'PER-SHARD' },
      ],
    },
  ],
  tips: ['nondeterministic_output'],
  run(context, args) {
    const { reply } = context;
    const isReset = args.takes('RESET');
    const isPerShard = !isReset && args.takes('PER-SHARD');
    if (args.more) throw errors.syntax;
    const { isEnabled, labels } = context.bands;
    if (!isEnabled) throw bandsDisabled;
    if (isReset) {
      context.bands.reset();
      reply.ok();
      return;
    }
    if (!isPerShard) {
      writeBands(labels, context.bands.counts, reply);
      return;
    }
    const { perShard } = context.bands;
    reply.arrayHeader(perShard.length);
    for (const counts of perShard) writeBands(labels, counts, reply);
  },
});

function writeBands(
  labels: readonly string[],
  counts: readonly number[],
  reply: ReplyWriter,
): void {
  reply.mapHeader(labels.length);
  for (const [nth, label] of labels.entries()) {
    reply.text(label);
    reply.integer(counts[nth]!);
  }
}

const help = onMain<DiagnosticsContext>({
  ...aboutLatency,
  flags: ['loading', 'stale'],
  name: 'LATENCY|HELP',
  summary: 'Describes the subcommands.',
  arity: 2,
  args: [],
  run({ reply }) {
    helpReply(reply, 'LATENCY', [
      [
        'BANDS [RESET|PER-SHARD]',
        'Returns the number of requests by latency band, in milliseconds, over all shards or of each;',
        'RESET sets the counts to zero.',
      ],
      ['DOCTOR', 'Returns the likely causes of latency with advice.'],
      ['GRAPH <event>', 'Returns the durations of <event> as a graph of text.'],
      [
        'HISTOGRAM [<command> ...]',
        'Returns the cumulative latency histogram of each command, or of the named ones.',
      ],
      ['HISTORY <event>', 'Returns the times and durations of <event>, in milliseconds.'],
      ['LATEST', 'Returns the latest and the longest occurrence of each event.'],
      ['RESET [<event> ...]', 'Clears the occurrences of all events, or of the named ones.'],
    ]);
  },
});

const latency = container({
  name: 'LATENCY',
  summary: 'Container for commands about latency.',
  since: '2.8.13',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  arity: -2,
  flags: [],
  subcommands: [latest, history, graph, reset, doctor, histogram, bands, help],
});

export const slownessEvents = [latency];
