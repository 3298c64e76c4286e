/** FUNCTION: libraries of functions. Every shard has them all; each loads them in its own Lua. */

import { asBuffer, CommandError, errors, globMatches, untilNul } from '#base';
import type { ReplyWriter } from '#resp';
import { rdb } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import { container, everyShard, onMain, oneShard } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { allOk, type Merge } from '../definition/merge.ts';
import { bytesListPart } from '../definition/parts.ts';
import type { LibraryDetails, RestorePolicy, RunningScript } from '../contexts/script-ports.ts';
import type { ScriptContext } from './script-context.ts';
import { stopScript } from './stop-script.ts';
import { flushMode, isFlushMode, ofScripts } from './script.ts';

const OPTIONS_INDEX = 2;

const noLibraryName = new CommandError('ERR library name argument was not given');
const noFlushMode = new CommandError('ERR FUNCTION FLUSH only supports SYNC|ASYNC option');
const noLibrary = new CommandError('ERR Library not found');
const noCode = new CommandError('ERR Function code is missing');
const noPolicy = new CommandError(
  'ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.',
);
const unsoundPayload = new CommandError('ERR DUMP payload version or checksum are wrong');
const unreadablePayload = new CommandError('ERR failed loading the given functions payload');

/** All shards have loaded the same library: the name is any one's. */
const libraryName: Merge<readonly (Uint8Array | null)[]> = {
  policy: 'all_succeeded',
  part: bytesListPart,
  combine([part], reply) {
    reply.bulk(part?.[0] ?? new Uint8Array(0));
  },
};

const load = everyShard({
  ...ofScripts,
  name: 'FUNCTION|LOAD',
  summary: 'Loads a library of functions; returns its name.',
  since: '7.0.0',
  complexity: 'O(1) besides the run of the library.',
  arity: -3,
  flags: ['write', 'denyoom', 'noscript'],
  args: [
    { name: 'replace', type: 'pure-token', token: 'REPLACE', optional: true },
    { name: 'function-code', type: 'string' },
  ],
  run(context, args) {
    args.position = OPTIONS_INDEX;
    let replaces = false;
    while (args.left > 1) {
      if (!args.takes('REPLACE')) {
        throw new CommandError(`ERR Unknown option given: ${untilNul(args.latin1(args.next()))}`);
      }
      replaces = true;
    }
    if (!args.more) throw noCode;
    const name = context.scripts.loadLibrary(args.latin1(args.next()), replaces);
    context.countChanges(1);
    return [Buffer.from(name, 'latin1')];
  },
  merge: libraryName,
});

const remove = everyShard({
  ...ofScripts,
  name: 'FUNCTION|DELETE',
  summary: 'Removes a library and its functions.',
  since: '7.0.0',
  complexity: 'O(1)',
  arity: 3,
  flags: ['write', 'noscript'],
  args: [{ name: 'library-name', type: 'string' }],
  run(context, args) {
    if (!context.scripts.deleteLibrary(args.latin1(OPTIONS_INDEX))) throw noLibrary;
    context.countChanges(1);
    return null;
  },
  merge: allOk,
});

const flush = everyShard({
  ...ofScripts,
  name: 'FUNCTION|FLUSH',
  summary: 'Removes all libraries.',
  since: '7.0.0',
  complexity: 'O(N), N being the number of functions.',
  arity: -2,
  flags: ['write', 'noscript'],
  args: [flushMode],
  run(context, args) {
    if (args.count > 3) throw errors.subcommandSyntax(args.latin1(1), 'FUNCTION');
    if (!isFlushMode(args)) throw noFlushMode;
    context.scripts.flushLibraries();
    context.countChanges(1);
    return null;
  },
  merge: allOk,
});

const dump = oneShard({
  ...ofScripts,
  name: 'FUNCTION|DUMP',
  summary: 'Returns all libraries, serialized for FUNCTION RESTORE.',
  since: '7.0.0',
  complexity: 'O(N), N being the number of functions.',
  arity: 2,
  args: [],
  run({ reply, scripts }) {
    const codes = scripts.libraries.map(({ code }) => Buffer.from(code, 'latin1'));
    reply.bulk(rdb.dumpFunctions(codes));
  },
});

