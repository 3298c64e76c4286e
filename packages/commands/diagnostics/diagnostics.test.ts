import { byLogKind } from '#base';
import type { Reply } from '#testkit';
import { call, CallContext, type CallOptions } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTable } from '../table/all-commands.ts';
import { eventGraph } from './event-graph.ts';
import type { DiagnosticsContext, EventSeries, LoggedCommand, Steps } from './ports.ts';

const diagnostics = suite('SLOWLOG, COMMANDLOG and LATENCY');

type Ports = Pick<DiagnosticsContext, 'commands' | 'commandLogs' | 'latency' | 'bands'>;

const NOW_SECONDS = 1_700_000_000;

const logged: readonly LoggedCommand[] = [
  {
    id: 14,
    unixMs: NOW_SECONDS * 1_000 + 999,
    executeUs: 12_345.9,
    bytes: 2_000_000,
    args: [Buffer.from('SET'), Buffer.from([0, 255])],
    client: { address: '127.0.0.1:5', name: 'me' },
  },
];

const LENGTHS = { slow: 5, 'large-request': 6, 'large-reply': 7 };

const series: EventSeries = {
  event: 'expire-cycle',
  samples: [
    { unixSeconds: NOW_SECONDS - 90_000, us: 20_900 },
    { unixSeconds: NOW_SECONDS - 61, us: 140_000 },
  ],
  latest: { unixSeconds: NOW_SECONDS - 61, us: 140_000 },
  usMax: 300_000,
};

const steps = new Map<number | undefined, Steps>([
  [
    commandTable.byName('SET')?.id,
    [
      [1, 2],
      [4, 3],
    ],
  ],
  [commandTable.byName('CONFIG|GET')?.id, [[64, 1]]],
]);

function contextWith(options: CallOptions & { enabled?: boolean } = {}) {
  const asked: string[] = [];
  const ports: Ports = {
    commands: commandTable,
    commandLogs: byLogKind((kind) => ({
      length: LENGTHS[kind],
      newest: (count) => {
        asked.push(`newest ${kind} ${count}`);
        return Promise.resolve(logged);
      },
      reset: () => {
        asked.push(`reset ${kind}`);
        return Promise.resolve();
      },
    })),
    latency: {
      events: [series],
      event: (name) => (name === 'expire_CYCLE' ? series : undefined),
      reset: (names) => {
        asked.push(`reset ${names?.join(' ') ?? 'all'}`);
        return names?.length ?? 6;
      },
      histogram: (id) => steps.get(id) ?? [],
      diagnose: () => Promise.resolve('You are fine.\n'),
    },
    bands: {
      isEnabled: options.enabled ?? true,
      labels: ['<=1ms', '>1ms', 'total'],
      counts: [5, 1, 6],
      perShard: [
        [3, 1, 4],
        [2, 0, 2],
      ],
      reset: () => void asked.push('reset bands'),
    },
  };
  return { context: new CallContext({ ...options, ports }), asked };
}

