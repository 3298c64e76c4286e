/** Loads of `svc-server bench` on real servers, whose own counts must be those of its report. */
// test-tier: long

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  Certificates,
  type ChildServer,
  isSecure,
  needs,
  redisProgram,
  type RespClient,
  startRedis,
  startServer,
  textOf,
  until,
} from '#testkit';
import { SecureServer } from '../tls/tls-server.ts';
import { endOf, reportIn, runBench, startBench, type BenchReport } from './bench-process.ts';

const benches = suite('bench');

const PASSWORD = 'secret-word';
let folder: string;
let svc: ChildServer;
let redis: ChildServer;

benches.before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-bench-'));
  writeFileSync(path.join(folder, 'password'), `${PASSWORD}\n`);
  [svc, redis] = await Promise.all([
    startServer({
      password: PASSWORD,
      shards: 2,
      http: true,
      args: ['--unix-socket', path.join(folder, 'svc.sock')],
    }),
    startRedis(),
  ]);
  await (await redis.client()).call('CONFIG', 'SET', 'requirepass', PASSWORD);
});
benches.after(async () => {
  await Promise.all([svc.stop(), redis.stop()]);
  rmSync(folder, { recursive: true });
});

const LOGIN = ['--password-file', 'password'];

function addressOf({ port }: ChildServer): string {
  return `127.0.0.1:${port}`;
}

async function admin(server: ChildServer): Promise<RespClient> {
  const client = await server.client();
  await client.call('AUTH', PASSWORD);
  return client;
}

/** Calls of a command that a server has counted. */
async function callsOf(client: RespClient, command: string): Promise<number> {
  const text = textOf(await client.call('INFO', 'commandstats'));
  const [, calls = '0'] = new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(text) ?? [];
  return Number(calls);
}

const MIX = ['get', 'set', 'del', 'incr', 'hset', 'hgetall', 'lpush', 'lpop', 'lrange'];
const OTHERS = ['sadd', 'spop', 'zadd', 'zrange', 'xadd', 'xrange', 'xread', 'mget', 'expire'];

for (const [name, serverOf] of [
  ['svc', () => svc],
  ['Redis', () => redis],
] as const) {
  benches(`counts of ${name} are those of the report, for commands on all types`, async () => {
    const client = await admin(serverOf());
    const mix = [...MIX, ...OTHERS];
    for (const extra of [
      ['--pipeline', '7', '--threads', '2', '--value-size', '5-300'],
      ['--rate', '20000', '--resp', '3', '--zipf', '0.99', '--preload'],
    ]) {
      await client.call('FLUSHALL');
      await client.call('CONFIG', 'RESETSTAT');
      const { code, error } = await runBench(
        folder,
        ...['--address', addressOf(serverOf()), ...LOGIN, '--json', 'out.json', ...extra],
        ...['--mix', mix.join(','), '--requests', '9001', '--keys', '200', '--connections', '9'],
      );
      assert.equal([code, error], [0, '']);
      const [run] = reportIn(folder).runs;
      assert.is(run!.commands, 9_001);
      let sum = 0;
      for (const command of mix) {
        const { commands } = run!.by_command[command]!;
        assert.ok(commands > 300, `${commands} of ${command}`);
        assert.is(run!.nodes[0]!.by_command[command]!.calls, commands, command);
        const preloaded = await callsOf(client, command);
        if (!extra.includes('--preload')) assert.is(preloaded, commands, command);
        sum += commands;
      }
      assert.is(sum, 9_001);
      assert.match(run!.nodes[0]!.server, new RegExp(`^${name} \\d`));
      assert.ok(run!.cpu_us_per_command > 0);
    }
    await client.end();
  });
}

benches('a preload writes each key once, in all threads', async () => {
  const client = await admin(svc);
  await client.call('FLUSHALL');
  const { code } = await runBench(
    folder,
    ...['--address', addressOf(svc), ...LOGIN, '--preload', '--keys', '1003', '--threads', '3'],
    ...['--mix', 'get,hget', '--prefix', 'of:', '--requests', '10', '--elements', '4'],
  );
  assert.is(code, 0);
  assert.is(await client.call('DBSIZE'), 2_006);
  assert.is(await client.call('STRLEN', 'of:key:000000001002'), 64);
  assert.is(await client.call('HLEN', 'of:hash:000000000000'), 4);
  await client.end();
});

benches('an open loop keeps its rate, and a warm-up does not count', async () => {
  const { code } = await runBench(
    folder,
    ...['--address', addressOf(svc), ...LOGIN, '--json', 'out.json', '--connections', '20'],
    ...['--rate', '500', '--duration', '2', '--warmup', '1', '--command', 'PING'],
  );
  assert.is(code, 0);
  const [run] = reportIn(folder).runs;
  assert.is(run!.commands, 1_000);
  assert.is(run!.warmup_commands, 500);
  assert.ok(run!.seconds > 1.9);
  assert.is(
    run!.series.reduce((sum, { commands }) => sum + commands, 0),
    1_000,
  );
  assert.is(run!.bytes_in, 7_000);
  assert.is(run!.bytes_out, 14_000);
});

