/** Pauses of each thread: measured in every thread, and the same on every surface. */
// test-tier: long
import { type ChildServer, request, type RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleIn } from '../observability/metrics-text.ts';

const pauses = suite('pauses of threads');

const SHARDS = 2;
const THREADS = ['main', 'shard-0', 'shard-1', 'ops'];
const KINDS = ['minor', 'major', 'incremental', 'weakcb'];

let server: ChildServer;
let client: RespClient;

pauses.before(async () => {
  server = await startServer({ shards: SHARDS, http: true });
  client = await server.client();
});
pauses.after(async () => {
  await server.stop();
});

interface ApiPauses {
  readonly thread: string;
  readonly collections: number;
  readonly collection_max_us: number;
  readonly loop_delay_max_us: number;
}

/** A field of a thread's line in INFO. */
async function info(): Promise<(thread: string, field: string) => number> {
  const text = textOf(await client.call('INFO', 'cpu'));
  return (thread, field) => {
    const line =
      new RegExp(`^thread_${thread.replace('-', '')}:(.*)\r$`, 'm').exec(text)?.[1] ?? '';
    return Number(new RegExp(`(?:^|,)${field}=([\\d.]+)`).exec(line)?.[1]);
  };
}

async function metrics(): Promise<(sample: string) => number> {
  const { text } = await request(server.httpPort, '/metrics');
  return (sample) => sampleIn(text, sample);
}

async function api(): Promise<(thread: string) => ApiPauses> {
  const answer = await request(server.httpPort, '/debug/api/threads');
  const { threads } = answer.json() as { threads: readonly ApiPauses[] };
  return (thread) => threads.find((each) => each.thread === thread)!;
}

pauses('every thread tells of its heap and of garbage collections', async () => {
  // Shards make garbage of keys, main of lists, the ops thread of answers.
  await until(async () => {
    await client.call('DEBUG', 'POPULATE', 20_000, 'key', 100);
    await client.call('FLUSHALL');
    await client.call('COMMAND', 'DOCS');
    const text = await metrics();
    return THREADS.every(
      (thread) => text(`svc_thread_gc_pauses_total{thread="${thread}",kind="minor"}`) > 0,
    );
  }, 'each thread has collected garbage');
  const text = await metrics();
  for (const thread of THREADS) {
    assert.ok(text(`svc_thread_gc_pause_seconds_total{thread="${thread}",kind="minor"}`) > 0);
    assert.ok(text(`svc_thread_gc_pause_max_seconds{thread="${thread}"}`) > 0);
    assert.ok(text(`svc_thread_heap_used_bytes{thread="${thread}"}`) > 0, thread);
    assert.ok(text(`svc_thread_busy_seconds_total{thread="${thread}"}`) > 0, thread);
    assert.ok(text(`svc_thread_event_loop_delay_seconds_count{thread="${thread}"}`) > 0, thread);
  }
});

pauses('the numbers of all surfaces are the same', async () => {
  const before = await info();
  const [text, reports] = [await metrics(), await api()];
  const after = await info();
  const within = (value: number, low: number, high: number, what: string): void => {
    assert.ok(low <= value && value <= high, `${what}: ${low} <= ${value} <= ${high}`);
  };
  for (const thread of THREADS) {
    let low = 0;
    let high = 0;
    for (const kind of KINDS) {
      const [from, to] = [before(thread, `gc_${kind}`), after(thread, `gc_${kind}`)];
      const value = text(`svc_thread_gc_pauses_total{thread="${thread}",kind="${kind}"}`);
      within(value, from, to, `${kind} of ${thread}`);
      low += from;
      high += to;
    }
    within(reports(thread).collections, low, high, `collections of ${thread}`);
    // INFO rounds to microseconds, the API to hundredths of them.
    const maxima = [before(thread, 'gc_max_us') - 0.51, after(thread, 'gc_max_us') + 0.51] as const;
    within(reports(thread).collection_max_us, ...maxima, `longest of ${thread}`);
    const longest = text(`svc_thread_gc_pause_max_seconds{thread="${thread}"}`);
    within(longest * 1e6, ...maxima, `longest of ${thread}`);
  }
});

pauses('a shard that is held up has a long round, and LATENCY DOCTOR names it', async () => {
  await client.call('DEBUG', 'SLEEP', '0.2');
  const [fields, reports] = [await info(), await api()];
  const text = await metrics();
  for (const shard of ['shard-0', 'shard-1']) {
    const { loop_delay_max_us: us } = reports(shard);
    assert.ok(us >= 200_000, `${shard} has a round of ${us} us`);
    assert.is(fields(shard, 'loop_max_us').toFixed(2), us.toFixed(2));
    const all = text(`svc_thread_event_loop_delay_seconds_count{thread="${shard}"}`);
    const quick = text(`svc_thread_event_loop_delay_seconds_bucket{thread="${shard}",le="0.1"}`);
    assert.ok(quick < all, `${quick} of ${all} rounds took at most 0.1 s`);
  }
  const doctor = textOf(await client.call('LATENCY', 'DOCTOR'));
  assert.match(doctor, /Main thread: event loop late by up to .*garbage collection/);
  assert.match(doctor, /shard 1: rounds of up to \d+ ms .*garbage collection/);
});

pauses('scatter-gather is timed from the sending to the last part', async () => {
  await client.call('CONFIG', 'RESETSTAT');
  for (let nth = 0; nth < 5; nth += 1) await client.call('DBSIZE');
  await client.call('DEBUG', 'SLEEP', '0.1');
  const text = await metrics();
  assert.is(text('svc_scatter_gather_duration_seconds_count'), 6);
  assert.is(text('svc_scatter_gather_commands_total'), 6);
  assert.is(text('svc_scatter_gather_shards_total'), 6 * SHARDS);
  assert.is(
    text('svc_scatter_gather_duration_seconds_bucket{le="+Inf"}') -
      text('svc_scatter_gather_duration_seconds_bucket{le="0.05"}'),
    1,
    'one of them slept',
  );
  const stats = textOf(await client.call('INFO', 'stats'));
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:(.*)\r$`, 'm').exec(stats)?.[1]);
  assert.is(field('scatter_gather_commands'), 6);
  assert.is(field('scatter_gather_shards'), 6 * SHARDS);
  assert.is(
    field('scatter_gather_usec'),
    Math.round(text('svc_scatter_gather_duration_seconds_sum') * 1e6),
  );
  assert.ok(field('scatter_gather_p99_usec') >= 100_000);
});

pauses('CONFIG RESETSTAT sets the counts of all threads back', async () => {
  const before = await info();
  assert.ok(before('ops', 'gc_minor') > 0 || before('ops', 'loop_max_us') > 0);
  await client.call('DEBUG', 'SLEEP', '0.3');
  await client.call('CONFIG', 'RESETSTAT');
  const after = await info();
  for (const thread of ['shard-0', 'shard-1']) {
    assert.ok(after(thread, 'loop_max_us') < 300_000, thread);
  }
  assert.ok(after('ops', 'gc_us') <= before('ops', 'gc_us'));
});

pauses.run();