const disabled = '-ERR latency bands are not enabled, set latency-bands.enabled = true';
const badType = '-ERR type should be one of the following: slow, large-request, large-reply';
const badCount = '-ERR count should be greater than or equal to -1';

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['SLOWLOG', "-ERR wrong number of arguments for 'slowlog' command"],
  ['SLOWLOG NOPE', "-ERR unknown subcommand 'NOPE'. Try SLOWLOG HELP."],
  ['SLOWLOG LEN', 5],
  ['SLOWLOG LEN x', "-ERR wrong number of arguments for 'slowlog|len' command"],
  ['SLOWLOG RESET x', "-ERR wrong number of arguments for 'slowlog|reset' command"],
  ['SLOWLOG GET -2', badCount],
  ['SLOWLOG GET x', badCount],
  ['SLOWLOG GET 1.5', badCount],
  ['SLOWLOG GET 99999999999999999999', badCount],
  [
    'SLOWLOG GET 1 2',
    "-ERR unknown subcommand or wrong number of arguments for 'GET'. Try SLOWLOG HELP.",
  ],
  ['COMMANDLOG', "-ERR wrong number of arguments for 'commandlog' command"],
  ['COMMANDLOG NOPE', "-ERR unknown subcommand 'NOPE'. Try COMMANDLOG HELP."],
  ['COMMANDLOG LEN slow', 5],
  ['COMMANDLOG LEN LARGE-REQUEST', 6],
  ['COMMANDLOG LEN large-reply', 7],
  ['COMMANDLOG LEN', "-ERR wrong number of arguments for 'commandlog|len' command"],
  ['COMMANDLOG LEN big', badType],
  ['COMMANDLOG RESET big', badType],
  ['COMMANDLOG RESET', "-ERR wrong number of arguments for 'commandlog|reset' command"],
  ['COMMANDLOG GET 1', "-ERR wrong number of arguments for 'commandlog|get' command"],
  ['COMMANDLOG GET 1 slow x', "-ERR wrong number of arguments for 'commandlog|get' command"],
  ['COMMANDLOG GET 1 big', badType],
  ['COMMANDLOG GET -2 slow', badCount],
  ['COMMANDLOG GET x big', badCount],
  ['LATENCY', "-ERR wrong number of arguments for 'latency' command"],
  ['LATENCY NOPE', "-ERR unknown subcommand 'NOPE'. Try LATENCY HELP."],
  ['LATENCY LATEST', [['expire-cycle', NOW_SECONDS - 61, 140, 300]]],
  ['LATENCY LATEST x', "-ERR wrong number of arguments for 'latency|latest' command"],
  ['LATENCY HISTORY', "-ERR wrong number of arguments for 'latency|history' command"],
  ['LATENCY HISTORY nope', []],
  [
    'LATENCY HISTORY expire_CYCLE',
    [
      [NOW_SECONDS - 90_000, 20],
      [NOW_SECONDS - 61, 140],
    ],
  ],
  ['LATENCY GRAPH nope', "-ERR No samples available for event 'nope'"],
  ['LATENCY GRAPH', "-ERR wrong number of arguments for 'latency|graph' command"],
  ['LATENCY HELP x', "-ERR wrong number of arguments for 'latency|help' command"],
  ['LATENCY HISTOGRAM nope', []],
  ['LATENCY HISTOGRAM set nope', ['set', ['calls', 3, 'histogram_usec', [1, 2, 4, 3]]]],
  ['LATENCY HISTOGRAM CONFIG', ['config|get', ['calls', 1, 'histogram_usec', [64, 1]]]],
  ['LATENCY HISTOGRAM config|get', ['config|get', ['calls', 1, 'histogram_usec', [64, 1]]]],
  ['LATENCY BANDS', ['<=1ms', 5, '>1ms', 1, 'total', 6]],
  [
    'LATENCY BANDS per-shard',
    [
      ['<=1ms', 3, '>1ms', 1, 'total', 4],
      ['<=1ms', 2, '>1ms', 0, 'total', 2],
    ],
  ],
  ['LATENCY BANDS RESET', 'OK'],
  ['LATENCY BANDS nope', '-ERR syntax error'],
  ['LATENCY BANDS RESET x', '-ERR syntax error'],
];

for (const [line, reply] of cases) {
  diagnostics(line, () => assert.equal(call(contextWith().context, line), reply));
}

diagnostics('LATENCY HISTOGRAM without names tells of all that were called', () => {
  const reply = call(contextWith().context, 'LATENCY HISTOGRAM') as unknown[];
  assert.equal(
    reply.filter((_, nth) => nth % 2 === 0),
    ['config|get', 'set'].sort((a, b) => commandTable.byName(a)!.id - commandTable.byName(b)!.id),
  );
});

diagnostics('bands and histograms are maps in RESP3', () => {
  const { context } = contextWith({ protocol: 3 });
  assert.equal(
    call(context, 'LATENCY BANDS'),
    new Map([
      ['<=1ms', 5],
      ['>1ms', 1],
      ['total', 6],
    ]),
  );
  assert.equal(
    call(context, 'LATENCY HISTOGRAM set'),
    new Map([
      [
        'set',
        new Map<string, unknown>([
          ['calls', 3],
          [
            'histogram_usec',
            new Map([
              [1, 2],
              [4, 3],
            ]),
          ],
        ]),
      ],
    ]),
  );
});

