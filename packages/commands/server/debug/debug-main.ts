/** The parts of DEBUG that need no keys. */

import { CommandError, errors, parseDouble } from '#base';
import type { ReplyWriter } from '#resp';
import type { Arguments } from '../../arguments/arguments.ts';
import { onMain, type OnMainCommand } from '../../definition/definition.ts';
import { helpReply } from '../../definition/help.ts';
import { debugBundle } from './debug-bundle.ts';
import { flightRecorder } from './debug-flight.ts';
import { debugHead, disturbingHead } from './debug-head.ts';
import { debugThread } from './debug-thread.ts';
import { debugTracing } from './debug-tracing.ts';
import type { ServerContext } from '../ports/ports.ts';

const error = onMain<ServerContext>({
  ...debugHead,
  name: 'DEBUG|ERROR',
  summary: 'Returns the given text as an error.',
  arity: 3,
  run(_context, args) {
    throw new CommandError(args.latin1(2));
  },
});

const log = onMain<ServerContext>({
  ...disturbingHead,
  name: 'DEBUG|LOG',
  summary: 'Writes a message to the log of the server.',
  arity: 3,
  run(context, args) {
    context.log.warning(`DEBUG LOG: ${args.latin1(2)}`);
    context.reply.ok();
  },
});

const mainSleep = onMain<ServerContext>({
  ...disturbingHead,
  name: 'DEBUG|MAIN-SLEEP',
  summary: 'Blocks main, and thereby all clients, for a number of seconds.',
  arity: 3,
  run(context, args) {
    const seconds = parseDouble(args.latin1(2));
    if (seconds > 0) context.process.freeze(seconds);
    context.reply.ok();
  },
});

const protocol = onMain<ServerContext>({
  ...debugHead,
  name: 'DEBUG|PROTOCOL',
  summary: 'Returns an example of a protocol type.',
  arity: 3,
  run({ reply }, args) {
    const write = PROTOCOL_EXAMPLES.get(args.latin1(2).toLowerCase());
    if (write === undefined) throw unknownExample;
    write(reply);
  },
});

// The examples are the same as Redis', since tests of clients compare with them.
const PROTOCOL_EXAMPLES = new Map<string, (reply: ReplyWriter) => void>([
  ['string', (reply) => reply.text('Hello World')],
  ['integer', (reply) => reply.integer(12345)],
  ['double', (reply) => reply.double(3.141)],
  ['bignum', (reply) => reply.bigNumber('1234567999999999999999999999999999999')],
  ['null', (reply) => reply.nil()],
  ['array', (reply) => writeThree(reply, () => reply.arrayHeader(3))],
  ['set', (reply) => writeThree(reply, () => reply.setHeader(3))],
  ['map', writeMap],
  ['attrib', writeAttribute],
  ['push', writePush],
  ['verbatim', (reply) => reply.verbatim('This is a verbatim\nstring')],
  ['true', (reply) => reply.boolean(true)],
  ['false', (reply) => reply.boolean(false)],
]);

const unknownExample = new CommandError(
  'ERR Wrong protocol type name. Please use one of the following: string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false',
);
const notInResp2 = new CommandError('ERR RESP2 is not supported by this command');

function writeThree(reply: ReplyWriter, writeHeader: () => void): void {
  writeHeader();
  for (let nth = 0; nth < 3; nth += 1) reply.integer(nth);
}

function writeMap(reply: ReplyWriter): void {
  reply.mapHeader(3);
  for (let nth = 0; nth < 3; nth += 1) {
    reply.integer(nth);
    reply.boolean(nth === 1);
  }
}

function writeAttribute(reply: ReplyWriter): void {
  if (reply.protocol === 3) {
    reply.attributeHeader(1);
    reply.text('key-popularity');
    reply.arrayHeader(2);
    reply.text('key:123');
    reply.integer(90);
  }
  reply.text('Some real reply following the attribute');
}

function writePush(reply: ReplyWriter): void {
  if (reply.protocol === 2) throw notInResp2;
  reply.pushHeader(2);
  reply.text('server-cpu-usage');
  reply.integer(42);
  reply.text('Some real reply following the push reply');
}

/** Accepts switches of Redis for features that this server does not have, so that tests which set them work. */
function accepted(
  name: string,
  summary: string,
  arity: number,
  judge?: (args: Arguments) => void,
): OnMainCommand {
  return onMain<ServerContext>({
    ...disturbingHead,
    name: `DEBUG|${name}`,
    summary,
    arity,
    run({ reply }, args) {
      judge?.(args);
      reply.ok();
    },
  });
}

