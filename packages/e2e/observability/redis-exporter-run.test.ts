/** Debian's redis_exporter is run against this server: every panel of the boards made for it has data. */
// test-limit: 60s
import { spawn, type ChildProcess } from 'node:child_process';
import { freePort, needs, request, startServer, textOf, until, type ChildServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const PROGRAM = 'prometheus-redis-exporter';
const exporter = suite('redis_exporter, run');

/** The metrics of each panel of the board of redis_exporter (Grafana 763) and of its mixin, of one server. */
const PANELS: readonly (readonly [panel: string, metrics: readonly string[]])[] = [
  ['uptime', ['redis_uptime_in_seconds']],
  ['clients', ['redis_connected_clients', 'redis_blocked_clients']],
  ['memory', ['redis_memory_used_bytes', 'redis_memory_max_bytes', 'redis_memory_used_rss_bytes']],
  ['fragmentation', ['redis_mem_fragmentation_ratio']],
  ['commands', ['redis_commands_processed_total', 'redis_commands_total']],
  ['time of commands', ['redis_commands_duration_seconds_total']],
  ['hits', ['redis_keyspace_hits_total', 'redis_keyspace_misses_total']],
  ['network', ['redis_net_input_bytes_total', 'redis_net_output_bytes_total']],
  ['keys', ['redis_db_keys', 'redis_db_keys_expiring', 'redis_db_avg_ttl_seconds']],
  ['keys that went', ['redis_expired_keys_total', 'redis_evicted_keys_total']],
  ['replicas', ['redis_connected_slaves']],
  ['snapshots', ['redis_rdb_last_bgsave_status', 'redis_rdb_last_save_timestamp_seconds']],
  ['log', ['redis_aof_enabled', 'redis_aof_current_size_bytes', 'redis_aof_last_write_status']],
  ['slow log', ['redis_slowlog_length', 'redis_slowlog_last_id']],
  ['errors', ['redis_errors_total']],
  ['instance', ['redis_up', 'redis_instance_info', 'redis_config_maxmemory']],
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
/** The names of all metrics that have a value, as told by the exporter, and by the server. */
let byExporter: ReadonlySet<string>;
let byServer: ReadonlySet<string>;

function namesIn(text: string): ReadonlySet<string> {
  const lines = text.split('\n').filter((line) => line.startsWith('redis_'));
  return new Set(lines.map((line) => line.replace(/[{ ].*/, '')));
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
  byExporter = namesIn(await scrape());
  byServer = namesIn((await request(server.httpPort, '/metrics')).text);
});
exporter.after(async () => {
  child.kill();
  await server.stop();
});

for (const [panel, metrics] of PANELS) {
  exporter(`${panel}: has data, by the exporter and without it`, () => {
    for (const name of metrics) {
      assert.ok(byExporter.has(name), `${name} by the exporter`);
      assert.ok(byServer.has(name), `${name} by /metrics`);
    }
  });
}

exporter('/metrics has all that it reads, but for what is told why', () => {
  const untold = [...byExporter].filter(
    (name) => !byServer.has(name) && !ITS_OWN.some(([, names]) => names.test(name)),
  );
  assert.equal(untold, []);
});

if (needs(PROGRAM)) exporter.run();
