import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LiveColumns, LiveSample, ThreadReport, ThreadsDocument } from './api.ts';
import { bandRows, heatOf } from './bands.ts';
import { columnsOf, History, lonely, samplesOf, summaryOf } from './history.ts';
import { skewInWords, skewOf } from './skew.ts';
import { filtered, nextOrder, sorted } from './sorting.ts';
import { threadRows } from './threads.ts';
import { waterfallOf } from './waterfall.ts';

const models = suite('what the debug pages work out');

const sample = (seq: number, timeMs = seq * 1_000): LiveSample =>
  ({ seq, time_ms: timeMs, totals: { ops: seq } }) as unknown as LiveSample;

const columns = (...seqs: number[]): LiveColumns => ({
  first_seq: seqs[0] ?? null,
  first_time_ms: seqs[0] === undefined ? null : seqs[0] * 1_000,
  after_ms: seqs.map((_, index) => (index === 0 ? 0 : 1_000)),
  totals: null,
  times: null,
  shards: null,
  replication: null,
});

models('samples are made of what came as a list for each figure', () => {
  const [first, second] = samplesOf({
    first_seq: 7,
    first_time_ms: 1_000,
    after_ms: [0, 1_000],
    totals: { ops: [5, 6], clients: [1, 2] } as unknown as LiveColumns['totals'],
    times: {
      execute: { p50_us: [null, 2], p99_us: [null, 3], p999_us: [null, 4], max_us: [null, 5] },
      queue: null,
    },
    shards: {
      ops: [[1, 2]],
      busy_percent: [[3, 4]],
      execute_p99_us: [[null, 9]],
      queue_p99_us: [null],
    },
    replication: {
      replica_lag_us: [null, 250],
      primary_lag_us: null,
      replica_lag_bytes: [null, 14],
      stream_bytes: [1, 2],
      bytes_in: [3, 4],
      bytes_out: [5, 6],
    },
  });
  assert.equal(first, {
    seq: 7,
    time_ms: 1_000,
    totals: { ops: 5, clients: 1 },
    times: null,
    shards: { ops: [1], busy_percent: [3], execute_p99_us: [null], queue_p99_us: [null] },
    replication: {
      replica_lag_us: null,
      primary_lag_us: null,
      replica_lag_bytes: null,
      stream_bytes: 1,
      bytes_in: 3,
      bytes_out: 5,
    },
  });
  assert.equal(second, {
    seq: 8,
    time_ms: 2_000,
    totals: { ops: 6, clients: 2 },
    times: { execute: { p50_us: 2, p99_us: 3, p999_us: 4, max_us: 5 }, queue: null },
    shards: { ops: [2], busy_percent: [4], execute_p99_us: [9], queue_p99_us: [null] },
    replication: {
      replica_lag_us: 250,
      primary_lag_us: null,
      replica_lag_bytes: 14,
      stream_bytes: 2,
      bytes_in: 4,
      bytes_out: 6,
    },
  });
});

models('history goes on where it was, without taking anything twice', () => {
  const history = new History();
  assert.is(history.since, 0);
  history.add('one', columns(1, 2));
  history.add('one', columns(2, 3));
  assert.equal(
    history.samples.map(({ seq }) => seq),
    [1, 2, 3],
  );
  assert.is(history.since, 3);
});

models('history begins anew with another process', () => {
  const history = new History();
  history.add('one', columns(7));
  history.add('two', columns(1));
  assert.equal(
    history.samples.map(({ seq }) => seq),
    [1],
  );
});

models('history keeps five minutes', () => {
  const history = new History();
  history.add('one', columns(...Array.from({ length: 400 }, (_, index) => index + 1)));
  assert.is(history.samples.length, 300);
  assert.is(history.latest?.seq, 400);
});

models('a gap breaks the lines', () => {
  const drawn = columnsOf([sample(1), sample(2), sample(3, 60_000)], [({ totals }) => totals?.ops]);
  assert.equal(drawn, [
    [1, 2, 3, 60],
    [1, 2, null, 3],
  ]);
});

