/** The status document from pages alone: what is stuck, what is idle, and clocks that jump. */
import type { ExecutingReport } from '#api-types';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Page, Phase, type PageShape } from '../page/page.ts';
import { collectStatus, NO_PERSISTENCE, type StatusSource } from './status.ts';
import { NO_VERDICT } from '../issues/report.ts';
import { ThreadRates } from '../threads/thread-rates.ts';
import { ThreadWork } from '../threads/thread-work.ts';

const status = suite('status document');

const shape: PageShape = { databases: 2, commands: 3, errorCodes: 1 };
const newPage = (): Page => new Page(shape, new ArrayBuffer(Page.bytes(shape)));

const running = (elapsedUs: number): ExecutingReport => ({
  command: 'lcs',
  script: null,
  key: 'k',
  client_id: 7,
  elapsed_us: elapsedUs,
});

interface Scene {
  executing?: ExecutingReport;
  nowUs?: number;
  wallMs?: number;
}

function scene({ executing, nowUs = 10_000_000, wallMs = 1_700_000_000_000 }: Scene = {}) {
  const main = newPage();
  const shard = newPage();
  main.set('phase', Phase.ready);
  main.set('startedUs', 1_000_000);
  shard.set('startedUs', 1_000_000);
  shard.set('heartbeatUs', nowUs);
  const source: StatusSource = {
    version: '1',
    processId: 2,
    nowUs,
    wallMs,
    rssBytes: 3_000,
    machine: {
      processors: 2,
      memoryBytes: 4_000,
      processorLimit: 2.5,
      memoryLimitBytes: undefined,
    },
    mode: 'standalone',
    main,
    fronts: [],
    mainRates: new ThreadRates(main),
    shape,
    shards: [
      {
        page: shard,
        rates: new ThreadRates(shard),
        queue: { frames: 4, bytes: 256 },
        executing: executing ?? null,
      },
    ],
    commandNames: ['get', 'set', 'del'],
    windows: () => ({ now: null, '1m': null, '5m': null, '1h': null }),
    maxClients: 10,
    memoryLimitBytes: 0,
    evicts: false,
    isTiered: false,
    refusesUnsaved: false,
    persistence: NO_PERSISTENCE,
    limits: {
      memoryWarningPercent: 90,
      connectionWarningPercent: 90,
      durabilityLagWarningMs: 1,
      durabilityLagCriticalMs: 2,
      replicationLagWarningMs: 2,
      queueWarningMs: 0,
      executionWarningMs: 0,
      diskFreeWarningPercent: 0,
      certificateWarningDays: 0,
    },
    snapshotIntervalMs: 0,
    verdict: NO_VERDICT,
  };
  return { main, shard, source };
}

const sections = [
  ...[
    'frogdb',
    'machine',
    'cluster',
    'health',
    'clients',
    'memory',
    'persistence',
    'replication',
    'tiered',
    'shards',
  ],
  ...['keyspace', 'commands'],
];

status('has its sections in order', () => {
  assert.equal(Object.keys(collectStatus(scene().source)), sections);
});

status('names the limits of the container', () => {
  assert.equal(collectStatus(scene().source).machine, {
    processors: 2,
    memory_bytes: 4_000,
    processor_limit: 2.5,
    memory_limit_bytes: null,
  });
});

status('takes one long command for a stuck shard, and says so', () => {
  for (const [us, state] of [
    [999_999, 'running'],
    [1_000_000, 'stuck'],
  ] as const) {
    const { shards, health } = collectStatus(scene({ executing: running(us) }).source);
    assert.is(shards[0]?.state, state);
    assert.equal(shards[0]?.executing, running(us));
    assert.is(health.status, state === 'stuck' ? 'unhealthy' : 'healthy');
  }
  const { health } = collectStatus(scene({ executing: running(2_340_000) }).source);
  assert.is(health.issues[0]?.message, 'shard 0 has been running lcs for 2.3 s');
});

