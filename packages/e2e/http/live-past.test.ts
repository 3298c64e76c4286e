/** The live document of a server that no page has asked before: its samples begin before the first request. */
import type { HistoryDocument, LiveDocument } from '#api-types';
import { type ChildServer, keyPerShard, request, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const past = suite('live samples from before the first request');

/** Seconds with commands before the first request. */
const SECONDS = 3;

let server: ChildServer;
/** Unix milliseconds before the first request for live samples. */
let firstMs: number;

past.before(async () => {
  server = await startServer({ http: true, shards: 2 });
  const client = await server.client();
  const isBusyLongEnough = async (): Promise<boolean> => {
    for (const key of keyPerShard(2)) await client.call('GET', key);
    const path = '/debug/api/history?series=executed_commands&thread=each';
    const { series } = (await request(server.httpPort, path)).json() as HistoryDocument;
    return (
      series.length === 2 &&
      series.every(({ values }) => values.filter((value) => (value ?? 0) > 0).length >= SECONDS)
    );
  };
  await until(isBusyLongEnough, 'the history has busy seconds of both shards');
  firstMs = Date.now();
});
past.after(async () => {
  await server.stop();
});

async function live(query = ''): Promise<LiveDocument> {
  return (await request(server.httpPort, `/debug/api/live${query}`)).json() as LiveDocument;
}

/** Number of values that are there and not zero. */
function busy(values: readonly (number | null)[] | null | undefined): number {
  return (values ?? []).filter((value) => value !== null && value !== 0).length;
}

past('are in the first document, for all charts', async () => {
  const { samples } = await live();
  const count = samples.after_ms.length;
  assert.ok(count >= SECONDS, `${count} samples`);
  assert.is(samples.first_seq, 1);
  const endMs = samples.after_ms.reduce((time, after) => time + after, samples.first_time_ms!);
  assert.ok(samples.first_time_ms! < firstMs && endMs <= Date.now(), `${endMs} ${firstMs}`);
  const { totals, times, shards } = samples;
  for (const name of ['ops', 'misses', 'bytes_in', 'bytes_out', 'clients', 'rss_bytes'] as const) {
    assert.ok(busy(totals?.[name]) >= SECONDS, `${name} ${String(totals?.[name])}`);
  }
  const execute = times?.execute as { p99_us: readonly number[] };
  assert.ok(busy(execute.p99_us) >= SECONDS, String(execute.p99_us));
  for (const values of shards!.ops!) assert.ok(busy(values) >= SECONDS, String(values));
  const all = [totals!.ops, totals!.main_busy_percent, execute.p99_us, ...shards!.ops!];
  assert.equal(
    all.map((values) => values?.length),
    all.map(() => count),
    'each list has a value for each sample',
  );
});

past('are followed by new ones, with the next numbers', async () => {
  const known = (await live()).samples.after_ms.length;
  const isLonger = async (): Promise<boolean> => (await live()).samples.after_ms.length > known + 1;
  await until(isLonger, 'new samples');
  const { samples } = await live(`?since=${known}`);
  assert.is(samples.first_seq, known + 1);
  assert.ok(samples.first_time_ms! > firstMs);
});

past('have the times of one shard', async () => {
  const { samples } = await live('?with=times&shard=1');
  const execute = samples.times?.execute as { p99_us: readonly number[] };
  assert.ok(busy(execute.p99_us) >= SECONDS, String(execute.p99_us));
  assert.is(samples.totals, null);
});

past('are none without a history', async () => {
  const other = await startServer({ http: true, args: ['--set', 'history.enabled=false'] });
  try {
    const answer = await request(other.httpPort, '/debug/api/live');
    assert.equal((answer.json() as LiveDocument).samples.after_ms, []);
  } finally {
    await other.stop();
  }
});

past.run();
