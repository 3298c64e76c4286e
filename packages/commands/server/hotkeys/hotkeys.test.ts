/** HOTKEYS: the grammar and every error of it, the states, and the shape of the report. */
import { call, CallContext } from '../../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTable } from '../../table/all-commands.ts';
import type { HotKeysPort, HotKeysReport, HotKeysStart, HotWindow } from '../ports/ports.ts';

const hotkeys = suite('HOTKEYS');

const KEY = Buffer.from([0, 0xff, 0x0d, 0x0a]);

const reportOf = (options: HotKeysStart, state: 'active' | 'stopped'): HotKeysReport => ({
  options,
  state,
  startedMs: 1_700_000_000_000,
  elapsedMs: 12,
  missingShards: [],
  allUs: 100.4,
  allBytes: 200,
  keyedUs: 90,
  keyedBytes: 180,
  userUs: 7_999,
  systemUs: 3_000,
  selectedUs: 40,
  selectedBytes: 80,
  sampledUs: 4,
  sampledBytes: 8,
  byMetric: {
    cpu: [{ key: KEY, calls: 3, us: 30.2, bytes: 60, error: 2 }],
    net: [{ key: KEY, calls: 3, us: 30, bytes: 60, error: 4 }],
  },
});

function fixture(isCluster = false, protocol: 2 | 3 = 2, window?: HotWindow | null) {
  const started: HotKeysStart[] = [];
  let state: HotKeysPort['state'] = 'idle';
  const hotKeys: HotKeysPort = {
    isCluster,
    servesSlot: (slot) => slot !== 9,
    hasWindows: window !== undefined,
    window: () => Promise.resolve(window ?? null),
    get state() {
      return state;
    },
    start(options) {
      started.push(options);
      state = 'active';
    },
    stop() {
      state = 'stopped';
    },
    reset() {
      state = 'idle';
    },
    report: () => Promise.resolve(state === 'idle' ? null : reportOf(started.at(-1)!, state)),
  };
  return { context: new CallContext({ ports: { hotKeys }, protocol }), started };
}

const standard = { metrics: ['cpu', 'net'], slots: [], count: 16, durationMs: 0, sample: 1 };

const accepted: readonly (readonly [words: string, options: object])[] = [
  ['', {}],
  ['METRICS 2 cpu net', {}],
  ['metrics 2 NET Cpu', { metrics: ['net', 'cpu'] }],
  ['METRICS 1 net', { metrics: ['net'] }],
  ['COUNT 1', { count: 1 }],
  ['COUNT 100 DURATION 250 SAMPLE 7', { count: 100, durationMs: 250, sample: 7 }],
  ['SAMPLE 3 METRICS 1 cpu COUNT 5', { metrics: ['cpu'], count: 5, sample: 3 }],
  ['COUNT 5 COUNT 6', { count: 6 }],
];

for (const [words, options] of accepted) {
  hotkeys(`START ${words} begins a session`, () => {
    const { context, started } = fixture();
    assert.is(call(context, `HOTKEYS START ${words}`.trim()), 'OK');
    assert.equal(started, [{ ...standard, ...options }]);
  });
}

const refused: readonly (readonly [words: string, error: string])[] = [
  ['METRICS 1 cpu METRICS 1 net', 'ERR METRICS already specified'],
  ['METRICS 0', 'ERR METRICS count must be between 1 and 2'],
  ['METRICS 3 cpu net cpu', 'ERR METRICS count must be between 1 and 2'],
  ['METRICS -1 cpu', 'ERR METRICS count must be between 1 and 2'],
  ['METRICS x cpu', 'ERR value is not an integer or out of range'],
  ['METRICS', 'ERR syntax error'],
  ['METRICS 2 cpu', 'ERR METRICS count does not match the number of metrics'],
  ['METRICS 2 cpu COUNT 5', 'ERR METRICS count does not match the number of metrics'],
  ['METRICS 1 cpu net', 'ERR METRICS count does not match the number of metrics'],
  ['METRICS 2 cpu CPU', "ERR METRICS duplicate metric 'CPU'"],
  ['METRICS 1 disk', "ERR METRICS invalid metric 'disk'. Valid metrics: cpu, net"],
  ['COUNT 0', 'ERR COUNT must be between 1 and 100'],
  ['COUNT 101', 'ERR COUNT must be between 1 and 100'],
  ['COUNT 1.5', 'ERR value is not an integer or out of range'],
  ['COUNT', 'ERR syntax error'],
  ['DURATION x', 'ERR value is not an integer or out of range'],
  ['DURATION -1', 'ERR value is not an integer or out of range'],
  ['SAMPLE 0', 'ERR SAMPLE ratio must be >= 1'],
  ['SAMPLE -5', 'ERR SAMPLE ratio must be >= 1'],
  ['SAMPLE x', 'ERR value is not an integer or out of range'],
  ['SLOTS 1 5', 'ERR SLOTS option is not allowed in non-cluster mode'],
  ['FOO', "ERR unknown option 'FOO' for 'hotkeys|start'"],
  ['COUNT 5 bar 1', "ERR unknown option 'bar' for 'hotkeys|start'"],
];

