/** Tests of the doctor's findings, for each kind of trouble separately. */
import {
  type LatencyEvent,
  LatencySeries,
  MAIN_THREAD,
  type PauseReport,
  type SlowEntry,
} from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { latencyReport, type Symptoms } from './latency-doctor.ts';

const doctor = suite('latency doctor');

const NOW_SECONDS = 10_000;

const pauses: PauseReport = {
  collections: 0,
  collectionUs: 0,
  collectionUsMax: 0,
  loopCount: 0,
  loopUsP50: 0,
  loopUsP99: 0,
  loopUsMax: 0,
};

const healthy: Symptoms = {
  thresholdMs: 10,
  slowerThanUs: 10_000,
  limits: [],
  starved: [],
  facts: {
    expiringKeys: 5,
    hz: 10,
    isDurable: true,
    durabilityMode: 'periodic',
    snapshotIntervalSeconds: 3_600,
    evicts: true,
    isTiered: true,
    policy: 'allkeys-lru',
  },
  stuckShards: [],
  runsOnMain: (name) => name === 'INFO',
  series: [],
  slow: [],
  missingShards: [],
  main: { ...pauses, collections: 3, collectionUsMax: 900, loopUsMax: 2_000, loopUsP99: 100 },
  shards: [pauses, pauses],
  queueUsP99: [40, 50],
  scripts: { runs: 0, barriers: 0 },
  refused: [],
  tier: { hits: 0, fetches: 0, workingSetBytes: 0, limitBytes: 0 },
  nowMs: NOW_SECONDS * 1_000,
};

/** An event with occurrences of given durations in milliseconds, given seconds ago, on a shard. */
function series(
  event: LatencyEvent,
  ...occurrences: readonly (readonly [ms: number, secondsAgo: number, shard: number])[]
): LatencySeries {
  const all = new LatencySeries(event);
  for (const [ms, ago, shard] of occurrences) {
    all.add({ us: ms * 1_000, unixSeconds: NOW_SECONDS - ago, shard });
  }
  return all;
}

function slow(words: string, secondsAgo: number, ms: number): SlowEntry {
  const client = { id: 1, address: '10.0.0.1:5', name: '', user: 'default' };
  return {
    id: 1,
    shard: 1,
    executeUs: ms * 1_000,
    queueUs: 0,
    durableUs: 0,
    fetchUs: 0,
    bytes: 0,
    database: 0,
    client,
    unixMs: (NOW_SECONDS - secondsAgo) * 1_000,
    args: words.split(' ').map((word) => Buffer.from(word, 'latin1')),
  };
}

const commands = series('command', [20, 100, 1], [250, 60, 1], [30, 20, MAIN_THREAD]);

