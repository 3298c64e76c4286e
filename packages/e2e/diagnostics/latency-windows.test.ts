/** Windows of latency on every surface of a real server: STATUS JSON, /status/json and the debug API. */
// test-tier: long
import { type ChildServer, request, type RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const windows = suite('windows of latency on a server');

let server: ChildServer;
let client: RespClient;

windows.before(async () => {
  server = await startServer({ shards: 2, http: true });
  client = await server.client();
});
windows.after(async () => {
  await server.stop();
});

type Report = Record<
  string,
  { seconds: number; calls: number; p50_us: number; p99_us: number } | null
>;
interface Commands {
  readonly windows: Report;
  readonly top: readonly { readonly command: string; readonly windows: Report }[];
}

async function status(): Promise<Commands> {
  const document = JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as {
    commands: Commands;
  };
  return document.commands;
}

const rowOf = <Row extends { command: string }>(
  rows: readonly Row[],
  name: string,
): Row | undefined => rows.find(({ command }) => command === name);

windows('are there after the first period, alike on every surface', async () => {
  const empty = { now: null, '1m': null, '5m': null, '1h': null };
  assert.equal(Object.keys((await status()).windows), Object.keys(empty));
  await client.pipeline(Array.from({ length: 400 }, (_, nth) => ['SET', `key:${nth}`, 'v']));
  await client.call('DEBUG', 'SLEEP', '0.05');
  await until(
    async () => rowOf((await status()).top, 'set')?.windows['1m']?.calls === 400,
    'a period is over',
    25_000,
  );
  // Between two periods nothing changes.
  await until(async () => {
    const before = await status();
    const http = (await request(server.httpPort, '/status/json')).json() as { commands: Commands };
    const latency = (await request(server.httpPort, '/debug/api/latency')).json() as {
      windows: Report;
      commands: Commands['top'];
    };
    if (JSON.stringify((await status()).windows) !== JSON.stringify(before.windows)) return false;
    assert.equal(http.commands.windows, before.windows);
    assert.equal(latency.windows, before.windows);
    const shown = rowOf(before.top, 'set')!.windows;
    assert.equal(rowOf(http.commands.top, 'set')!.windows, shown);
    assert.equal(rowOf(latency.commands, 'set')!.windows, shown);
    return true;
  }, 'all surfaces were read within a period');
  const set = rowOf((await status()).top, 'set')!.windows;
  assert.equal(set['1m'], set['1h'], 'which began less than a minute ago');
  const sleep = rowOf((await status()).top, 'debug')!.windows;
  assert.ok(sleep['5m']!.p99_us >= 49_000 && set['5m']!.p99_us < sleep['5m']!.p99_us);
  assert.ok((await status()).windows['1m']!.calls > 400);
});

windows('end with their time, while the counts since the start stay', async () => {
  await until(
    async () => {
      const set = rowOf((await status()).top, 'set')!.windows;
      return set['now'] === null && set['1m']?.calls === 400;
    },
    'the last ten seconds had no SET',
    25_000,
  );
});

windows.run();
