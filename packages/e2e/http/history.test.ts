/** The history over HTTP: since the start, over restarts and a kill, while main is stuck, and its settings. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { HistoryDocument, HistorySeriesDocument } from '#api-types';
import { type ChildServer, request, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const history = suite('history over HTTP');

let folder: string;
history.before(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'svc-history-'));
});
history.after(() => {
  fs.rmSync(folder, { recursive: true });
});

const PATH = '/debug/api/history';

async function historyOf(server: ChildServer, query: string): Promise<HistoryDocument> {
  const answer = await request(server.httpPort, `${PATH}?${query}`);
  assert.is(answer.status, 200, answer.text);
  return answer.json() as HistoryDocument;
}

async function about(server: ChildServer): Promise<HistorySeriesDocument> {
  return (
    await request(server.httpPort, '/debug/api/history/series')
  ).json() as HistorySeriesDocument;
}

/** Values of one series that are known. */
function known(document: HistoryDocument, name: string, thread: string | null = null): number[] {
  const found = document.series.find((one) => one.name === name && one.thread === thread);
  assert.ok(found, name);
  return found.values.filter((value) => value !== null);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

history('is there since the start, for all threads, each thread and commands', async () => {
  const server = await startServer({ http: true, shards: 2 });
  const client = await server.client();
  const sampled = async (): Promise<boolean> =>
    known(await historyOf(server, 'series=ops'), 'ops').length > 0;
  await until(sampled, 'the first sample, which is shorter than a second');
  await client.pipeline(Array.from({ length: 500 }, (_, nth) => ['SET', `key:${nth}`, 'value']));
  const counted = async (): Promise<boolean> =>
    sum(known(await historyOf(server, 'series=calls&command=set'), 'calls')) > 0;
  await until(counted, 'the history has the commands');
  const calls = known(await historyOf(server, 'series=calls&command=set&step=1'), 'calls');
  // They are in one sample, of half a second to one and a half.
  assert.ok(sum(calls) >= 330 && sum(calls) <= 1_000, String(calls));
  await client.reply('INCR', 'key:1');
  await client.reply('LPUSH', 'key:1', 'x');
  const replied = async (): Promise<boolean> =>
    sum(known(await historyOf(server, 'error=WRONGTYPE'), 'replies')) > 0;
  await until(replied, 'the history has the error reply');
  assert.equal((await about(server)).errors, ['ERR', 'WRONGTYPE']);
  const all = await historyOf(server, 'series=ops,keys,execute_p99_us,commands,rss_bytes,health');
  assert.is(Math.max(...known(all, 'keys')), 500);
  assert.ok(Math.max(...known(all, 'execute_p99_us')) > 0);
  assert.ok(Math.max(...known(all, 'rss_bytes')) > 10_000_000);
  const each = await historyOf(server, 'series=keys,loop_p99_us&thread=each');
  const keys = ['shard-0', 'shard-1'].map((thread) => Math.max(...known(each, 'keys', thread)));
  assert.is(sum(keys), 500);
  for (const thread of ['main', 'shard-0', 'shard-1', 'ops']) known(each, 'loop_p99_us', thread);
  const standard = await historyOf(server, '');
  assert.is(standard.step_seconds, 1);
  assert.equal(standard.sample_seconds, [1]);
  assert.is(standard.from_time_ms % 1_000, 0);
  for (const { name, values } of standard.series) assert.is(values.length, standard.steps, name);
  await server.stop();
});

history('has no hole while main and a shard are stuck', async () => {
  const server = await startServer({ http: true, shards: 2 });
  const client = await server.client();
  const sampled = async (count: number): Promise<boolean> =>
    known(await historyOf(server, 'series=health'), 'health').length >= count;
  await until(() => sampled(1), 'a sample');
  const before = known(await historyOf(server, 'series=health'), 'health').length;
  const slept = client.call('DEBUG', 'SLEEP', '4');
  await until(() => sampled(before + 3), 'samples while all sleep');
  const { series } = await historyOf(server, 'series=health&step=1');
  const values = series[0]!.values;
  const first = values.findIndex((value) => value !== null);
  const last = values.findLastIndex((value) => value !== null);
  assert.equal(values.slice(first, last).includes(null), false, String(values.slice(first, last)));
  await until(
    async () => Math.max(...known(await historyOf(server, 'series=health'), 'health')) === 2,
    'the stuck thread is in the history',
  );
  await slept;
  await server.stop();
});

history('outlives a restart and a kill, with a gap between them', async () => {
  const start = (): Promise<ChildServer> => startServer({ http: true, shards: 2, folder });
  const chunks = path.join(folder, 'svc-data', 'history');
  const savedMs = (): number => {
    const names = fs.existsSync(chunks) ? fs.readdirSync(chunks) : [];
    const saved = names.filter((name) => /^1s-.*\.chunk$/.test(name));
    return Math.max(0, ...saved.map((name) => fs.statSync(path.join(chunks, name)).mtimeMs));
  };
  const first = await start();
  const client = await first.client();
  await client.pipeline(Array.from({ length: 300 }, (_, nth) => ['SET', `key:${nth}`, 'value']));
  const recorded = async (): Promise<number> =>
    sum(known(await historyOf(first, 'series=ops&step=1'), 'ops'));
  // Rates of steps, which samples of about a second are spread over: their sum is about the count.
  await until(async () => (await recorded()) >= 200, 'the history has the operations');
  const known300Ms = Date.now();
  await until(() => savedMs() > known300Ms, 'the open chunk is saved with them');
  first.signal('SIGKILL');
  await first.ended;
  const killedMs = Date.now();
  // A sample covers the second before it, so a gap needs more than a fast start takes.
  await until(() => Date.now() >= killedMs + 3_000, 'some seconds without a server');

  const second = await start();
  const seen = await historyOf(second, `series=ops&step=1&to=${killedMs}`);
  assert.ok(sum(known(seen, 'ops')) >= 200, `before the kill: ${known(seen, 'ops').join(', ')}`);
  const now = async (server: ChildServer, fromMs: number): Promise<number> =>
    known(await historyOf(server, `series=ops&step=1&from=${fromMs}`), 'ops').length;
  await until(async () => (await now(second, killedMs)) >= 2, 'samples after the kill');
  const end = await second.shutDown();
  assert.is(end.exitCode, 0);
  const stoppedMs = Date.now();

  const third = await start();
  const seconds = await historyOf(
    third,
    `series=ops&step=1&from=${killedMs - 60_000}&to=${stoppedMs}`,
  );
  const values = seconds.series[0]!.values;
  const firstKnown = values.findIndex((value) => value !== null);
  const lastKnown = values.findLastIndex((value) => value !== null);
  assert.ok(seconds.from_time_ms + 1_000 * lastKnown > killedMs, 'the second process is there');
  assert.ok(values.slice(firstKnown, lastKnown).includes(null), 'the time between is a gap');
  await third.shutDown();
});

history('starts with damaged files, and logs them', async () => {
  const chunks = path.join(folder, 'svc-data', 'history');
  const names = fs.readdirSync(chunks).filter((name) => name.startsWith('1s-'));
  for (const name of names) fs.truncateSync(path.join(chunks, name), 30);
  fs.writeFileSync(path.join(chunks, '10s-x.chunk'), 'not a chunk');
  const server = await startServer({ http: true, shards: 1, folder });
  await until(() => server.stdout.includes('history-skipped'), 'the log names damaged files');
  await until(
    async () => known(await historyOf(server, 'series=ops'), 'ops').length > 0,
    'a sample',
  );
  await server.shutDown();
});

history('can be switched off and on, and bounded', async () => {
  const server = await startServer({ http: true, args: ['--set', 'history.enabled=false'] });
  const client = await server.client();
  assert.is((await request(server.httpPort, PATH)).status, 409);
  assert.is((await about(server)).enabled, false);
  await client.call('CONFIG', 'SET', 'history-enabled', 'yes');
  await until(
    async () => known(await historyOf(server, 'series=ops'), 'ops').length > 0,
    'a sample',
  );
  await client.call('CONFIG', 'SET', 'history-max-bytes', '65536');
  assert.is((await about(server)).bytes_max, 65_536);
  await client.call('CONFIG', 'SET', 'history-enabled', 'no');
  assert.is((await request(server.httpPort, PATH)).status, 409);
  await server.stop();
});

history('is in memory only without persistence', async () => {
  const server = await startServer({ http: true, args: ['--set', 'persistence.enabled=false'] });
  const sampled = async (): Promise<boolean> =>
    known(await historyOf(server, 'series=ops'), 'ops').length >= 2;
  await until(sampled, 'two samples');
  const place = server.folder;
  server.signal('SIGTERM');
  const isGone = await server.ended;
  assert.is(isGone.exitCode, 0);
  assert.not.ok(fs.existsSync(path.join(place, 'svc-data', 'history')));
  await server.stop();
});

history('refuses parameters that are not valid, and answers that are too large', async () => {
  const server = await startServer({ http: true, shards: 1 });
  const nowMs = Date.now();
  const names = (await about(server)).series.slice(0, 60).map(({ name }) => name);
  for (const [query, message] of [
    ['from=yesterday', 'from must be'],
    ['to=-1', 'to must be'],
    [`from=${nowMs}&to=${nowMs - 1}`, 'from must be before to'],
    ['step=0', 'step must be'],
    ['step=1.5', 'step must be'],
    ['series=nonsense', 'unknown series'],
    ['thread=shard', 'thread must be'],
    ['command=nonsense', 'command must be'],
    ['error=two%20words', 'error must be'],
    ['error=ERR&command=get', 'use one of thread, command and error'],
    ['command=get&thread=main', 'use one of'],
    ['command=get&series=ops', 'unknown series'],
    ['from=0&step=1', 'at most 3000 steps'],
    ['from=0', 'at most 3000 steps'],
    [`from=${nowMs - 2_900_000}&step=1&series=${names.join(',')}`, 'at most 150000 values'],
  ] as const) {
    const answer = await request(server.httpPort, `${PATH}?${query}`);
    assert.is(answer.status, 400, query);
    assert.ok(answer.text.includes(message), `${query}: ${answer.text}`);
  }
  await server.stop();
});

history.run();
