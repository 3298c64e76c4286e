/** HOTKEYS: sampling sessions that find the keys which take most time or traffic. */

import { CommandError } from '#base';
import type { ReplyWriter } from '#resp';
import { answerLater } from '../../contexts/answer-later.ts';
import type { Arguments } from '../../arguments/arguments.ts';
import { container, onMain, type CommandHead } from '../../definition/definition.ts';
import { helpReply } from '../../definition/help.ts';
import { noKeys } from '../../definition/keys.ts';
import { readHotKeysStart } from './hotkeys-options.ts';
import type {
  HotKeysMetric,
  HotKeysReport,
  HotKeyEntry,
  HotWindow,
  ServerContext,
} from '../ports/ports.ts';

const aboutHotKeys = {
  since: '8.6.0',
  group: 'server',
  flags: ['admin', 'noscript'],
  keys: noKeys,
  args: [],
} as const satisfies Partial<CommandHead>;

const alreadyStarted = new CommandError('ERR hotkeys session already started');
const notActive = new CommandError('ERR no active hotkeys session to stop');
const stopFirst = new CommandError('ERR cannot reset an active hotkeys session, stop it first');

const start = onMain<ServerContext>({
  ...aboutHotKeys,
  name: 'HOTKEYS|START',
  summary: 'Starts a session that finds the keys with the most time or traffic.',
  complexity: 'O(1)',
  arity: -2,
  args: [
    {
      name: 'metrics',
      type: 'block',
      token: 'METRICS',
      optional: true,
      arguments: [
        { name: 'count', type: 'integer' },
        { name: 'metric', type: 'string', multiple: true },
      ],
    },
    { name: 'count', type: 'integer', token: 'COUNT', optional: true },
    { name: 'milliseconds', type: 'integer', token: 'DURATION', optional: true },
    { name: 'ratio', type: 'integer', token: 'SAMPLE', optional: true },
    {
      name: 'slots',
      type: 'block',
      token: 'SLOTS',
      optional: true,
      arguments: [
        { name: 'count', type: 'integer' },
        { name: 'slot', type: 'integer', multiple: true },
      ],
    },
  ],
  run({ reply, hotKeys }, args: Arguments) {
    const options = readHotKeysStart(args, hotKeys);
    if (hotKeys.state === 'active') throw alreadyStarted;
    hotKeys.start(options);
    reply.ok();
  },
});

const stop = onMain<ServerContext>({
  ...aboutHotKeys,
  name: 'HOTKEYS|STOP',
  summary: 'Stops the session and keeps its results.',
  complexity: 'O(1)',
  arity: 2,
  run({ reply, hotKeys }) {
    if (hotKeys.state !== 'active') throw notActive;
    hotKeys.stop();
    reply.ok();
  },
});

const reset = onMain<ServerContext>({
  ...aboutHotKeys,
  name: 'HOTKEYS|RESET',
  summary: 'Discards the results of a stopped session.',
  complexity: 'O(1)',
  arity: 2,
  run({ reply, hotKeys }) {
    if (hotKeys.state === 'active') throw stopFirst;
    hotKeys.reset();
    reply.ok();
  },
});

/** Requires replies of the shards, for which a transaction cannot wait. */
const aboutReports = {
  ...aboutHotKeys,
  arity: 2,
  complexity: 'O(N) for N keys that each shard keeps in mind.',
  flags: [...aboutHotKeys.flags, 'no_multi'],
  tips: ['nondeterministic_output'],
} as const satisfies Partial<CommandHead>;

const orNil =
  <Report>(write: (reply: ReplyWriter, report: Report) => void) =>
  (reply: ReplyWriter, report: Report | null): void => {
    if (report === null) reply.nil();
    else write(reply, report);
  };

const get = onMain<ServerContext>({
  ...aboutReports,
  name: 'HOTKEYS|GET',
  summary: 'Returns the results of the session.',
  run(context) {
    const { hotKeys } = context;
    if (hotKeys.state === 'idle') {
      context.reply.nil();
      return;
    }
    answerLater(context, hotKeys.report(), orNil(writeHotKeys));
  },
});

const noWindows = new CommandError(
  'ERR hot key windows are not enabled, set hotkeys.window-enabled = true',
);

