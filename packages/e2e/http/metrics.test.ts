/** /metrics of a running server: validated by Prometheus' own tool, and without cost for other threads. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type ChildServer,
  freePort,
  needs,
  request,
  type RespClient,
  startServer,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleIn } from '../observability/metrics-text.ts';

const metrics = suite('HTTP metrics');

let server: ChildServer;
let client: RespClient;

metrics.before(async () => {
  server = await startServer({
    http: true,
    shards: 2,
    args: ['latency-bands.enabled=true', 'http.redis-exporter-names=true'].flatMap((set) => [
      '--set',
      set,
    ]),
  });
  client = await server.client();
  await client.pipeline([
    ['SET', 'a', '1'],
    ['GET', 'a'],
    ['GET', 'none'],
    ['INCR', 'a'],
    ['LPUSH', 'a', 'x'],
    ['MSET', 'b', '1', 'c', '2', 'd', '3'],
    ['CLIENT', 'LIST'],
  ]);
});
metrics.after(async () => {
  await server.stop();
});

const scrape = (headers: Record<string, string> = {}) =>
  request(server.httpPort, '/metrics', { headers });

if (needs('promtool')) {
  metrics('pass promtool, but for the specified name', async () => {
    for (const headers of [{}, { accept: 'text/plain' }]) {
      const { text } = await scrape(headers);
      const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
        input: text,
        encoding: 'utf8',
      });
      const own = `${stdout}${stderr}`
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('redis_'));
      assert.equal([...new Set(own)].toSorted(), [
        'svc_latency_band_requests_total non-counter metrics should not have "_total" suffix',
        'svc_latency_band_requests_total non-histogram metrics should not have "le" label',
      ]);
    }
  });
}

if (needs('prometheus')) {
  metrics('are scraped by a real Prometheus', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'svc-prometheus-'));
    const port = await freePort();
    const target = `127.0.0.1:${server.httpPort}`;
    const jobs = [
      { job_name: 'svc', scrape_interval: '1s', static_configs: [{ targets: [target] }] },
    ];
    const config = path.join(folder, 'prometheus.yml');
    // JSON is YAML.
    writeFileSync(config, JSON.stringify({ scrape_configs: jobs }));
    const child = spawn(
      'prometheus',
      [
        ...[`--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'data')}`],
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      const query = `/api/v1/query?query=${encodeURIComponent('svc_commands_total{command="mset"}')}`;
      let found: unknown[] = [];
      const isFound = async (): Promise<boolean> => {
        const answer = await request(port, query).catch(() => undefined);
        if (answer?.status !== 200) return false;
        found = (answer.json() as { data: { result: { value: unknown[] }[] } }).data.result.map(
          ({ value }) => value[1],
        );
        return found.length > 0;
      };
      await until(isFound, 'Prometheus has scraped it', 90_000);
      assert.equal(found, ['1']);
    } finally {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true });
    }
  });
}

metrics('come as text 0.0.4, or as OpenMetrics where asked', async () => {
  const text = await scrape();
  assert.is(text.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  const open = await scrape({ accept: 'application/openmetrics-text;version=1.0.0' });
  assert.is(
    open.headers['content-type'],
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  );
  assert.ok(open.text.endsWith('# EOF\n'));
});

metrics('say what INFO says', async () => {
  const info = (await client.call('INFO', 'everything')) as string;
  const { text } = await scrape();
  const figure = (name: string): number => sampleIn(text, name);
  const said = (name: string): number =>
    Number(new RegExp(`^${name}:(\\S+)\\r$`, 'm').exec(info)?.[1]);
  assert.is(figure('svc_connections'), said('connected_clients'));
  assert.is(figure('svc_keyspace_hits_total'), said('keyspace_hits'));
  assert.is(figure('svc_keyspace_misses_total'), said('keyspace_misses'));
  assert.is(figure('svc_memory_used_bytes'), said('used_memory'));
  assert.is(figure('svc_commands_failed_total{command="lpush"}'), 1);
  assert.is(figure('svc_errors_total{code="WRONGTYPE"}'), 1);
  assert.is(figure('svc_commands_total{command="get"}'), 2);
  assert.is(figure('svc_keyspace_keys{db="0"}'), 4);
  assert.is(figure('redis_up'), 1);
  const calls = /cmdstat_client\|list:calls=(\d+)/.exec(info)?.[1];
  assert.is(figure('svc_commands_total{command="client|list"}'), Number(calls));
  const total = [
    ...text.matchAll(/^svc_latency_band_requests_total\{le="(?:<=500|>500)ms"\} (\d+)$/gm),
  ];
  assert.is(total.length, 2);
});

metrics('are answered while the shards are stuck', async () => {
  const sleeper = await server.client();
  const slept = sleeper.call('DEBUG', 'SLEEP', '2');
  const executing = async (): Promise<number> => {
    const { text, status } = await scrape();
    assert.is(status, 200);
    return Number(/^svc_shard_executing_seconds\{shard="0"\} (\S+)$/m.exec(text)?.[1]);
  };
  await until(async () => (await executing()) > 0.3, 'a scrape tells how long it has slept');
  await slept;
});

metrics('stand a storm of scrapes', async () => {
  const answers = await Promise.all(
    Array.from({ length: 300 }, async () => {
      try {
        return (await scrape()).status;
      } catch {
        return 0;
      }
    }),
  );
  // Who found no room was cut off; everybody else was answered.
  assert.ok(answers.filter((status) => status === 200).length >= 60);
  assert.equal(
    answers.filter((status) => status !== 200 && status !== 0),
    [],
  );
  assert.is(await client.call('PING'), 'PONG');
  assert.is((await scrape()).status, 200);
});

metrics.run();