for (const line of ['LATENCY BANDS', 'LATENCY BANDS PER-SHARD', 'LATENCY BANDS RESET']) {
  diagnostics(`${line} needs the bands to be on`, () => {
    const { context, asked } = contextWith({ enabled: false });
    assert.is(call(context, line), disabled);
    assert.equal(asked, []);
  });
}

const requests: readonly (readonly [line: string, asked: string])[] = [
  ['SLOWLOG GET', 'newest slow 10'],
  ['SLOWLOG GET 0', 'newest slow 0'],
  ['SLOWLOG GET -1', 'newest slow Infinity'],
  ['SLOWLOG RESET', 'reset slow'],
  ['COMMANDLOG GET 3 SLOW', 'newest slow 3'],
  ['COMMANDLOG GET -1 large-request', 'newest large-request Infinity'],
  ['COMMANDLOG GET 0 large-reply', 'newest large-reply 0'],
  ['COMMANDLOG RESET large-reply', 'reset large-reply'],
  ['LATENCY RESET', 'reset all'],
  ['LATENCY RESET command nope', 'reset command nope'],
  ['LATENCY BANDS RESET', 'reset bands'],
];

for (const [line, expected] of requests) {
  diagnostics(`${line} asks its port`, () => {
    const { context, asked } = contextWith();
    call(context, line);
    assert.equal(asked, [expected]);
  });
}

async function later(line: string): Promise<Reply | undefined> {
  const { context } = contextWith();
  assert.is(call(context, line), undefined, 'the reply is left for later');
  await new Promise((resolve) => setImmediate(resolve));
  return context.deferred[0];
}

diagnostics('an entry has six elements, with whole numbers and any bytes', async () => {
  assert.equal(await later('SLOWLOG GET'), [
    [14, NOW_SECONDS, 12_345, ['SET', '\0\xff'], '127.0.0.1:5', 'me'],
  ]);
});

diagnostics('an entry of a large command has bytes in place of a time', async () => {
  assert.equal(await later('COMMANDLOG GET -1 large-reply'), [
    [14, NOW_SECONDS, 2_000_000, ['SET', '\0\xff'], '127.0.0.1:5', 'me'],
  ]);
  assert.equal(await later('COMMANDLOG GET -1 slow'), await later('SLOWLOG GET'));
});

diagnostics('RESET and DOCTOR answer when the shards have', async () => {
  assert.is(await later('SLOWLOG RESET'), 'OK');
  assert.is(await later('LATENCY DOCTOR'), 'You are fine.\n');
});

for (const line of ['SLOWLOG HELP', 'COMMANDLOG HELP', 'LATENCY HELP']) {
  diagnostics(`${line} names every subcommand`, () => {
    const text = (call(contextWith().context, line) as string[]).join('\n');
    for (const { command } of commandTable.byName(line.split(' ')[0]!)!.subcommands) {
      assert.match(text, command.name.slice(command.name.indexOf('|') + 1));
    }
  });
}

diagnostics('a graph tells the extremes, and stands on how long ago each was', () => {
  const text = call(contextWith().context, 'LATENCY GRAPH expire_CYCLE') as string;
  assert.is(
    text,
    [
      'expire-cycle - high 140 ms, low 20 ms (all time high 300 ms)',
      '-'.repeat(80),
      ...[' #', ' |', ' |', '_|', '  ', '11', 'dm', ''],
    ].join('\n'),
  );
});

diagnostics('a graph of equal samples is flat, and goes on below after 80 columns', () => {
  const samples = Array.from({ length: 81 }, (_, nth) => ({ unixSeconds: nth, us: 5_000 }));
  const text = eventGraph({ ...series, samples }, 80_000);
  const lines = text.split('\n');
  assert.is(lines[5], '_'.repeat(80));
  assert.is(lines.indexOf(''), 10, 'a line is free between the parts');
  assert.is(lines[14], '_');
  assert.is(lines[16], '0');
});

diagnostics.run();