for (const [words, error] of refused) {
  hotkeys(`START ${words} is refused`, () => {
    const { context, started } = fixture();
    assert.is(call(context, `HOTKEYS START ${words}`), `-${error}`);
    assert.equal(started, []);
  });
}

const inCluster: readonly (readonly [words: string, reply: string])[] = [
  ['SLOTS 2 0 16383', 'OK'],
  ['SLOTS 1 16384', "-ERR Invalid slot '16384'. Valid range: 0-16383"],
  ['SLOTS 1 -1', "-ERR Invalid slot '-1'. Valid range: 0-16383"],
  ['SLOTS 1 x', "-ERR Invalid slot 'x'. Valid range: 0-16383"],
  ['SLOTS 1 5 SLOTS 1 6', '-ERR SLOTS already specified'],
  ['SLOTS 3 1 2', '-ERR syntax error'],
];

for (const [words, reply] of inCluster) {
  hotkeys(`START ${words} in a cluster answers ${reply}`, () => {
    assert.is(call(fixture(true).context, `HOTKEYS START ${words}`), reply);
  });
}

hotkeys('goes from state to state', async () => {
  const { context } = fixture();
  const steps: readonly (readonly [line: string, reply: unknown])[] = [
    ['HOTKEYS GET', null],
    ['HOTKEYS STOP', '-ERR no active hotkeys session to stop'],
    ['HOTKEYS RESET', 'OK'],
    ['HOTKEYS START', 'OK'],
    ['HOTKEYS START', '-ERR hotkeys session already started'],
    ['HOTKEYS RESET', '-ERR cannot reset an active hotkeys session, stop it first'],
    ['HOTKEYS GET', undefined],
    ['HOTKEYS STOP', 'OK'],
    ['HOTKEYS STOP', '-ERR no active hotkeys session to stop'],
    ['HOTKEYS GET', undefined],
    ['HOTKEYS START', 'OK'],
    ['HOTKEYS STOP', 'OK'],
    ['HOTKEYS RESET', 'OK'],
    ['HOTKEYS GET', null],
  ];
  for (const [line, reply] of steps) {
    assert.equal(call(context, line), reply, line);
    await Promise.resolve();
  }
  assert.is(context.deferred.length, 2);
});

hotkeys('reports flat in RESP2, with binary keys as they are', async () => {
  const { context } = fixture();
  call(context, 'HOTKEYS START METRICS 1 cpu COUNT 3');
  call(context, 'HOTKEYS GET');
  await Promise.resolve();
  const key = KEY.toString('latin1');
  assert.equal(context.deferred, [
    [
      ...['tracking-active', 1, 'state', 'active', 'metrics', ['cpu'], 'count', 3, 'duration', 0],
      ...['sample-ratio', 1, 'selected-slots', []],
      ...['all-commands-all-slots-us', 100, 'net-bytes-all-commands-all-slots', 200],
      ...['collection-start-time-unix-ms', 1_700_000_000_000, 'collection-duration-ms', 12],
      ...['total-cpu-time-user-ms', 7, 'total-cpu-time-sys-ms', 3],
      ...['total-cpu-time-us', 90, 'total-net-bytes', 180, 'by-cpu-time-us', [key, 32]],
      'hotkeys',
      [
        [
          ...['key', key, 'access-count', 3, 'total-cpu-time-us', 30],
          ...['total-net-bytes', 60, 'error', 2],
        ],
      ],
    ],
  ]);
});