status('takes silence for being stuck only when the shard does not sleep', () => {
  const { shard, source } = scene();
  shard.set('heartbeatUs', source.nowUs - 1_500_000);
  const silent = collectStatus(source);
  assert.is(silent.shards[0]?.state, 'stuck');
  assert.is(silent.health.issues[0]?.message, 'shard 0 has not responded for 1.5 s');
  const work = new ThreadWork(shard, source.nowUs - 1_500_000);
  work.sleep(source.nowUs - 1_400_000);
  assert.is(collectStatus(source).shards[0]?.state, 'running');
  work.wake(source.nowUs);
  assert.is(collectStatus(source).shards[0]?.state, 'running', 'it has only now begun to work');
});

status('tells a main that stands still, in what, and never one that is idle', () => {
  const { main, source } = scene();
  const issues = (): unknown =>
    collectStatus(source).health.issues.map(({ severity, code, message }) => [
      ...[severity, code, message],
    ]);
  assert.equal(issues(), [], 'it has not begun');
  main.set('heartbeatUs', source.nowUs - 999_999);
  assert.equal(issues(), []);
  main.set('heartbeatUs', source.nowUs - 2_040_000);
  const stuck = (doing: string) => [['critical', 'MAIN_STUCK', `main has ${doing} 2.0 s`]];
  assert.equal(issues(), stuck('not responded for'));
  main.set('workClient', 7);
  assert.equal(issues(), stuck('been reading the input of client 7 for'));
  main.set('workCommand', 2);
  assert.equal(issues(), stuck('been running set of client 7 for'));
  main.set('executing', 3);
  assert.equal(issues(), stuck('been running del of client 7 for'));
  assert.is(collectStatus(source).health.status, 'unhealthy');
  main.set('idleSinceUs', source.nowUs - 2_100_000);
  assert.equal(issues(), [], 'it sleeps: without a processor it wakes late');
});

status('counts its uptime by the monotonic clock, whatever the wall clock does', () => {
  for (const wallMs of [0, 4_000_000_000_000]) {
    const { frogdb } = collectStatus(scene({ wallMs }).source);
    assert.is(frogdb['uptime_secs'], 9);
    assert.is(frogdb['timestamp'], wallMs / 1_000);
    assert.is(frogdb['timestamp_iso'], new Date(wallMs).toISOString());
  }
});

status('adds up what the pages say', () => {
  const { main, shard, source } = scene();
  shard.setDatabase(0, 5, 2, 0);
  shard.setDatabase(1, 3, 1, 0);
  shard.set('usedBytes', 1_500);
  main.set('peakBytes', 1_200);
  shard.add('errors', 2);
  main.add('errors', 1);
  for (let nth = 0; nth < 3; nth += 1) shard.executed(1, 160);
  shard.executed(0, 16);
  main.executed(2, 16);
  const { keyspace, memory, commands, shards } = collectStatus(source);
  assert.is(keyspace['total_keys'], 8);
  assert.is(keyspace['expires'], 3);
  assert.equal(memory, {
    used_bytes: 1_500,
    peak_bytes: 1_500,
    limit_bytes: 0,
    rss_bytes: 3_000,
    fragmentation_ratio: 2,
  });
  assert.is(commands.errors_total, 3);
  assert.equal(
    commands.top.map(({ command, calls }) => `${command} ${calls}`),
    ['set 3', 'get 1', 'del 1'],
  );
  assert.ok(Math.abs(commands.top[0]!.p50_us - 10) < 0.1);
  assert.is(shards[0]?.queue_depth, 4);
  assert.is(shards[0]?.queue_bytes, 256);
});

status('is not ready before the start is through, nor while it stops', () => {
  for (const phase of [Phase.starting, Phase.stopping]) {
    const { main, source } = scene();
    main.set('phase', phase);
    const { health, cluster } = collectStatus(source);
    assert.is(health.issues[0]?.code, 'NOT_READY');
    assert.is(cluster['database_available'], false);
  }
});

status('busy is what is left of the time when waits are taken out', () => {
  const page = newPage();
  const rates = new ThreadRates(page);
  rates.sample(1_000_000);
  assert.is(rates.busyPercent, 0, 'a thread that has not begun is not busy');
  const work = new ThreadWork(page, 1_000_000);
  work.sleep(1_100_000);
  work.wake(1_700_000);
  rates.sample(2_000_000);
  assert.is(Math.round(rates.busyPercent), 40);
  work.sleep(2_000_000);
  rates.sample(3_000_000);
  assert.is(Math.round(rates.busyPercent), 20, 'a wait under way counts as far as it has come');
});

status.run();