const window = onMain<ServerContext>({
  ...aboutReports,
  name: 'HOTKEYS|WINDOW',
  summary: 'Returns the most used keys of the last whole window.',
  run(context) {
    const { hotKeys } = context;
    if (!hotKeys.hasWindows) throw noWindows;
    answerLater(context, hotKeys.window(), orNil(writeWindow));
  },
});

function writeWindow(reply: ReplyWriter, report: HotWindow): void {
  const numbers = {
    'window-start-unix-ms': report.startMs,
    'window-seconds': report.seconds,
    'sample-ratio': report.sample,
    samples: report.samples,
  };
  const hasMissing = report.missingShards.length > 0;
  reply.mapHeader(Object.keys(numbers).length + 3 + (hasMissing ? 1 : 0));
  for (const [name, value] of Object.entries(numbers)) {
    reply.text(name);
    reply.integer(value);
  }
  writeRates(reply, {
    'ops-per-sec': report.opsPerSecond,
    'floor-per-sec': report.floorPerSecond,
  });
  if (hasMissing) {
    reply.text('missing-shards');
    reply.integer(report.missingShards.length);
  }
  reply.text('hotkeys');
  reply.arrayHeader(report.keys.length);
  for (const { key, database, ...rates } of report.keys) {
    reply.mapHeader(6);
    reply.text('key');
    reply.bulk(key);
    reply.text('db');
    reply.integer(database);
    writeRates(reply, {
      'ops-per-sec': rates.opsPerSecond,
      'reads-per-sec': rates.readsPerSecond,
      'writes-per-sec': rates.writesPerSecond,
      'error-per-sec': rates.errorPerSecond,
    });
  }
}

/** To a tenth: more would only seem exact. */
function writeRates(reply: ReplyWriter, rates: Readonly<Record<string, number>>): void {
  for (const [name, rate] of Object.entries(rates)) {
    reply.text(name);
    reply.double(Math.round(10 * rate) / 10);
  }
}

const help = onMain<ServerContext>({
  ...aboutHotKeys,
  name: 'HOTKEYS|HELP',
  summary: 'Describes the subcommands.',
  complexity: 'O(1)',
  arity: 2,
  flags: ['loading', 'stale'],
  run({ reply }) {
    helpReply(reply, 'HOTKEYS', [
      ['GET', 'Returns the results of the session so far, or nil without one.'],
      ['RESET', 'Discards the results of a stopped session.'],
      [
        'START [METRICS <n> CPU|NET [CPU|NET]] [COUNT <keys>] [DURATION <ms>]',
        '      [SAMPLE <ratio>] [SLOTS <n> <slot> [<slot> ...]]',
        'Starts a session that finds the keys with the most time (CPU) or bytes of requests and',
        'replies (NET); both without METRICS. One command in <ratio> is sampled. With',
        'DURATION the session ends by itself.',
      ],
      ['STOP', 'Stops the session and keeps its results.'],
      [
        'WINDOW',
        'Returns the most used keys of the last whole window of hotkeys-window-seconds, sampled without a',
        'session while hotkeys-window-enabled is set; nil before the end of the first window.',
      ],
    ]);
  },
});

const hotkeys = container({
  ...aboutHotKeys,
  name: 'HOTKEYS',
  summary: 'Container for commands that find hot keys.',
  complexity: 'Depends on the subcommand.',
  arity: -2,
  flags: [],
  subcommands: [get, help, reset, start, stop, window],
});

export const serverHotKeys = [hotkeys];

/** A field of the report. */
type Field = readonly [name: string, write: (reply: ReplyWriter) => void];

const integer =
  (value: number) =>
  (reply: ReplyWriter): void => {
    reply.integer(Math.round(value));
  };