const restore = everyShard({
  ...ofScripts,
  name: 'FUNCTION|RESTORE',
  summary: 'Loads libraries serialized by FUNCTION DUMP.',
  since: '7.0.0',
  complexity: 'O(N), N being the number of functions in the payload.',
  arity: -3,
  flags: ['write', 'denyoom', 'noscript'],
  args: [
    { name: 'serialized-value', type: 'string' },
    {
      name: 'policy',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'flush', type: 'pure-token', token: 'FLUSH' },
        { name: 'append', type: 'pure-token', token: 'APPEND' },
        { name: 'replace', type: 'pure-token', token: 'REPLACE' },
      ],
    },
  ],
  run(context, args) {
    if (args.count > 4) throw errors.subcommandSyntax(args.latin1(1), 'FUNCTION');
    const policy = policyOf(args);
    const at = args.at(OPTIONS_INDEX);
    const length = args.length(OPTIONS_INDEX);
    if (!rdb.isSoundPayload(args.source, at, length)) throw unsoundPayload;
    let codes: readonly Uint8Array[];
    try {
      codes = rdb.functionsOf(args.source, at, length);
    } catch (error) {
      if (error instanceof rdb.NoFunctionError) throw new CommandError(`ERR ${error.message}`);
      if (error instanceof rdb.MalformedValueError) throw unreadablePayload;
      throw error;
    }
    context.scripts.restoreLibraries(
      codes.map((code) => asBuffer(code).toString('latin1')),
      policy,
    );
    context.countChanges(1);
    return null;
  },
  merge: allOk,
});

function policyOf(args: Arguments): RestorePolicy {
  if (args.count === 3) return 'append';
  args.position = 3;
  if (args.takes('APPEND')) return 'append';
  if (args.takes('REPLACE')) return 'replace';
  if (args.takes('FLUSH')) return 'flush';
  throw noPolicy;
}

const list = oneShard({
  ...ofScripts,
  name: 'FUNCTION|LIST',
  summary: 'Returns the libraries with their functions.',
  since: '7.0.0',
  complexity: 'O(N), N being the number of functions.',
  arity: -2,
  args: [
    { name: 'library-name-pattern', type: 'string', token: 'LIBRARYNAME', optional: true },
    { name: 'withcode', type: 'pure-token', token: 'WITHCODE', optional: true },
  ],
  tips: ['nondeterministic_output_order'],
  run({ reply, scripts }, args) {
    const { pattern, isWithCode } = readListOptions(args);
    const chosen = scripts.libraries.filter(
      ({ name }) =>
        pattern === undefined || globMatches(pattern, Buffer.from(name, 'latin1'), true),
    );
    reply.arrayHeader(chosen.length);
    for (const library of chosen) writeLibrary(reply, library, isWithCode);
  },
});

interface ListOptions {
  pattern: Uint8Array | undefined;
  isWithCode: boolean;
}

/** Each option once, as Redis has it. */
function readListOptions(args: Arguments): ListOptions {
  const options: ListOptions = { pattern: undefined, isWithCode: false };
  args.position = OPTIONS_INDEX;
  while (args.more) {
    if (!options.isWithCode && args.takes('WITHCODE')) {
      options.isWithCode = true;
    } else if (options.pattern === undefined && args.takes('LIBRARYNAME')) {
      if (args.left === 0) throw noLibraryName;
      options.pattern = args.copy(args.next());
    } else {
      throw new CommandError(`ERR Unknown argument ${untilNul(args.latin1(args.next()))}`);
    }
  }
  return options;
}