const cases: readonly (readonly [
  what: string,
  symptoms: Partial<Symptoms>,
  says: readonly RegExp[],
  saysNot?: readonly RegExp[],
])[] = [
  ['nothing is recorded', { thresholdMs: 0 }, [/CONFIG SET latency-monitor-threshold/], [/Main/]],
  ['all is well', {}, [/No event took 10 ms or longer/, /shard 1 0\.05 ms/], [/What to do/]],
  [
    'commands are slow',
    { series: [commands] },
    [
      /The worst event is command: up to 250 ms\. It occurred in 3 seconds of the last 100 seconds, every 40 s/,
      /1\. command: 3 occurrences, average 100 ms/,
      /By thread: shard 1 2 \(up to 250 ms\), main 1 \(up to 30 ms\)\./,
      /What to do:\n- A slow command delays all other commands on its shard/,
    ],
    [/slowlog-log-slower-than/],
  ],
  [
    'several events: the worst comes first',
    { series: [commands, series('eviction-cycle', [900, 5, 0])] },
    [/worst event is eviction-cycle: up to 900 ms/, /1\. eviction-cycle.*\n2\. command/],
  ],
  [
    'slow commands were logged at the time',
    {
      series: [commands],
      slow: [
        slow('KEYS \0*', 60, 240),
        slow('SORT a b c d e', 61, 30),
        slow('GET elsewhere', 40, 500),
      ],
    },
    [
      /Slow commands around command:\n {2}KEYS \?\*: 240 ms on shard 1, from 10\.0\.0\.1:5\n {2}SORT a b c \.\.\.: 30 ms/,
    ],
    [/elsewhere/],
  ],
  [
    'the slow log would not show them',
    { series: [commands], slowerThanUs: -1 },
    [/CONFIG SET slowlog-log-slower-than 10000\./],
  ],
  [
    'expiry takes long steps',
    { series: [series('expire-cycle', [15, 9, 0])] },
    [/Many keys expire at once \(5 have a time to live\)/, /CONFIG SET hz 100/],
  ],
  [
    'garbage is collected for long',
    { main: { ...healthy.main, collectionUsMax: 30_000 } },
    [/longest 30 ms/, /- Garbage collection stops/],
  ],
  [
    'garbage of a shard is collected for long',
    {
      shards: [
        pauses,
        { ...pauses, collections: 2, collectionUs: 31_000, collectionUsMax: 30_000 },
      ],
    },
    [
      /shard 1: .*2 garbage collections, 31 ms together, the longest 30 ms/,
      /- Garbage collection stops a shard/,
    ],
    [/stops the main/],
  ],
  [
    'main comes late',
    { main: { ...healthy.main, loopUsMax: 80_000 } },
    [/- The event loop of the main thread is late although it had processor time/],
  ],
  [
    'main comes late without a processor',
    { main: { ...healthy.main, loopUsMax: 80_000 }, starved: [{ fromMs: 1, toMs: 2 }] },
    [/- The event loop of the main thread was late: threads had too little processor time/],
    [/large reports/],
  ],
  [
    'one shard has long queues',
    { queueUsP99: [30, 9_000, 40] },
    [/- One shard has much longer queues/],
  ],
  ['all shards have long queues', { queueUsP99: [9_000, 9_000] }, [/9\.00 ms/], [/One shard/]],
  [
    'the machine pauses',
    { baselineUsMax: 25_000 },
    [/itself causes pauses of up to 25 ms/, /noisy neighbours/],
  ],
  [
    'shards are stuck',
    { missingShards: [0, 1], stuckShards: [0, 1] },
    [/No reply from shard 0, shard 1, executing one command/],
  ],
  [
    'shards without a processor are late, and not stuck',
    { missingShards: [0, 1] },
    [/No reply in time from shard 0, shard 1/],
    [/executing/],
  ],
  [
    'something limits the server now: it comes first',
    {
      limits: [
        {
          cause: 'key',
          value: 80,
          unit: '%',
          threshold: 40,
          worst: 90,
          object: 'hot',
          since_ms: (NOW_SECONDS - 12) * 1_000,
          message: 'key h\u00f6t takes 80 % of the time of shard 0',
          advice: 'Split it.',
          link: null,
        },
      ],
      series: [commands],
    },
    [
      /^Limited now by:\n1\. one key: key h\?t takes 80 % of the time of shard 0 \(for 12 seconds, worst 90 %\)\. Split it\.\n\nThe worst event/,
    ],
  ],
  [
    'nothing expires: no advice about expiry',
    {
      series: [series('expire-cycle', [15, 9, 0])],
      facts: { ...healthy.facts, expiringKeys: 0 },
    },
    [/worst event is expire-cycle/],
    [/expire at once|CONFIG SET hz/],
  ],
  [
    'syncs are slow in periodic mode: it is not advised again',
    { series: [series('aof-fsync', [15, 9, 0])] },
    [/slow to sync the log \(persistence\.durability-mode is periodic\)/],
    [/= periodic/],
  ],
  [
    'syncs are slow in sync mode',
    {
      series: [series('aof-fsync', [15, 9, 0])],
      facts: { ...healthy.facts, durabilityMode: 'sync' },
    },
    [/choose persistence\.durability-mode = periodic/],
  ],
  [
    'evictions without a policy',
    {
      series: [series('eviction-cycle', [15, 9, 0])],
      facts: { ...healthy.facts, evicts: false },
    },
    [],
    [/Eviction takes long/],
  ],
  [
    'the machine was starved when an event took longest',
    {
      series: [series('expire-cycle', [900, 60, 0]), series('command', [20, 500, 0])],
      starved: [{ fromMs: (NOW_SECONDS - 70) * 1_000, toMs: (NOW_SECONDS - 50) * 1_000 }],
    },
    [
      /too little processor time when expire-cycle took longest/,
      /A slow command delays all other commands/,
    ],
    [/expire at once/],
  ],
  [
    'more seconds than are kept',
    {
      series: [
        series('command', ...Array.from({ length: 200 }, (_, nth) => [20, 200 - nth, 0] as const)),
      ],
    },
    [/in more seconds than are kept: the latest 160 are of the last 160 seconds/],
    [/160 seconds of the last/],
  ],
  [
    'a gathered command is not on main',
    {
      series: [commands],
      slow: [
        { ...slow('DEBUG SLEEP 1', 60, 1_017), shard: MAIN_THREAD },
        { ...slow('INFO', 60, 15), shard: MAIN_THREAD },
      ],
    },
    [/DEBUG SLEEP 1: 1017 ms over all shards, from/, /INFO: 15 ms on main, from/],
  ],
  [
    'a burst',
    { series: [series('command', [20, 5, 0], [20, 4, 0], [20, 3, 0])] },
    [/in one burst/],
  ],
];