hotkeys('reports maps in RESP3, and ranks by the first metric', async () => {
  const { context } = fixture(false, 3);
  call(context, 'HOTKEYS START METRICS 2 net cpu');
  call(context, 'HOTKEYS STOP');
  call(context, 'HOTKEYS GET');
  await Promise.resolve();
  const report = context.deferred[0] as Map<string, unknown>;
  assert.ok(report instanceof Map);
  assert.is(report.get('state'), 'stopped');
  assert.is(report.get('tracking-active'), 0);
  assert.equal(report.get('by-net-bytes'), [KEY.toString('latin1'), 64]);
  const [first] = report.get('hotkeys') as Map<string, unknown>[];
  assert.is(first!.get('error'), 4);
  assert.is([...report.keys()].at(-1), 'hotkeys');
});

const hotWindow: HotWindow = {
  startMs: 1_700_000_000_000,
  seconds: 10,
  sample: 100,
  samples: 70,
  missingShards: [],
  opsPerSecond: 700,
  floorPerSecond: 0.04,
  keys: [
    {
      database: 2,
      key: KEY,
      opsPerSecond: 123.456,
      readsPerSecond: 100,
      writesPerSecond: 23,
      errorPerSecond: 0,
    },
  ],
};

hotkeys('WINDOW answers the last window, flat in RESP2', async () => {
  const { context } = fixture(false, 2, hotWindow);
  call(context, 'HOTKEYS WINDOW');
  await Promise.resolve();
  assert.equal(context.deferred, [
    [
      ...['window-start-unix-ms', 1_700_000_000_000, 'window-seconds', 10, 'sample-ratio', 100],
      ...['samples', 70, 'ops-per-sec', '700', 'floor-per-sec', '0', 'hotkeys'],
      [
        [
          ...['key', KEY.toString('latin1'), 'db', 2, 'ops-per-sec', '123.5'],
          ...['reads-per-sec', '100', 'writes-per-sec', '23', 'error-per-sec', '0'],
        ],
      ],
    ],
  ]);
});

hotkeys('WINDOW answers maps in RESP3, and says which shards are missing', async () => {
  const { context } = fixture(false, 3, { ...hotWindow, missingShards: [2] });
  call(context, 'HOTKEYS WINDOW');
  await Promise.resolve();
  const report = context.deferred[0] as Map<string, unknown>;
  assert.is(report.get('missing-shards'), 1);
  assert.is((report.get('hotkeys') as Map<string, unknown>[])[0]!.get('ops-per-sec'), 123.5);
});

hotkeys('WINDOW is nil before the first whole window, and an error while it is off', async () => {
  const { context } = fixture(false, 2, null);
  call(context, 'HOTKEYS WINDOW');
  await Promise.resolve();
  assert.equal(context.deferred, [null]);
  assert.is(
    call(fixture().context, 'HOTKEYS WINDOW'),
    '-ERR hot key windows are not enabled, set hotkeys.window-enabled = true',
  );
});

hotkeys('HELP names every subcommand', () => {
  const text = (call(fixture().context, 'HOTKEYS HELP') as string[]).join('\n');
  for (const { command } of commandTable.byName('HOTKEYS')!.subcommands) {
    assert.match(text, command.name.slice(command.name.indexOf('|') + 1));
  }
});

hotkeys('SLOTS are of this node, each named once', () => {
  const { context, started } = fixture(true);
  assert.is(call(context, 'HOTKEYS START SLOTS 2 5 5'), "-ERR SLOTS duplicate slot '5'");
  assert.is(call(context, 'HOTKEYS START SLOTS 1 9'), '-ERR Slot 9 is not handled by this node');
  assert.is(call(context, 'HOTKEYS START SLOTS 3 7 5 6'), 'OK');
  assert.equal(started[0]!.slots, [7, 5, 6]);
});

hotkeys('a report of chosen slots tells what they have cost', async () => {
  for (const sample of [1, 3]) {
    const { context } = fixture(true);
    call(context, `HOTKEYS START SAMPLE ${sample} SLOTS 4 7 5 6 10`);
    call(context, 'HOTKEYS GET');
    await new Promise(setImmediate);
    const report = context.deferred[0] as unknown[];
    const valueOf = (name: string): unknown =>
      report.includes(name) ? report[report.indexOf(name) + 1] : undefined;
    assert.equal(valueOf('selected-slots'), [[5, 7], [10]]);
    assert.is(valueOf('all-commands-selected-slots-us'), 40);
    assert.is(valueOf('net-bytes-all-commands-selected-slots'), 80);
    assert.is(valueOf('sampled-commands-selected-slots-us'), sample === 1 ? undefined : 4);
  }
});

hotkeys.run();