function writeHotKeys(reply: ReplyWriter, report: HotKeysReport): void {
  const { options } = report;
  const ranked = ({ by, of }: { by: HotKeysMetric; of: (entry: HotKeyEntry) => number }): Field => [
    by === 'cpu' ? 'by-cpu-time-us' : 'by-net-bytes',
    (to) => {
      writeRanking(to, report.byMetric[by], of);
    },
  ];
  const fields: Field[] = [
    ['tracking-active', integer(report.state === 'active' ? 1 : 0)],
    ['state', (to) => to.text(report.state)],
    [
      'metrics',
      (to) => {
        writeTexts(to, options.metrics);
      },
    ],
    ['count', integer(options.count)],
    ['duration', integer(options.durationMs)],
    ['sample-ratio', integer(options.sample)],
    [
      'selected-slots',
      (to) => {
        writeRanges(to, options.slots);
      },
    ],
    ...selectedFields(report),
    ['all-commands-all-slots-us', integer(report.allUs)],
    ['net-bytes-all-commands-all-slots', integer(report.allBytes)],
    ['collection-start-time-unix-ms', integer(report.startedMs)],
    ['collection-duration-ms', integer(report.elapsedMs)],
    ...(options.metrics.includes('cpu') ? processorFields(report) : []),
    ['total-cpu-time-us', integer(report.keyedUs)],
    ['total-net-bytes', integer(report.keyedBytes)],
    ...(options.metrics.includes('cpu')
      ? [ranked({ by: 'cpu', of: ({ us, error }) => us + error })]
      : []),
    ...(options.metrics.includes('net')
      ? [ranked({ by: 'net', of: ({ bytes, error }) => bytes + error })]
      : []),
    ...(report.missingShards.length > 0
      ? ([['missing-shards', integer(report.missingShards.length)]] as const)
      : []),
    [
      'hotkeys',
      (to) => {
        writeEntries(to, report.byMetric[options.metrics[0] ?? 'cpu']);
      },
    ],
  ];
  reply.mapHeader(fields.length);
  for (const [name, write] of fields) {
    reply.text(name);
    write(reply);
  }
}

/** Figures of the chosen slots; of samples only where not all commands are looked at. */
function selectedFields(report: HotKeysReport): readonly Field[] {
  const { slots, sample } = report.options;
  if (slots.length === 0) return [];
  const ofSamples: readonly Field[] = [
    ['sampled-commands-selected-slots-us', integer(report.sampledUs)],
    ['net-bytes-sampled-commands-selected-slots', integer(report.sampledBytes)],
  ];
  return [
    ...(sample > 1 ? ofSamples : []),
    ['all-commands-selected-slots-us', integer(report.selectedUs)],
    ['net-bytes-all-commands-selected-slots', integer(report.selectedBytes)],
  ];
}

/** Processor time of the whole process, as the system counts it. */
function processorFields({ userUs, systemUs }: HotKeysReport): readonly Field[] {
  return [
    ['total-cpu-time-user-ms', integer(Math.floor(userUs / 1_000))],
    ['total-cpu-time-sys-ms', integer(Math.floor(systemUs / 1_000))],
  ];
}

/** Writes slots as ranges: first and last, and one slot alone. */
function writeRanges(reply: ReplyWriter, slots: readonly number[]): void {
  const ranges: [first: number, last: number][] = [];
  for (const slot of slots.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range?.[1] === slot - 1) range[1] = slot;
    else ranges.push([slot, slot]);
  }
  reply.arrayHeader(ranges.length);
  for (const [first, last] of ranges) {
    const ends = first === last ? [first] : [first, last];
    reply.arrayHeader(ends.length);
    for (const slot of ends) reply.integer(slot);
  }
}

function writeTexts(reply: ReplyWriter, texts: readonly string[]): void {
  reply.arrayHeader(texts.length);
  for (const text of texts) reply.text(text);
}

/** Flat in RESP3 too, where clients of Redis 8.6 expect it so. */
function writeRanking(
  reply: ReplyWriter,
  entries: readonly HotKeyEntry[],
  of: (entry: HotKeyEntry) => number,
): void {
  reply.arrayHeader(2 * entries.length);
  for (const entry of entries) {
    reply.bulk(entry.key);
    reply.integer(Math.round(of(entry)));
  }
}

function writeEntries(reply: ReplyWriter, entries: readonly HotKeyEntry[]): void {
  reply.arrayHeader(entries.length);
  for (const { key, calls, us, bytes, error } of entries) {
    reply.mapHeader(5);
    reply.text('key');
    reply.bulk(key);
    const numbers = {
      'access-count': calls,
      'total-cpu-time-us': us,
      'total-net-bytes': bytes,
      error,
    };
    for (const [name, value] of Object.entries(numbers)) {
      reply.text(name);
      reply.integer(Math.round(value));
    }
  }
}
