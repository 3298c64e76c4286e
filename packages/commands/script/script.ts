/** SCRIPT: the scripts that EVALSHA knows by their digests. */

import { CommandError, errors } from '#base';
import type { ReplyWriter } from '#resp';
import type { ScriptReport } from '#stats';
import { answerLater } from '../contexts/answer-later.ts';
import type { Arguments } from '../arguments/arguments.ts';
import { container, onMain, oneShard, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys } from '../definition/keys.ts';
import type { ScriptContext } from './script-context.ts';
import { stopScript } from './stop-script.ts';

const noFlushMode = new CommandError('ERR SCRIPT FLUSH only support SYNC|ASYNC option');
const noDebugger = new CommandError(
  'ERR SCRIPT DEBUG is not supported: scripts run in several threads, none of which can be stepped through',
);
const noDebugMode = new CommandError('ERR Use SCRIPT DEBUG YES/SYNC/NO');

export const ofScripts = {
  group: 'scripting',
  keys: noKeys,
  flags: ['noscript'],
} as const satisfies Partial<CommandHead>;

export const flushMode = {
  name: 'flush-type',
  type: 'oneof',
  optional: true,
  arguments: [
    { name: 'async', type: 'pure-token', token: 'ASYNC' },
    { name: 'sync', type: 'pure-token', token: 'SYNC' },
  ],
} as const;

export function isFlushMode(args: Arguments): boolean {
  return args.count === 2 || (args.count === 3 && (args.takes('ASYNC') || args.takes('SYNC')));
}

const flush = onMain<ScriptContext>({
  ...ofScripts,
  name: 'SCRIPT|FLUSH',
  summary: 'Removes all cached scripts.',
  since: '2.6.0',
  complexity: 'O(N), N being the number of scripts.',
  arity: -2,
  args: [{ ...flushMode, since: '6.2.0' }],
  history: [['6.2.0', 'Added ASYNC and SYNC.']],
  tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  run({ reply, scripts }, args) {
    if (!isFlushMode(args)) throw noFlushMode;
    scripts.flush();
    reply.ok();
  },
});

const exists = onMain<ScriptContext>({
  ...ofScripts,
  name: 'SCRIPT|EXISTS',
  summary: 'Returns for each digest whether its script is cached.',
  since: '2.6.0',
  complexity: 'O(N), N being the number of digests.',
  arity: -3,
  args: [{ name: 'sha1', type: 'string', multiple: true }],
  tips: ['request_policy:all_shards', 'response_policy:agg_logical_and'],
  run({ reply, scripts }, args) {
    reply.arrayHeader(args.left);
    while (args.more) reply.integer(scripts.has(args.latin1(args.next())) ? 1 : 0);
  },
});

const load = oneShard({
  ...ofScripts,
  name: 'SCRIPT|LOAD',
  summary: 'Compiles and caches a script; returns its digest.',
  since: '2.6.0',
  complexity: 'O(N), N being the length of the script.',
  arity: 3,
  flags: ['noscript', 'stale'],
  args: [{ name: 'script', type: 'string' }],
  tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  script: 'load',
  run({ reply, scripts }, args) {
    reply.text(scripts.load(args, 2), 'latin1');
  },
});

const kill = onMain<ScriptContext>({
  ...ofScripts,
  name: 'SCRIPT|KILL',
  summary: 'Stops the running script, unless it has written.',
  since: '2.6.0',
  complexity: 'O(1)',
  arity: 2,
  flags: ['noscript', 'allow_busy'],
  args: [],
  tips: ['request_policy:all_shards', 'response_policy:one_succeeded'],
  sessionOnly: true,
  run(context) {
    stopScript(context, false);
  },
});

