/**
 * Answers about scripts and functions while none can be loaded: there are none. Test suites and clients ask this at
 * their start.
 */

import { CommandError, errors, untilNul } from '#base';
import type { Arguments } from '../arguments.ts';
import { container, onMain, type CommandHead } from '../definition.ts';
import { helpReply, type HelpEntry } from '../help.ts';
import { noKeys } from '../keys.ts';

const noLibraryName = new CommandError('ERR library name argument was not given');
const noFunctionFlushMode = new CommandError('ERR FUNCTION FLUSH only supports SYNC|ASYNC option');
const noScriptFlushMode = new CommandError('ERR SCRIPT FLUSH only support SYNC|ASYNC option');

const ofScripts = {
  group: 'scripting',
  keys: noKeys,
  flags: ['noscript'],
} as const satisfies Partial<CommandHead>;

const flushMode = {
  name: 'flush-type',
  type: 'oneof',
  optional: true,
  arguments: [
    { name: 'async', type: 'pure-token', token: 'ASYNC' },
    { name: 'sync', type: 'pure-token', token: 'SYNC' },
  ],
} as const;

const functionFlush = onMain({
  ...ofScripts,
  name: 'FUNCTION|FLUSH',
  summary: 'Deletes all function libraries, of which there are none.',
  since: '7.0.0',
  complexity: 'O(1)',
  arity: -2,
  flags: ['write', 'noscript'],
  args: [flushMode],
  tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
  run({ reply }, args) {
    if (args.count > 3) throw errors.subcommandSyntax(args.latin1(1), 'FUNCTION');
    if (!isFlushMode(args)) throw noFunctionFlushMode;
    reply.ok();
  },
});

const functionList = onMain({
  ...ofScripts,
  name: 'FUNCTION|LIST',
  summary: 'Answers the function libraries, of which there are none.',
  since: '7.0.0',
  complexity: 'O(1)',
  arity: -2,
  args: [
    { name: 'library-name-pattern', type: 'string', token: 'LIBRARYNAME', optional: true },
    { name: 'withcode', type: 'pure-token', token: 'WITHCODE', optional: true },
  ],
  tips: ['nondeterministic_output_order'],
  run({ reply }, args) {
    readListOptions(args);
    reply.arrayHeader(0);
  },
});

/** Each option once, as Redis has it. */
function readListOptions(args: Arguments): void {
  const taken = new Set<string>();
  const takes = (option: string): boolean => {
    if (taken.has(option) || !args.takes(option)) return false;
    taken.add(option);
    return true;
  };
  args.position = 2;
  while (args.more) {
    if (takes('WITHCODE')) continue;
    if (!takes('LIBRARYNAME')) {
      throw new CommandError(`ERR Unknown argument ${untilNul(args.latin1(args.next()))}`);
    }
    if (args.left === 0) throw noLibraryName;
    args.next();
  }
}

const scriptFlush = onMain({
  ...ofScripts,
  name: 'SCRIPT|FLUSH',
  summary: 'Forgets all scripts, of which there are none.',
  since: '2.6.0',
  complexity: 'O(1)',
  arity: -2,
  args: [{ ...flushMode, since: '6.2.0' }],
  history: [['6.2.0', 'ASYNC and SYNC came.']],
  tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  run({ reply }, args) {
    if (!isFlushMode(args)) throw noScriptFlushMode;
    reply.ok();
  },
});

const scriptExists = onMain({
  ...ofScripts,
  name: 'SCRIPT|EXISTS',
  summary: 'Answers for each digest whether its script is known; none is.',
  since: '2.6.0',
  complexity: 'O(N), N being the number of digests.',
  arity: -3,
  args: [{ name: 'sha1', type: 'string', multiple: true }],
  tips: ['request_policy:all_shards', 'response_policy:agg_logical_and'],
  run({ reply }, args) {
    reply.arrayHeader(args.left);
    while (args.more) {
      args.next();
      reply.integer(0);
    }
  },
});

function isFlushMode(args: Arguments): boolean {
  return args.count === 2 || (args.count === 3 && (args.takes('ASYNC') || args.takes('SYNC')));
}

function help(container: string, since: string, entries: readonly HelpEntry[]) {
  return onMain({
    ...ofScripts,
    name: `${container}|HELP`,
    summary: 'Describes the subcommands.',
    since,
    complexity: 'O(1)',
    arity: 2,
    flags: ['loading', 'stale'],
    args: [],
    run({ reply }) {
      helpReply(reply, container, entries);
    },
  });
}

const functionHelp = help('FUNCTION', '7.0.0', [
  ['FLUSH [ASYNC|SYNC]', 'Delete all libraries.'],
  ['LIST [LIBRARYNAME <pattern>] [WITHCODE]', 'Tell of the libraries.'],
]);

const scriptHelp = help('SCRIPT', '5.0.0', [
  ['EXISTS <sha1> [<sha1> ...]', 'Tell which of the scripts are known.'],
  ['FLUSH [ASYNC|SYNC]', 'Forget all scripts.'],
]);

const functions = container({
  name: 'FUNCTION',
  summary: 'Groups the commands about functions.',
  since: '7.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'scripting',
  arity: -2,
  flags: [],
  subcommands: [functionFlush, functionList, functionHelp],
});

const scripts = container({
  name: 'SCRIPT',
  summary: 'Groups the commands about scripts.',
  since: '2.6.0',
  complexity: 'Depends on the subcommand.',
  group: 'scripting',
  arity: -2,
  flags: [],
  subcommands: [scriptFlush, scriptExists, scriptHelp],
});

export const scriptCommands = [functions, scripts];