models('a chart is said in words', () => {
  assert.equal(summaryOf([2, null, 4]), { least: 2, mean: 3, greatest: 4, last: 4 });
  assert.is(summaryOf([null]), null);
});

models('a band is as hot as its share, and as the requests in it are many', () => {
  assert.equal(bandRows({ thresholds_ms: [1, 5], shards: [[2, 1, 0]] }), [
    { shard: 0, counts: [2, 1, 0], total: 3 },
  ]);
  // A third of three requests is one slow request.
  assert.is(heatOf(1, 1, 3), 1);
  assert.is(heatOf(1, 50, 150), 2);
  assert.is(heatOf(1, 500, 1_500), 3);
  assert.is(heatOf(1, 500, 1_000_000), 1);
  assert.is(heatOf(1, 0, 10), 0);
  assert.is(heatOf(0, 10, 10), 0);
});

models('skew names the shard with the most', () => {
  assert.equal(skewOf([1, 4, 1]), { mean: 2, greatest: 4, index: 1, ratio: 2 });
  assert.is(skewOf([0, 0]), null);
  assert.is(skewOf([5]), null);
});

models('a skew is no news where there is next to nothing', () => {
  assert.is(skewInWords(skewOf([0.2, 0])!, 5), 'too little to compare');
  assert.is(skewInWords(skewOf([20, 0])!, 5), 'shard 0 has 2.0× the mean');
  assert.is(skewInWords(skewOf([20, 20])!, 5), 'even');
});

models('values that no line leads through are found', () => {
  assert.equal(lonely([1, null, 2, 3, null, null, 4]), [0, 6]);
  assert.equal(lonely([]), []);
});

models('sorts numbers and names, what is missing last', () => {
  const rows = [{ a: 10 }, { a: null }, { a: 9 }, { a: 10 }];
  assert.equal(
    sorted(rows, ({ a }) => a, true).map(({ a }) => a),
    [10, 10, 9, null],
  );
  assert.equal(
    sorted(['shard-10', 'shard-9'], (name) => name, false),
    ['shard-9', 'shard-10'],
  );
});

models('a head chosen again turns the order', () => {
  const first = nextOrder(undefined, 'ops', true);
  assert.equal(first, { column: 'ops', isDescending: true });
  assert.equal(nextOrder(first, 'ops', true), { column: 'ops', isDescending: false });
  assert.equal(nextOrder(first, 'name', false), { column: 'name', isDescending: false });
});

models('a filter wants all of its words', () => {
  const rows = ['alpha beta', 'beta'];
  assert.equal(
    filtered(rows, ' BETA alp', (row) => row),
    ['alpha beta'],
  );
  assert.is(
    filtered(rows, ' ', (row) => row),
    rows,
  );
});

models('a waterfall has parents before children, and survives a circle', () => {
  const span = (id: string, parent: string | null, start: number, duration: number) => ({
    span_id: id,
    parent_id: parent,
    name: id,
    start_time_ms: start,
    duration_us: duration * 1_000,
    attributes: {},
  });
  const rows = waterfallOf({
    trace_id: 't',
    spans: [
      span('c', 'a', 50, 50),
      span('a', null, 0, 100),
      span('b', 'a', 10, 0),
      span('x', 'x', 0, 1),
    ],
  });
  assert.equal(
    rows.map(({ span: { name }, depth, left, width }) => [name, depth, left, width]),
    [
      ['a', 0, 0, 100],
      ['b', 1, 10, 0.4],
      ['c', 1, 50, 50],
    ],
  );
  assert.equal(waterfallOf({ trace_id: 't', spans: [] }), []);
});

models('shares of a thread are of the time between two readings', () => {
  const reading = (timeMs: number, busyUs: number): ThreadsDocument => ({
    time_ms: timeMs,
    threads: [{ thread: 'main', busy_us: busyUs, cpu_us: 0 } as ThreadReport],
  });
  const [row] = threadRows(reading(5_000, 1_100_000), reading(1_000, 100_000));
  assert.is(row!.busyPercent, 25);
  assert.is(row!.cpuPercent, 0);
  assert.is(threadRows(reading(5_000, 1), null)[0]!.busyPercent, null);
});

models.run();
