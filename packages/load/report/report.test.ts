/** Reports: figures of histograms, comparisons, and texts that try to be more than text. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bucketOf, HISTOGRAM_BUCKETS, TICKS_PER_US } from '#stats';
import { readBenchOptions } from '../options/bench-options.ts';
import type { BenchRun } from '../run/bench-run.ts';
import type { LoadResult } from '../run/load-run.ts';
import { phasesIn, phaseUses } from '../run/phases.ts';
import { cpuUsPerCommand, serverUse } from '../run/server-use.ts';
import type { ServerReading } from '../run/server-session.ts';
import { benchDocument } from './bench-document.ts';
import { csvReport } from './csv.ts';
import { htmlReport } from './html.ts';
import { textReport } from './text.ts';

const reports = suite('reports of a load');

const EVIL = '</script><script>alert(1)</script>"\'&\x1b[31m';

function histogram(...us: readonly number[]): Float64Array {
  const counts = new Float64Array(HISTOGRAM_BUCKETS);
  for (const each of us) {
    const bucket = bucketOf(each * TICKS_PER_US);
    counts[bucket] = counts[bucket]! + 1;
  }
  return counts;
}

function loadOf(changes: Partial<LoadResult> = {}): LoadResult {
  const latency = histogram(...Array.from({ length: 1_000 }, (_, nth) => nth + 1));
  return {
    startedAtMs: 0,
    seconds: 2,
    commands: 1_000,
    errorCount: 0,
    errors: {},
    bytesIn: 10,
    bytesOut: 20,
    latency,
    maxUs: 1_000,
    byCommand: [{ name: 'get', commands: 1_000, errors: 0, latency, maxUs: 1_000 }],
    series: [
      {
        second: 0,
        commands: 1_000,
        errors: 0,
        bytesIn: 10,
        bytesOut: 20,
        p50Us: 500,
        p99Us: 990,
        p999Us: 999,
        maxUs: 1_000,
      },
    ],
    warmupCommands: 0,
    moved: 0,
    asked: 0,
    connectionsLost: 0,
    lossReasons: [],
    unanswered: 0,
    unsent: 0,
    late: histogram(),
    threads: [{ cpuPercent: 50, waitPercent: 1, spins: false }],
    isInterrupted: false,
    ...changes,
  };
}

function reading(fields: Readonly<Record<string, string>>): ServerReading {
  return { address: 'h:1', info: new Map(Object.entries(fields)), shards: [], missing: [] };
}

const BEFORE = {
  redis_version: '7.4.1',
  used_cpu_sys: '1.5',
  used_cpu_user: '2.5',
  total_commands_processed: '100',
  cmdstat_get: 'calls=10,usec=50,usec_per_call=5.00',
};
const AFTER = {
  ...BEFORE,
  used_cpu_sys: '1.6',
  used_cpu_user: '2.9',
  total_commands_processed: '100100',
  cmdstat_get: 'calls=1010,usec=1050,usec_per_call=1.00',
  cmdstat_set: 'calls=3,usec=9,usec_per_call=3.00',
};

function runOf(server: number, round: number, load: LoadResult): BenchRun {
  return { server, round, load, use: [serverUse(reading(BEFORE), reading(AFTER))], phases: [] };
}

reports('percentiles are at most 0.8 % off, and the maximum is exact', () => {
  const { runs } = benchDocument(readBenchOptions([]), [runOf(0, 0, loadOf())], undefined);
  const { latency_us: latency } = runs[0]!;
  for (const [name, us] of [
    ['p50', 500],
    ['p90', 900],
    ['p99', 990],
    ['p99.9', 999],
    ['mean', 500.5],
  ] as const) {
    assert.ok(Math.abs(latency[name] / us - 1) <= 0.008, `${name} is ${latency[name]}`);
  }
  assert.is(latency.max, 1_000);
  assert.is(runs[0]!.distribution.at(-1)![1], 1_000);
  assert.is(runs[0]!.by_command['get']!.execution_us, 1);
});

reports('processor time and calls are differences of the figures of the server', () => {
  const { cpuUs, commands, byCommand, server } = serverUse(reading(BEFORE), reading(AFTER));
  assert.is(Math.round(cpuUs!), 500_000);
  assert.is(commands, 100_000);
  assert.equal(byCommand, { get: { calls: 1_000, us: 1_000 }, set: { calls: 3, us: 9 } });
  assert.is(server, 'Redis 7.4.1');
  const refused = serverUse(
    reading(BEFORE),
    reading({ ...AFTER, total_commands_processed: '102' }),
  );
  assert.is(Math.round(cpuUsPerCommand([refused], 1_000)!), 500, 'refused commands count');
  const gone: ServerReading = {
    address: 'h:1',
    info: undefined,
    shards: [],
    missing: ['INFO: gone'],
  };
  const lost = serverUse(reading(BEFORE), gone);
  assert.equal([lost.cpuUs, lost.commands, lost.missing], [undefined, undefined, ['INFO: gone']]);
});

reports(
  'a comparison has medians of the rounds, and the ratio of the first server to the other',
  () => {
    const options = readBenchOptions(['--compare', 'h:2']);
    const runs = [1, 2, 3].flatMap((seconds, round) => [
      runOf(0, round, loadOf({ seconds })),
      runOf(1, round, loadOf({ seconds: 2 * seconds })),
    ]);
    const { comparison } = benchDocument(options, runs, undefined);
    assert.equal(
      comparison!.medians.map((figures) => figures.commands_per_sec),
      [500, 250],
    );
    assert.is(comparison!.ratios.commands_per_sec, 2);
    assert.is(comparison!.ratios.p99_us, 1);
    assert.is(comparison!.ratios.cpu_us_per_command, 1);
    const text = textReport(benchDocument(options, runs, undefined)).join('\n');
    assert.match(text, /median of rounds +127\.0\.0\.1:6379 +h:2 +ratio/);
    assert.match(text, /commands per second +500\.00 +250\.00 +2\.00/);
  },
);

const METRICS = `# TYPE svc_shard_queue_wait_seconds histogram
svc_shard_queue_wait_seconds_bucket{shard="0",le="0.0001"} COUNT
svc_shard_queue_wait_seconds_bucket{shard="0",le="0.001"} ALL
svc_shard_queue_wait_seconds_bucket{shard="0",le="+Inf"} ALL
svc_shard_queue_wait_seconds_sum{shard="0"} SUM
svc_shard_queue_wait_seconds_count{shard="0"} ALL
svc_commands_duration_seconds_sum{command="get"} 1
svc_commands_duration_seconds_count{command="get"} 5
svc_keys{shard="0"} 7
`;

function metrics(count: number, all: number, sum: number): ReturnType<typeof phasesIn> {
  const values = { COUNT: count, ALL: all, SUM: sum };
  return phasesIn(METRICS.replaceAll(/COUNT|ALL|SUM/g, (name) => String(values[name as 'ALL'])));
}

reports('phases are differences of the histograms of svc, without what had nothing to do', () => {
  const uses = phaseUses(metrics(10, 100, 0.5), metrics(20, 300, 0.7));
  assert.equal(
    uses.map(({ phase, of, count, p99WithinUs }) => [phase, of, count, p99WithinUs]),
    [['queue', '0', 200, 1_000]],
  );
  const [use] = phaseUses(metrics(10, 100, 0.5), metrics(210, 300, 0.7));
  assert.is(Math.round(use!.meanUs), 1_000);
  assert.is(use!.p99WithinUs, 100);
  const asked = { ...use!, phase: 'execution', of: 'info' };
  const run = { ...runOf(0, 0, loadOf()), phases: [use!, { ...asked, of: 'get' }, asked] };
  const text = textReport(benchDocument(readBenchOptions([]), [run], undefined)).join('\n');
  assert.match(text, /queue, 0 +200 +1000\.0 +100/);
  assert.match(text, /execution, get/);
  assert.not.match(text, /execution, info/);
});

const warnings: readonly (readonly [Partial<LoadResult>, RegExp])[] = [
  [{ threads: [{ cpuPercent: 95, waitPercent: 0, spins: false }] }, /used 95 % of a processor/],
  [{ threads: [{ cpuPercent: 50, waitPercent: 20, spins: false }] }, /waited for a processor 20 %/],
  [{ late: histogram(5_000) }, /one command in a hundred 5\.0 ms late/],
  [{ seconds: 0.5 }, /took 0\.50 s: short/],
  [{ unsent: 1_000 }, /1000 commands \(50\.0 %\) that were due were not sent/],
  [{ connectionsLost: 2, lossReasons: ['reset'] }, /Lost 2 connections: reset/],
  [{ unanswered: 3 }, /3 commands have got no reply/],
  [{ errorCount: 4, errors: { OOM: 4 } }, /4 commands were answered with errors: OOM 4/],
];
for (const [changes, wanted] of warnings) {
  reports(`warns: ${wanted.source}`, () => {
    const options = readBenchOptions([]);
    const { runs } = benchDocument(options, [runOf(0, 0, loadOf(changes))], undefined);
    assert.is(runs[0]!.warnings.length, 1);
    assert.match(runs[0]!.warnings[0]!, wanted);
  });
}

reports('a thread that spins is not called busy, and a good load has no warning', () => {
  for (const spins of [true, false]) {
    const threads = [{ cpuPercent: spins ? 99 : 50, waitPercent: 0, spins }];
    const run = runOf(0, 0, loadOf({ threads }));
    assert.equal(benchDocument(readBenchOptions([]), [run], undefined).runs[0]!.warnings, []);
  }
});

reports('texts of servers and of the command line stay texts', () => {
  const options = readBenchOptions(['--command', `PING ${EVIL.replaceAll(/["']/g, '')}`]);
  const [name] = options.plan.commands.map((command) => command.name);
  const load = loadOf({
    errorCount: 1,
    errors: { [EVIL]: 1 },
    lossReasons: [EVIL],
    connectionsLost: 1,
    byCommand: [{ ...loadOf().byCommand[0]!, name: name! }],
  });
  const run = {
    ...runOf(0, 0, load),
    use: [
      serverUse(reading(BEFORE), {
        ...reading({ ...AFTER, redis_version: EVIL }),
        missing: [EVIL],
      }),
    ],
  };
  const document = benchDocument(options, [run], EVIL);
  const page = htmlReport(document);
  assert.is(page.match(/<script/g)!.length, 3);
  assert.is(page.match(/<\/script>/g)!.length, 3);
  assert.not.match(page, '<script>alert');
  assert.match(page, 'default-src &#39;none&#39;');
  const [, json = ''] = /id="document">(.*?)<\/script>/s.exec(page)!;
  assert.equal(JSON.parse(json), JSON.parse(JSON.stringify(document)));
  const text = textReport(document).join('\n');
  assert.not.match(text, '\x1b');
  assert.match(text, '?[31m');
});

reports('CSV has a row for each second', () => {
  const options = readBenchOptions(['--address', '[::1]:7']);
  const text = csvReport(benchDocument(options, [runOf(0, 0, loadOf())], undefined));
  assert.equal(text.split('\r\n'), [
    'server,round,second,commands,errors,bytes_in,bytes_out,p50_us,p99_us,p99.9_us,max_us',
    '[::1]:7,1,0,1000,0,10,20,500,990,999,1000',
    '',
  ]);
});

reports.run();