for (const [what, symptoms, says, saysNot = []] of cases) {
  doctor(what, () => {
    const text = latencyReport({ ...healthy, ...symptoms });
    for (const pattern of says) assert.match(text, pattern);
    for (const pattern of saysNot) assert.not.match(text, pattern);
  });
}

for (const event of ['fork', 'aof-fsync', 'snapshot-io'] as const) {
  doctor(`has advice for ${event}`, () => {
    const text = latencyReport({ ...healthy, series: [series(event, [50, 1, 0])] });
    assert.match(text, /What to do:\n- \w/);
  });
}

for (const [runs, barriers, isNamed] of [
  [0, 0, false],
  [99, 99, false],
  [100, 9, false],
  [100, 10, true],
  [1_000, 1_001, true],
] as const) {
  doctor(`${String(barriers)} barriers of ${String(runs)} scripts`, () => {
    const scripts = { runs, barriers };
    for (const thresholdMs of [0, 10]) {
      const report = latencyReport({ ...healthy, thresholdMs, scripts });
      assert.is(/- All shards had to stop for \d+ % of the scripts/.test(report), isNamed, report);
      assert.not.match(report, /101 %/);
    }
  });
}

doctor('says when memory is too small for what is used', () => {
  const tier = { hits: 100_000, fetches: 30_000, workingSetBytes: 64e6, limitBytes: 10e6 };
  const advice = /30 % of all look-ups went to the warm tier's disk\. About 61 MiB would hold 99 %/;
  assert.match(latencyReport({ ...healthy, tier }), advice);
  const isEnough = { ...tier, fetches: 1_000 };
  assert.not.match(latencyReport({ ...healthy, tier: isEnough }), /warm tier/);
});

doctor('names users that a rate limit refuses much, whatever else is seen', () => {
  const refused = [
    { user: 'an\x1bna', refused: 500 },
    { user: 'bert', refused: 99 },
  ];
  for (const thresholdMs of [0, 10]) {
    const report = latencyReport({ ...healthy, thresholdMs, refused });
    assert.match(report, /- The rate limit of user an\?na has refused 500 commands/);
    assert.not.match(report, /bert/);
  }
});

doctor.run();