const switches = [
  accepted('SET-SKIP-CHECKSUM-VALIDATION', 'Accepted, without any effect.', 3),
  accepted('PAUSE-CRON', 'Accepted, without any effect.', 3),
  accepted('DICT-RESIZING', 'Accepted, without any effect.', 3),
  accepted('REPLYBUFFER', 'Accepted, without any effect.', 4, demandReplyBufferOption),
];

function demandReplyBufferOption(args: Arguments): void {
  if (args.spellsAt(2, 'RESIZING')) return;
  if (!args.spellsAt(2, 'PEAK-RESET-TIME')) {
    throw errors.subcommandSyntax(args.latin1(1), 'DEBUG');
  }
  if (!args.spellsAt(3, 'NEVER') && !args.spellsAt(3, 'RESET')) args.roundedAt(3);
}

const help = onMain<ServerContext>({
  ...debugHead,
  name: 'DEBUG|HELP',
  summary: 'Describes the subcommands.',
  arity: 2,
  run({ reply }) {
    helpReply(reply, 'DEBUG', [
      ['BUNDLE <GENERATE|LIST>', 'Creates a diagnostic bundle, or lists the existing ones.'],
      ['DICT-RESIZING <0|1>', 'Accepted, without any effect.'],
      ['DIGEST', 'Returns a digest of all keys and values, without expiry times.'],
      ['DIGEST-VALUE <key> [<key> ...]', 'Returns a digest of the value of each key.'],
      ['ERROR <string>', 'Returns the text as an error.'],
      [
        'FLIGHT-RECORDER [<main|ops|shard>] [COUNT <count>]',
        'Returns recent notable events of all threads, or of one, oldest first: slow batches, full rings,',
        'garbage collections, eviction, refused connections, changed settings. The latest 128, or',
        '<count>; -1 for all that are kept, 4096 of each thread. Read from shared memory.',
      ],
      ['HTSTATS <dbid> [full]', 'Counts the keys in the indexes of a database, by shard.'],
      ['LOADAOF', 'Reloads all keys from the snapshot and the log on disk.'],
      ['LOG <message>', 'Writes a message to the log of the server.'],
      ['LISTPACK <key>', 'Returns the entries of the value of <key>, if it is a single listpack.'],
      ['MAIN-SLEEP <seconds>', 'Blocks main, and thereby all clients, for <seconds>.'],
      ['OBJECT <key>', 'Returns encoding and location of the value of <key>.'],
      ['PAUSE-CRON <0|1>', 'Accepted, without any effect.'],
      [
        'POPULATE <count> [<prefix>] [<size>]',
        'Creates <count> strings under <prefix>:0 and so on (key:0 without a prefix),',
        'with values of <size> bytes.',
      ],
      ['PROTOCOL <type>', `An example of: ${[...PROTOCOL_EXAMPLES.keys()].join(', ')}.`],
      [
        'QUICKLIST-PACKED-THRESHOLD <size>',
        'Sets the size from which an element of a list gets its own node, in bytes; 0 for the value',
        'of list-max-listpack-size.',
      ],
      ['RELOAD', 'Serializes all values and loads them again.'],
      ['REPLYBUFFER <PEAK-RESET-TIME|RESIZING> <value>', 'Accepted, without any effect.'],
      ['SET-ACTIVE-EXPIRE <0|1>', 'Switches active expiry on or off.'],
      [
        'SET-DISABLE-DENY-SCRIPTS <0|1>',
        'Switches the commands that scripts may not call on or off for scripts.',
      ],
      ['SET-SKIP-CHECKSUM-VALIDATION <0|1>', 'Accepted, without any effect.'],
      [
        'SHARD <shard|main> PROFILE <seconds>',
        'Returns a CPU profile of one thread, as a .cpuprofile file for the tools of Chrome or',
        'VS Code; 0.01 to 60 seconds, one at a time for each thread. Only the caller waits; the thread',
        'stops for about 20 ms at the start, and for 10 ms for each 30 s at the end.',
      ],
      [
        'SHARD <shard|main> HEAP',
        "Returns current statistics of one thread's heap and its spaces, without a heap snapshot.",
      ],
      ['SLEEP <seconds>', 'Blocks all shards for <seconds>, which may be a fraction.'],
      [
        'SPILL',
        'Moves values to the warm tier while its disk keeps up; returns the number of values.',
      ],
      [
        'TRACING <STATUS|RECENT [<count>]>',
        'Returns the state of tracing, or the latest traces (default: 10).',
      ],
    ]);
  },
});

export const debugOnMain = [
  debugBundle,
  flightRecorder,
  debugThread,
  debugTracing,
  error,
  log,
  mainSleep,
  protocol,
  ...switches,
  help,
];