benches('bands and commands of each shard of svc are in the report', async () => {
  const client = await admin(svc);
  await client.call('CONFIG', 'SET', 'latency-bands-enabled', 'yes');
  const { output } = await runBench(
    folder,
    ...['--address', addressOf(svc), ...LOGIN, '--json', '-', '--requests', '4000', '--mix', 'get'],
    ...['--metrics', `127.0.0.1:${svc.httpPort}`],
  );
  await client.call('CONFIG', 'SET', 'latency-bands-enabled', 'no');
  await client.end();
  const [run] = (JSON.parse(output) as BenchReport).runs;
  const { shards } = run!.nodes[0]!;
  assert.is(shards.length, 2);
  assert.is(
    shards.reduce((sum, { commands }) => sum + commands, 0),
    4_000,
  );
  const phases = run!.phases.filter(({ phase }) => phase === 'queue');
  assert.is(
    phases.reduce((sum, { count }) => sum + count, 0),
    4_000,
  );
  const executed = run!.phases.find(({ phase, of }) => phase === 'execution' && of === 'get');
  assert.is(executed!.count, 4_000);
  assert.ok(executed!.mean_us > 0);
  // The first shard also counts the questions of the report itself.
  const banded = shards.flatMap(({ bands }) => Object.values(bands)).reduce((a, b) => a + b, 0);
  assert.ok(banded >= 4_000 && banded < 4_010, `${banded}`);
});

benches('errors are counted by code and by command, and the exit code is 1', async () => {
  const client = await admin(svc);
  await client.call('SET', 'text', 'x');
  const { code, output } = await runBench(
    folder,
    ...['--address', addressOf(svc), ...LOGIN, '--json', 'out.json', '--requests', '100'],
    ...['--command', 'LPUSH text x', '--command', 'GET text', '--command', 'NONSENSE {key}'],
  );
  assert.is(code, 1);
  const [run] = reportIn(folder).runs;
  const { by_command: by, errors } = run!;
  assert.equal(errors.by_code, {
    WRONGTYPE: by['LPUSH text x']!.commands,
    ERR: by['NONSENSE {key}']!.commands,
  });
  assert.is(by['GET text']!.errors, 0);
  assert.match(output, /errors: .*WRONGTYPE \d+/);
  await client.end();
});

benches('a unix socket, and the password in the environment', async () => {
  const child = startBench(folder, [
    '--unix-socket',
    'svc.sock',
    '--requests',
    '500',
    '--command',
    'PING',
  ]);
  const denied = await endOf(child);
  assert.is(denied.code, 2);
  assert.match(denied.error, /svc\.sock: NOAUTH/);
  const { code } = await runBench(
    folder,
    ...['--unix-socket', 'svc.sock', '--password', PASSWORD, '--requests', '500', '--mix', 'set'],
  );
  assert.is(code, 0);
});

