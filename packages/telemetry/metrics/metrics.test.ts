import { LOG_QUANTITIES, QUANTITIES, type Quantity } from '#quantities';
import {
  bucketOf,
  durabilityReport,
  HISTOGRAM_BUCKETS,
  LogFigures,
  Page,
  type PageShape,
  Phase,
} from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Exemplars } from '../traces/exemplars.ts';
import { BUCKET_LABELS, BUCKET_SECONDS, cumulativeCounts } from './buckets.ts';
import type { MetricSource } from './definition.ts';
import { Exposition } from './exposition.ts';
import { metricsJson } from './metrics-json.ts';
import { restOf } from './quantities.ts';
import { metricsReference } from './reference.ts';
import { UserSeries } from './user-series.ts';
import { metrics, redisMetrics } from './table.ts';

const table = suite('metrics');

const exemplars = new Exemplars();
exemplars.add(0, {
  seconds: 0.003,
  exemplar: () => ({
    labelSet: { trace_id: 'ab'.repeat(16), span_id: 'cd'.repeat(8) },
    value: 0.003,
    timestamp: 1_700_000_000.5,
  }),
});

const shape: PageShape = { databases: 2, commands: 3, errorCodes: 30 };

function page(): Page {
  return new Page(shape, new ArrayBuffer(Page.bytes(shape)));
}

const ISSUE = {
  severity: 'warning',
  code: 'SNAPSHOT_OLD',
  message: 'the last snapshot is old',
  since_ms: 0,
  value: null,
  unit: null,
  threshold: null,
  object: null,
  link: null,
} as const;

function source(): MetricSource {
  const main = page();
  const shards = [page(), page()];
  main.set('startedUs', 1_000_000);
  main.set('phase', Phase.ready);
  main.set('commands', 7);
  shards[0]!.setDatabase(0, 3, 1, 0);
  shards[1]!.setDatabase(0, 4, 0, 0);
  shards[0]!.executed(0, 160);
  shards[1]!.executed(0, 16 * 3_000);
  shards[1]!.failed(0);
  shards[0]!.countBand(0);
  shards[1]!.countBand(2);
  shards[0]!.countError(1);
  const logs = [new LogFigures(new ArrayBuffer(LogFigures.bytes))];
  const durability = durabilityReport({ main, shards, logs, mode: 'periodic', nowUs: 3_000_000 });
  return {
    health: { status: 'degraded', issues: [ISSUE], limited_by: [] },
    verdict: {
      threadTimes: new Map([['main', { waitUs: 2_500_000 }]]),
      stalledUs: new Map([['shard-1', 4_000_000]]),
      room: { freeBytes: 1_000, freeShare: 0.25 },
    },
    logs,
    durability,
    main,
    shards,
    shape,
    version: '1.2.3',
    replication: undefined,
    cluster: undefined,
    users: new UserSeries({ main, shards, commandCount: shape.commands }, 2, ['anna']).read(),
    threads: [
      ['main', main],
      ...shards.map((each, nth) => [`shard-${nth}`, each] as const),
      ['front-0', page()],
      ['ops', page()],
    ],
    fronts: [['front-0', page()]],
    commandNames: ['get', 'client|list', 'never'],
    nowUs: 3_000_000,
    wallMs: 1_700_000_000_000,
    settings: {
      maxClients: 100,
      memoryLimitBytes: 1_024,
      evicts: false,
      tracksLatency: true,
      prefixes: [],
      slowLogLengthMax: 128,
      bands: { isEnabled: true, thresholdsMs: [1, 5] },
    },
    queues: [
      { frames: 2, bytes: 128 },
      { frames: 0, bytes: 0 },
    ],
    slowLogUpcoming: 0,
    instance: { role: 'master', redis_version: '7.4.0', process_id: '7' },
    process: { rssBytes: 4_096, userUs: 2_000_000, systemUs: 500_000 },
    ops: {
      connections: 1,
      connectionsRefused: 2,
      scrapeSeconds: 0.003,
      logLinesDropped: 0,
      answered: { '2xx': 5 },
      traces: {
        recent: 1,
        queued: 2,
        exportedSpans: 30,
        failedTraces: 4,
        queueDropped: 5,
        collector: 'working',
      },
      metricPushes: { exported: 6, failed: 7 },
    },
    exemplarsOf: (command) => (command === 0 ? exemplars.of(0) : undefined),
  };
}

