/** Debian's redis_exporter is run against this server: every panel of the boards made for it has data. */
// test-tier: long
import { spawn, type ChildProcess } from 'node:child_process';
import { type ChildServer, freePort, needs, request, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const PROGRAM = 'prometheus-redis-exporter';
const exporter = suite('redis_exporter, run');

/**
 * Series that each panel of the boards of redis_exporter (Grafana 763 and 11835) and of its mixin reads: the metric and the
 * label by which it is split. The label `instance`, by which boards choose servers, is Prometheus' own.
 */
const PANELS: readonly (readonly [panel: string, series: readonly string[]])[] = [
  ['max uptime', ['redis_uptime_in_seconds']],
  ['clients', ['redis_connected_clients']],
  ['connected and blocked clients', ['redis_connected_clients', 'redis_blocked_clients']],
  ['memory usage', ['redis_memory_used_bytes', 'redis_memory_max_bytes']],
  ['resident memory', ['redis_memory_used_rss_bytes']],
  ['fragmentation', ['redis_mem_fragmentation_ratio']],
  ['commands executed', ['redis_commands_processed_total']],
  ['total commands', ['redis_commands_total{cmd}']],
  ['time by command', ['redis_commands_duration_seconds_total{cmd}']],
  ['hits and misses', ['redis_keyspace_hits_total', 'redis_keyspace_misses_total']],
  ['network', ['redis_net_input_bytes_total', 'redis_net_output_bytes_total']],
  ['items per database', ['redis_db_keys{db}']],
  ['expiring and not expiring keys', ['redis_db_keys{db}', 'redis_db_keys_expiring{db}']],
  ['time to live', ['redis_db_avg_ttl_seconds{db}']],
  ['expired and evicted', ['redis_expired_keys_total', 'redis_evicted_keys_total']],
  ['replicas', ['redis_connected_slaves']],
  ['snapshots', ['redis_rdb_last_bgsave_status', 'redis_rdb_last_save_timestamp_seconds']],
  ['log', ['redis_aof_enabled', 'redis_aof_current_size_bytes', 'redis_aof_last_write_status']],
  ['slow log', ['redis_slowlog_length', 'redis_slowlog_last_id']],
  ['errors', ['redis_errors_total{err}']],
  ['choice of the server', ['redis_up']],
  ['instance', ['redis_instance_info{redis_version}', 'redis_config_maxmemory']],
];

/** Labels by which one series is divided by another: both have the same. */
const DIVIDED: readonly (readonly [over: string, under: string, label: string])[] = [
  ['redis_commands_duration_seconds_total', 'redis_commands_total', 'cmd'],
  ['redis_db_keys_expiring', 'redis_db_keys', 'db'],
];

/** Metrics of the exporter that /metrics lacks with `redis-exporter-names`. */
const ITS_OWN: readonly (readonly [reason: string, names: RegExp])[] = [
  ['about the exporter itself', /^redis_(exporter|target|last_key_groups)_/],
  ['svc has these as histograms and summaries of its own', /^redis_latency_/],
  ['known only where clients and entries are', /^redis_(client_recent_|last_slow_execution)/],
  ['told by svc_ metrics, part by part', /^redis_(allocator|memory_used_(dataset|overhead)|mem_)/],
  ['of threads, by svc_thread_ metrics', /^redis_(cpu_\w+_(children|main_thread)|io_thread)/],
  [
    'none of it is here',
    /^redis_(repl|second_repl|slave_|master_|replica_|cluster_conn|number_of)/,
  ],
  ['a setting that has one value', /^redis_config_io_threads$/],
  ['Debian’s version counts keys of other servers so', /^redis_db_keys_cached$/],
  ['a share of what was looked at, by shard', /^redis_expired_stale_percentage$/],
];

let server: ChildServer;
let child: ChildProcess;
/** Samples of all metrics, from the exporter, and from the server. */
let byExporter: readonly Sample[];
let byServer: readonly Sample[];

interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

function samplesIn(text: string): readonly Sample[] {
  const lines = text.split('\n').filter((line) => line.startsWith('redis_'));
  return lines.map((line) => {
    const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    return {
      name,
      labels: new Map(pairs.map(([, label, text]) => [label!, text!])),
      value: Number(value),
    };
  });
}

/** Samples of a metric that have the label in braces behind its name, and a number. */
function seriesOf(samples: readonly Sample[], series: string): readonly Sample[] {
  const [, name, label] = /^(\w+)(?:\{(\w+)\})?$/.exec(series)!;
  return samples.filter(
    (sample) =>
      sample.name === name &&
      !Number.isNaN(sample.value) &&
      (label === undefined || sample.labels.get(label) !== undefined),
  );
}

/** Values of a label of a metric. */
function valuesOf(samples: readonly Sample[], name: string, label: string): ReadonlySet<string> {
  return new Set(seriesOf(samples, `${name}{${label}}`).map(({ labels }) => labels.get(label)!));
}

exporter.before(async () => {
  const args = ['--set', 'http.redis-exporter-names=yes', '--set', 'slowlog.log-slower-than=0'];
  server = await startServer({ shards: 2, http: true, args });
  const client = await server.client();
  await client.pipeline([
    ['SET', 'a', '1', 'EX', '100'],
    ['GET', 'a'],
    ['SAVE'],
    ['RPUSH', 'l', 'b'],
  ]);
  await client.reply('INCR', 'l');
  await client.reply('EVAL', "return redis.error_reply('MYERR of a script')", '0');
  const sizes = async (): Promise<string> => textOf(await client.call('INFO', 'keysizes'));
  await until(async () => /^db0_distrib_lists/m.test(await sizes()), 'the sizes are counted');
  const port = await freePort();
  const listen = `127.0.0.1:${port}`;
  const options = [
    '-redis.addr',
    `redis://127.0.0.1:${server.port}`,
    '-web.listen-address',
    listen,
  ];
  child = spawn(PROGRAM, options, { stdio: 'ignore' });
  const scrape = async (): Promise<string> => {
    const answer = await request(port, '/metrics').catch(() => undefined);
    return answer?.text ?? '';
  };
  await until(async () => (await scrape()).includes('redis_up 1'), 'it has read the server');
  byExporter = samplesIn(await scrape());
  byServer = samplesIn((await request(server.httpPort, '/metrics')).text);
});
exporter.after(async () => {
  child.kill();
  await server.stop();
});

for (const [panel, all] of PANELS) {
  exporter(`${panel}: has data, by the exporter and without it`, () => {
    for (const series of all) {
      assert.ok(seriesOf(byExporter, series).length > 0, `${series} by the exporter`);
      assert.ok(seriesOf(byServer, series).length > 0, `${series} by /metrics`);
    }
  });
}

for (const [over, under, label] of DIVIDED) {
  exporter(`${over} and ${under} have the same values of ${label}`, () => {
    for (const samples of [byExporter, byServer]) {
      const names = valuesOf(samples, over, label);
      assert.ok(names.size > 0);
      assert.equal([...names].sort(), [...valuesOf(samples, under, label)].sort());
    }
  });
}

exporter('what commands, databases and errors are called is the same in both', () => {
  const ofExporter = ['redis_commands_total', 'cmd'] as const;
  for (const command of ['get', 'set', 'incr', 'rpush', 'config|get']) {
    assert.ok(valuesOf(byExporter, ...ofExporter).has(command), `${command} by the exporter`);
    assert.ok(valuesOf(byServer, ...ofExporter).has(command), `${command} by /metrics`);
  }
  for (const [name, label] of [
    ['redis_db_keys', 'db'],
    ['redis_errors_total', 'err'],
  ] as const) {
    const reported = [...valuesOf(byServer, name, label)].sort();
    assert.equal([...valuesOf(byExporter, name, label)].sort(), reported);
  }
  assert.ok(valuesOf(byServer, 'redis_errors_total', 'err').has('MYERR'), 'a code of a script');
});

exporter('/metrics has all that it reads, but for what is told why', () => {
  const reported = new Set(byServer.map(({ name }) => name));
  const names = new Set(byExporter.map(({ name }) => name));
  const untold = [...names].filter(
    (name) => !reported.has(name) && !ITS_OWN.some(([, names]) => names.test(name)),
  );
  assert.equal(untold, []);
});

if (needs(PROGRAM)) exporter.run();