benches('a server that is absent, refuses the login, or loads', async () => {
  const absent = await runBench(folder, '--address', '127.0.0.1:1', '--requests', '1');
  assert.is(absent.code, 2);
  assert.match(absent.error, /^svc: 127\.0\.0\.1:1: connect ECONNREFUSED/);
  const wrong = await runBench(folder, '--address', addressOf(svc), '--password', 'wrong');
  assert.is(wrong.code, 2);
  assert.match(wrong.error, /WRONGPASS/);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write('-LOADING Redis is loading the dataset in memory\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const loading = await runBench(folder, '--address', `127.0.0.1:${port}`);
  server.close();
  assert.is(loading.code, 2);
  assert.match(loading.error, `svc: 127.0.0.1:${port}: LOADING Redis is loading`);
  const silent = await runBench(
    folder,
    '--address',
    addressOf(svc),
    ...LOGIN,
    '--metrics',
    '127.0.0.1:1',
  );
  assert.is(silent.code, 2);
  assert.match(silent.error, /^svc: --metrics 127\.0\.0\.1:1: connect ECONNREFUSED/);
  const alone = await runBench(folder, '--address', addressOf(svc), ...LOGIN, '--cluster');
  assert.is(alone.code, 2);
  assert.match(alone.error, /--cluster: ERR This instance has cluster support disabled/);
});

benches('a mistake on the command line costs no load', async () => {
  const before = await runBench(folder, '--rate', 'fast');
  assert.equal([before.code, before.output], [2, '']);
  assert.match(before.error, /--rate is a number above 0/);
  const file = await runBench(folder, ...LOGIN, '--html', 'nowhere/x.html');
  assert.is(file.code, 2);
  assert.match(file.error, /ENOENT.*nowhere\/x\.html/);
});

benches('a server that dies is reported with what was measured', async () => {
  const server = await startRedis();
  const client = await server.client();
  const ended = runBench(
    folder,
    ...['--address', addressOf(server), '--duration', '600', '--json', 'out.json', '--mix', 'set'],
  );
  await until(async () => (await callsOf(client, 'set')) > 1_000, 'it has begun');
  await server.stop();
  const { code, output } = await ended;
  assert.is(code, 1);
  const [run] = reportIn(folder).runs;
  assert.ok(run!.commands > 1_000);
  assert.is(run!.connections_lost, 50);
  assert.match(output, /WARNING: Lost 50 connections: /);
  assert.match(output, /missing: INFO all: /);
});

benches('Ctrl-C ends the load, and what was measured is printed', async () => {
  const client = await admin(svc);
  await client.call('CONFIG', 'RESETSTAT');
  const child = startBench(folder, [
    ...['--address', addressOf(svc), ...LOGIN, '--duration', '600', '--json', 'out.json'],
    ...['--mix', 'set', '--threads', '2', '--compare', addressOf(redis)],
  ]);
  const ended = endOf(child);
  await until(async () => (await callsOf(client, 'set')) > 1_000, 'it has begun');
  child.kill('SIGINT');
  const { code, output } = await ended;
  assert.is(code, 0);
  assert.match(output, /, interrupted:/);
  const report = reportIn(folder);
  assert.is(report.runs.length, 1);
  assert.is(report.runs[0]!.interrupted, true);
  assert.is(report.runs[0]!.commands, await callsOf(client, 'set'));
  await client.end();
});

benches('two servers are compared by turns', async () => {
  const { code, output } = await runBench(
    folder,
    ...['--address', addressOf(svc), '--compare', addressOf(redis), '--rounds', '2', ...LOGIN],
    ...['--requests', '2000', '--json', 'out.json', '--csv', 'out.csv', '--html', 'out.html'],
  );
  assert.is(code, 0);
  const { runs, comparison } = reportIn(folder);
  assert.equal(
    runs.map(({ nodes }) => nodes[0]!.server.split(' ')[0]),
    ['svc', 'Redis', 'svc', 'Redis'],
  );
  const mean = (from: number): number =>
    (runs[from]!.commands_per_sec + runs[from + 2]!.commands_per_sec) / 2;
  const ratio = mean(0) / mean(1);
  assert.ok(Math.abs(comparison!.ratios['commands_per_sec']! / ratio - 1) < 1e-9);
  assert.match(output, /server CPU per command, us +[\d.]+ +[\d.]+ +[\d.]+/);
  const rows = readFileSync(path.join(folder, 'out.csv'), 'utf8').trim().split('\r\n');
  assert.is(rows.length >= 5, true);
  const page = readFileSync(path.join(folder, 'out.html'), 'utf8');
  assert.match(page, 'uPlot');
  assert.not.match(page, /(?:src|href)=/);
});

benches('TLS with an authority, a name, or without a check', async () => {
  const certificates = new Certificates();
  const server = await SecureServer.start(certificates, { 'tls.client-certs': 'required' });
  const pair = certificates.newPair('client', 'client');
  const way = ['--address', `127.0.0.1:${server.tlsPort}`, '--tls', '--json', 'out.json'];
  const shown = ['--cert', pair.certificate, '--key', pair.key];
  const load = ['--mix', 'set', '--connections', '5', '--pipeline', '4'];
  const authority = ['--cacert', certificates.authority.certificate];
  for (const check of [authority, [...authority, '--sni', 'localhost'], ['--insecure']]) {
    const extra = ['--requests', '1000', '--value-size', '1-3000'];
    const { code, error } = await runBench(folder, ...way, ...check, ...shown, ...load, ...extra);
    assert.equal([code, error], [0, '']);
    assert.is(reportIn(folder).runs[0]!.commands, 1_000);
  }
  const rate = ['--rate', '300', '--duration', '1'];
  const open = await runBench(folder, ...way, ...authority, ...shown, ...load, ...rate);
  assert.is(open.code, 0);
  assert.is(reportIn(folder).runs[0]!.commands, 300);
  for (const [check, reason] of [
    [[], /self.signed certificate/],
    [[...authority, '--sni', 'other.test'], /other\.test/],
  ] as const) {
    const { code, error } = await runBench(folder, ...way, ...check, ...shown, ...load);
    assert.is(code, 2);
    assert.match(error, reason);
  }
  await server.stop();
  certificates.remove();
});

if (!isSecure && needs(redisProgram()) && needs('openssl')) benches.run();