const debug = onMain({
  ...ofScripts,
  name: 'SCRIPT|DEBUG',
  summary:
    'Sets the mode of the script debugger, which this server does not have: only NO is accepted.',
  since: '3.2.0',
  complexity: 'O(1)',
  arity: 3,
  args: [
    {
      name: 'mode',
      type: 'oneof',
      arguments: [
        { name: 'yes', type: 'pure-token', token: 'YES' },
        { name: 'sync', type: 'pure-token', token: 'SYNC' },
        { name: 'no', type: 'pure-token', token: 'NO' },
      ],
    },
  ],
  tips: [],
  run({ reply }, args) {
    if (args.takes('NO')) reply.ok();
    else if (args.takes('YES') || args.takes('SYNC')) throw noDebugger;
    else throw noDebugMode;
  },
});

const stats = onMain<ScriptContext>({
  ...ofScripts,
  name: 'SCRIPT|STATS',
  summary: 'Returns statistics of each script and function since CONFIG RESETSTAT.',
  since: '7.4.0',
  complexity: 'O(N log N), N being the number of scripts and functions.',
  arity: -2,
  flags: ['admin', 'noscript', 'allow_busy'],
  args: [{ name: 'sha1', type: 'string', optional: true }],
  tips: ['request_policy:all_shards', 'response_policy:special', 'nondeterministic_output'],
  run(context, args) {
    if (args.count > 3) throw errors.subcommandSyntax(args.latin1(1), 'SCRIPT');
    const name = args.count === 3 ? args.latin1(2) : undefined;
    answerLater(context, context.scripts.figures(), (reply, all) => {
      writeFigures(name === undefined ? all : all.filter(isNamed(name)), reply);
    });
  },
});

/** Digests may be written in any case, as for EVALSHA. */
function isNamed(wanted: string): (script: ScriptReport) => boolean {
  const digest = wanted.toLowerCase();
  return ({ name, isFunction }) => name === (isFunction ? wanted : digest);
}

function writeFigures(scripts: readonly ScriptReport[], reply: ReplyWriter): void {
  reply.arrayHeader(scripts.length);
  for (const script of scripts) {
    const numbers: readonly (readonly [name: string, value: number])[] = [
      ['calls', script.calls],
      ['errors', script.errors],
      ['time-us', script.us],
      ['p50-us', script.usP50],
      ['p99-us', script.usP99],
      ['max-us', script.usMax],
      ['keys', script.keys],
      ['commands', script.commands],
      ['calls-on-main', script.callsOnMain],
      ['barrier-runs', script.barrierRuns],
      ['killed', script.killed],
      ['bytes', script.sourceBytes],
    ];
    reply.mapHeader(2 + numbers.length);
    reply.text('name');
    reply.text(script.name, 'latin1');
    reply.text('kind');
    reply.text(script.isFunction ? 'function' : 'script');
    for (const [name, value] of numbers) {
      reply.text(name);
      reply.integer(value);
    }
  }
}

const help = onMain({
  ...ofScripts,
  name: 'SCRIPT|HELP',
  summary: 'Describes the subcommands.',
  since: '5.0.0',
  complexity: 'O(1)',
  arity: 2,
  flags: ['loading', 'stale'],
  args: [],
  run({ reply }) {
    helpReply(reply, 'SCRIPT', [
      ['DEBUG (YES|SYNC|NO)', 'Not supported; NO is accepted.'],
      ['EXISTS <sha1> [<sha1> ...]', 'Returns for each digest whether its script is cached.'],
      ['FLUSH [ASYNC|SYNC]', 'Removes all cached scripts.'],
      ['KILL', 'Stops the running script, unless it has written.'],
      ['LOAD <script>', 'Compiles and caches a script without running it.'],
      [
        'STATS [<sha1>]',
        'Returns calls, errors, time and more of each script and function, or of one.',
        'A function is named by its library and name: library.function.',
      ],
    ]);
  },
});

export const scripts = container({
  name: 'SCRIPT',
  summary: 'Container for commands about scripts.',
  since: '2.6.0',
  complexity: 'Depends on the subcommand.',
  group: 'scripting',
  arity: -2,
  flags: [],
  subcommands: [flush, exists, load, kill, debug, stats, help],
});