const render = (format: 'text' | 'openmetrics'): Promise<string> =>
  new Exposition([...metrics, ...redisMetrics], format, source).render();

table('have names as Prometheus wants them, each once, with a sentence', () => {
  const all = [...metrics, ...redisMetrics];
  assert.is(new Set(all.map(({ name }) => name)).size, all.length);
  for (const { name, kind, unit, help } of metrics) {
    assert.match(name, /^svc_[a-z][a-z0-9_]*$/);
    const isOdd = name === 'svc_latency_band_requests_total';
    if (!isOdd) assert.is(name.endsWith('_total'), kind === 'counter', name);
    const base = name.replace(/_total$/, '');
    if (unit !== '') assert.ok(base.endsWith(`_${unit}`), `${name} ends in its unit`);
    assert.match(help, /^[A-Z0-9].*\.$/);
  }
  assert.ok(
    redisMetrics.length >= 25 && redisMetrics.every(({ name }) => name.startsWith('redis_')),
  );
});

table('are there for every row of the table of quantities that names one, under both names', () => {
  const has = new Set([...metrics, ...redisMetrics].map(({ name }) => name));
  const rows: readonly Pick<Quantity, 'kind' | 'metric' | 'exporter'>[] = [
    ...QUANTITIES,
    ...Object.values(LOG_QUANTITIES).flat(),
  ];
  const wanted = rows.flatMap(({ metric, exporter }) => [metric, exporter]);
  assert.ok(wanted.length > 80);
  assert.equal(
    wanted.filter((name) => name !== undefined && !has.has(name)),
    [],
  );
});

table('are there for rows of a list that no family names', async () => {
  const rows = QUANTITIES.filter(({ counter }) => counter === 'hits' || counter === 'turns').map(
    (row) => ({ ...row, metric: `svc_new_${row.counter}_total`, help: 'A new one.' }),
  );
  const rest = restOf(metrics, [...rows, ...QUANTITIES]);
  assert.equal(
    rest.map(({ name }) => name),
    ['svc_new_hits_total', 'svc_new_turns_total'],
  );
  const text = await new Exposition(rest, 'text', source).render();
  assert.match(text, /svc_new_hits_total 0/);
  assert.match(text, /svc_new_turns_total\{thread="shard-1"\} 0/);
});