function writeLibrary(reply: ReplyWriter, library: LibraryDetails, isWithCode: boolean): void {
  reply.mapHeader(isWithCode ? 4 : 3);
  reply.text('library_name');
  reply.text(library.name, 'latin1');
  reply.text('engine');
  reply.text('LUA');
  reply.text('functions');
  reply.arrayHeader(library.functions.length);
  for (const { name, description, flags } of library.functions) {
    reply.mapHeader(3);
    reply.text('name');
    reply.text(name, 'latin1');
    reply.text('description');
    if (description === undefined) reply.nil();
    else reply.text(description, 'latin1');
    reply.text('flags');
    reply.setHeader(flags.length);
    for (const flag of flags) reply.simple(flag);
  }
  if (!isWithCode) return;
  reply.text('library_code');
  reply.text(library.code, 'latin1');
}

const stats = onMain<ScriptContext>({
  ...ofScripts,
  name: 'FUNCTION|STATS',
  summary: 'Returns the running function, and the number of libraries and functions.',
  since: '7.0.0',
  complexity: 'O(1)',
  arity: 2,
  flags: ['noscript', 'allow_busy'],
  args: [],
  tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
  sessionOnly: true,
  run({ reply, scripts }) {
    const { running } = scripts;
    const script = running.find(({ isFunction }) => isFunction);
    if (script === undefined && running.length > 0) throw errors.busyScript;
    reply.mapHeader(2);
    reply.text('running_script');
    if (script === undefined) reply.nil();
    else writeRunning(reply, script);
    reply.text('engines');
    reply.mapHeader(1);
    reply.text('LUA');
    reply.mapHeader(2);
    reply.text('libraries_count');
    reply.integer(scripts.libraryCount);
    reply.text('functions_count');
    reply.integer(scripts.functionCount);
  },
});

function writeRunning(reply: ReplyWriter, { name, command, durationMs }: RunningScript): void {
  reply.mapHeader(3);
  reply.text('name');
  reply.text(name, 'latin1');
  reply.text('command');
  reply.arrayHeader(command.length);
  for (const word of command) reply.text(word, 'latin1');
  reply.text('duration_ms');
  reply.integer(durationMs);
}

const kill = onMain<ScriptContext>({
  ...ofScripts,
  name: 'FUNCTION|KILL',
  summary: 'Stops the running function, unless it has written.',
  since: '7.0.0',
  complexity: 'O(1)',
  arity: 2,
  flags: ['noscript', 'allow_busy'],
  args: [],
  tips: ['request_policy:all_shards', 'response_policy:one_succeeded'],
  sessionOnly: true,
  run(context) {
    stopScript(context, true);
  },
});

const help = onMain({
  ...ofScripts,
  name: 'FUNCTION|HELP',
  summary: 'Describes the subcommands.',
  since: '7.0.0',
  complexity: 'O(1)',
  arity: 2,
  flags: ['loading', 'stale'],
  args: [],
  run({ reply }) {
    helpReply(reply, 'FUNCTION', [
      ['LOAD [REPLACE] <FUNCTION CODE>', 'Loads a library.'],
      ['DELETE <LIBRARY NAME>', 'Removes a library.'],
      ['LIST [LIBRARYNAME PATTERN] [WITHCODE]', 'Returns the libraries with their functions.'],
      ['STATS', 'Returns the running function, and the number of libraries and functions.'],
      ['KILL', 'Stops the running function, unless it has written.'],
      ['FLUSH [ASYNC|SYNC]', 'Removes all libraries.'],
      ['DUMP', 'Returns all libraries, serialized for FUNCTION RESTORE.'],
      [
        'RESTORE <PAYLOAD> [FLUSH|APPEND|REPLACE]',
        'Loads serialized libraries: after removing all existing ones (FLUSH), beside them (APPEND,',
        'the default), or in place of those with equal names (REPLACE).',
      ],
    ]);
  },
});

export const functions = container({
  name: 'FUNCTION',
  summary: 'Container for commands about functions.',
  since: '7.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'scripting',
  arity: -2,
  flags: [],
  subcommands: [load, remove, flush, dump, restore, list, stats, kill, help],
});