table('are written with values read at that moment', async () => {
  const text = await render('text');
  for (const line of [
    'svc_build_info{version="1.2.3",node_version="' + process.version + '"} 1',
    'svc_uptime_seconds 2',
    'svc_start_time_seconds 1699999998',
    'svc_phase 1',
    'svc_commands_processed_total 7',
    'svc_commands_total{command="get"} 2',
    'svc_commands_failed_total{command="get"} 1',
    'svc_commands_duration_seconds_bucket{command="get",le="0.00001"} 1',
    'svc_commands_duration_seconds_bucket{command="get",le="0.0025"} 1',
    'svc_commands_duration_seconds_bucket{command="get",le="0.005"} 2',
    'svc_commands_duration_seconds_bucket{command="get",le="+Inf"} 2',
    'svc_commands_duration_seconds_count{command="get"} 2',
    'svc_latency_band_requests_total{le="<=1ms"} 1',
    'svc_latency_band_requests_total{le="<=5ms"} 1',
    'svc_latency_band_requests_total{le=">5ms"} 1',
    'svc_errors_total{code="WRONGTYPE"} 1',
    'svc_connections_max 100',
    'svc_health{code="SNAPSHOT_OLD"} 1',
    'svc_health{code="MAIN_STUCK"} 0',
    'svc_limited_by{cause="disk"} 0',
    'svc_thread_run_queue_seconds_total{thread="main"} 2.5',
    'svc_thread_stalled_seconds_total{thread="shard-1"} 4',
    'svc_thread_stalled_seconds_total{thread="main"} 0',
    'svc_data_disk_free_ratio 0.25',
    'svc_memory_evicts 0',
    'svc_memory_maxmemory_bytes 1024',
    'svc_shard_keys{shard="1"} 4',
    'svc_shard_queue_depth{shard="0"} 2',
    'svc_keyspace_keys{db="0"} 7',
    'svc_keyspace_expiring_keys{db="0"} 1',
    'svc_process_cpu_seconds_total{mode="user"} 2',
    'svc_http_requests_total{status="2xx"} 5',
    'redis_commands_total{cmd="get"} 2',
    'redis_db_keys{db="db0"} 7',
    '# TYPE svc_latency_band_requests_total gauge',
    '# TYPE svc_commands_duration_seconds histogram',
  ]) {
    assert.ok(text.includes(`\n${line}\n`), line);
  }
  assert.not.match(text, /command="never"|command="client\|list"/);
  const sum = /svc_commands_duration_seconds_sum\{command="get"\} (\S+)/.exec(text)?.[1];
  assert.ok(Math.abs(Number(sum) - 0.00301) < 1e-9, sum);
});

table('follow OpenMetrics where that is asked for', async () => {
  const text = await render('openmetrics');
  assert.ok(text.endsWith('\n# EOF\n'));
  assert.match(text, /\n# TYPE svc_commands counter\nsvc_commands_total\{command="get"\} 2\n/);
  assert.match(text, /\n# TYPE svc_latency_band_requests_total gauge\n/);
});

table('read everything anew at each scrape', async () => {
  const first = source();
  const exposition = new Exposition(metrics, 'text', () => first);
  assert.match(await exposition.render(), /svc_commands_processed_total 7\n/);
  first.main.add('commands', 1);
  first.shards[0]!.executed(2, 16);
  const again = await exposition.render();
  assert.match(again, /svc_commands_processed_total 8\n/);
  assert.match(again, /svc_commands_total\{command="never"\} 1\n/);
});

table('are absent where nothing is measured', async () => {
  const off = source();
  const settings = {
    ...off.settings,
    tracksLatency: false,
    bands: { isEnabled: false, thresholdsMs: [1] },
  };
  const text = await new Exposition(metrics, 'text', () => ({ ...off, settings })).render();
  assert.not.match(text, /\nsvc_commands_duration_seconds_|\nsvc_latency_band_requests_total\{/);
});

table('are the same as JSON', () => {
  const json = metricsJson(metrics, source());
  const of = (name: string) => json.find((each) => each.name === name);
  assert.equal(of('svc_commands_total')?.samples, [{ labels: { command: 'get' }, value: 2 }]);
  const [sample] = of('svc_commands_duration_seconds')?.samples ?? [];
  assert.is(sample?.count, 2);
  assert.equal(sample?.buckets?.[0], { le: '0.00001', count: 1 });
  assert.equal(
    sample?.buckets?.map(({ le }) => le),
    BUCKET_LABELS,
  );
  assert.is(json.length, metrics.length);
});

table('have buckets that hold what is at most as long as they say', () => {
  const counts = new Float64Array(HISTOGRAM_BUCKETS);
  const ticksOf = (seconds: number): number => seconds * 16e6;
  for (const seconds of BUCKET_SECONDS) counts[bucketOf(ticksOf(seconds))]! += 1;
  counts[bucketOf(ticksOf(60))]! += 1;
  const cumulative = cumulativeCounts(counts);
  assert.equal(
    cumulative,
    BUCKET_LABELS.map((_, index) => index + 1),
  );
});

table('are all in the reference', () => {
  const page = metricsReference();
  for (const { name } of [...metrics, ...redisMetrics])
    assert.ok(page.includes(`\`${name}\``), name);
});

table.run();
