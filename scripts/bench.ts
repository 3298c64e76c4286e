/**
 * `npm run bench [name ...]`: svc beside redis-server, by turns in one run. Loads are those of `svc-server bench`.
 *
 *   load     throughput, latency and processor time per command, pipelines 1, 16 and 64
 *   types    the other types at pipeline 16
 *   scripts  EVAL and EVALSHA at pipeline 16, computing scripts, and those that stop all shards
 *   heavy    processor time of commands with big values (100,000 elements, 1,000 keys), one shard
 *   pubsub   messages to 1,000 subscribers
 *   overhead what all diagnostics cost, and hot keys alone, by turns
 *   users    what rules and rate limits of users cost, by turns
 *   front    main's processor time with a front thread and without, and the memory of idle connections
 *   durability  what keeping the data costs, a snapshot, and the way back
 *   replication  what a replica costs, full synchronisations, and catching up, beside Redis with its replica
 *   tracing  what traces cost, and a line of the log for every request, by turns
 *   memory   resident bytes per key at 2 million keys
 *   stall    the longest wait of a bystander while 2 million keys are written
 *   copies   the same while values of a million elements are copied, within a shard and to another, and beside a spin
 *   tiered   hot keys beside a full warm tier, and ten times the memory, beside everything in memory
 *   scrape   how long /metrics takes at 8 shards after a command of many kinds
 *   observers  what scrapes and bundles cost a continuous load
 *   soak     resident memory and heaps over ten minutes of load in each of four modes; fails where they grow by 3 %
 *   start    from the start of the process to the first PONG
 *   micro    ring, parser, store and a shard's machine by themselves
 *
 * Without a name: all but soak. `--quick` does a tenth. Results are written to bench/results/, and with
 * `--baseline` to bench/baseline.json, where parts that were not measured stay as they were.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChildServer, startRedis, startServer } from '#testkit';
import { fanOut, type FanOutResult } from '../bench/load/fan-out.ts';
import { bandsOfRound, overheadOf } from '../bench/load/diagnostics.ts';
import { frontFigures } from '../bench/load/front.ts';
import { bytesPerKey, longestStall } from '../bench/load/growth.ts';
import { heavy } from '../bench/load/heavy/heavy.ts';
import {
  median,
  medians,
  roundByTurns,
  LONG_TESTS,
  TYPE_TESTS,
  type Round,
  type RoundResult,
} from '../bench/load/rounds.ts';
import { isInstalled, machine } from '../bench/load/machine.ts';
import { copies } from '../bench/load/copies.ts';
import { durability } from '../bench/load/durability.ts';
import { observers, scrapes } from '../bench/load/observers.ts';
import { SCRIPT_COMMANDS, scriptFigures, type ScriptFigures } from '../bench/load/scripts.ts';
import { writeResults } from '../bench/load/results.ts';
import { replication } from '../bench/load/replication.ts';
import { soak } from '../bench/load/soak.ts';
import { usersCostOf } from '../bench/load/users.ts';
import { tiered } from '../bench/load/tiered.ts';
import { tracingOverheadOf } from '../bench/load/tracing.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const words = process.argv.slice(2);
const isQuick = words.includes('--quick');
const names = words.filter((word) => !word.startsWith('--'));
const scale = isQuick ? 0.1 : 1;

const SHARDS = 2;
const TURNS = isQuick ? 1 : 3;
const MEMORY_KEYS = 2_000_000 * scale;
const DURABLE_KEYS = 5_000_000 * scale;
/** Seconds of each mode. */
const SOAK_SECONDS = 600;
const COMMANDS: Readonly<Record<number, number>> = {
  1: 200_000 * scale,
  16: 2_000_000 * scale,
  64: 4_000_000 * scale,
};
const TYPE_COMMANDS = 1_000_000 * scale;
const CONNECTIONS = 50;
const VALUE_BYTES = 64;
const KEYS = 100_000;

const NOT_DURABLE = ['--set', 'persistence.enabled=no'];

interface Contender {
  name: 'svc' | 'redis';
  start(): Promise<ChildServer>;
}

// Redis keeps nothing on disk here either; what that costs has a part of its own.
const SVC = { shards: SHARDS, args: ['--log-level', 'warn', ...NOT_DURABLE] };
const svc: Contender = { name: 'svc', start: () => startServer(SVC) };
const redis: Contender = { name: 'redis', start: () => startRedis() };
const contenders = [svc, ...(isInstalled('redis-server') ? [redis] : [])];

const report: Record<string, unknown> = {
  machine: machine(SHARDS),
};
/** Time at which each part was measured. */
const measured: Record<string, string> = {};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function row(cells: readonly (string | number)[]): void {
  const shown = cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : cell));
  print(shown.map((cell, index) => (index === 0 ? cell.padEnd(16) : cell.padStart(10))).join(' '));
}

/** Runs `act` on a fresh server of each contender in turn. */
async function eachFresh<Result>(
  act: (server: ChildServer) => Promise<Result>,
): Promise<Partial<Record<Contender['name'], Result>>> {
  const results: Partial<Record<Contender['name'], Result>> = {};
  for (const contender of contenders) {
    const server = await contender.start();
    try {
      results[contender.name] = await act(server);
    } finally {
      await server.stop();
    }
  }
  return results;
}

type Servers = ReadonlyMap<Contender['name'], ChildServer>;

const LOAD_COLUMNS = [
  ...['load', 'ratio', 'svc/s', 'redis/s', 'main us', 'redis us', 'main/redis', 'shards us'],
  ...['p50 ms', 'p99 ms', 'p99.9 ms', 'redis p99'],
];

async function benchLoad(): Promise<void> {
  const servers = new Map<Contender['name'], ChildServer>();
  for (const contender of contenders) servers.set(contender.name, await contender.start());
  const table: Record<string, unknown> = {};
  row(LOAD_COLUMNS);
  for (const pipeline of [1, 16, 64]) {
    for (const test of ['set', 'get'] as const) {
      const results = await roundByTurns(servers, roundOf(test, pipeline), TURNS);
      const ours = results.get('svc') ?? medians([]);
      const theirs = results.get('redis') ?? medians([]);
      const throughput = ours.perSecond / theirs.perSecond;
      const cpu = ours.mainUs / theirs.mainUs;
      table[`${test} pipeline ${String(pipeline)}`] = {
        throughput_ratio: throughput,
        main_cpu_ratio: cpu,
        svc: ours,
        redis: theirs,
      };
      row([
        ...[`${test} P=${String(pipeline)}`, throughput, ours.perSecond.toFixed(0)],
        ...[theirs.perSecond.toFixed(0), ours.mainUs, theirs.mainUs, cpu, ours.othersUs],
        ...[ours.p50Ms, ours.p99Ms, ours.p999Ms, theirs.p99Ms],
      ]);
    }
  }
  await showShards(servers.get('svc'));
  await showBands(servers.get('svc'));
  for (const server of servers.values()) await server.stop();
  report['load'] = table;
}

/** The other types, each on a keyspace of its own making. */
async function benchTypes(): Promise<void> {
  const servers = new Map<Contender['name'], ChildServer>();
  for (const contender of contenders) servers.set(contender.name, await contender.start());
  report['types'] = await beside('types', servers, TYPE_TESTS, TYPE_COMMANDS);
  for (const server of servers.values()) await server.stop();
}

/** Plays tests at pipeline 16 by turns, and prints each beside redis-server. */
async function beside(
  title: string,
  servers: Servers,
  tests: readonly Round['test'][],
  commandsMax: number,
): Promise<Record<string, unknown>> {
  const table: Record<string, unknown> = {};
  row([title, 'ratio', 'svc/s', 'redis/s', 'main us', 'redis us', 'main/redis', 'shards us']);
  for (const test of tests) {
    const commands = commandsMax / (LONG_TESTS[test] ?? 1);
    const round: Round = {
      test,
      pipeline: 16,
      commands,
      connections: CONNECTIONS,
      valueBytes: VALUE_BYTES,
      keys: KEYS,
    };
    const results = await roundByTurns(servers, round, TURNS);
    const ours = results.get('svc') ?? medians([]);
    const theirs = results.get('redis') ?? medians([]);
    const throughput = ours.perSecond / theirs.perSecond;
    table[test] = { throughput_ratio: throughput, svc: ours, redis: theirs };
    row([
      ...[test, throughput, ours.perSecond.toFixed(0), theirs.perSecond.toFixed(0)],
      ...[ours.mainUs, theirs.mainUs, ours.mainUs / theirs.mainUs, ours.othersUs],
    ]);
  }
  return table;
}

async function benchScripts(): Promise<void> {
  const servers = new Map<Contender['name'], ChildServer>();
  for (const contender of contenders) servers.set(contender.name, await contender.start());
  const tests = Object.keys(SCRIPT_COMMANDS) as (keyof typeof SCRIPT_COMMANDS)[];
  const calls = await beside('scripts', servers, tests, TYPE_COMMANDS / 2);
  const figures = new Map<string, ScriptFigures[]>();
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const [name, server] of servers) {
      const list = figures.get(name) ?? [];
      list.push(await scriptFigures(server, scale));
      figures.set(name, list);
    }
  }
  row(['computing', 'svc/redis', 'svc ms', 'redis ms']);
  const computing: Record<string, unknown> = {};
  for (const name of Object.keys(figures.get('svc')![0]!.computingMs)) {
    const [ours = NaN, theirs = NaN] = ['svc', 'redis'].map((server) =>
      median((figures.get(server) ?? []).map(({ computingMs }) => computingMs[name]!)),
    );
    computing[name] = { ratio: ours / theirs, svc_ms: ours, redis_ms: theirs };
    row([name, ours / theirs, ours, theirs]);
  }
  const barriers = median(figures.get('svc')!.map(({ barriersPerSecond }) => barriersPerSecond));
  row(['barriers/s', barriers]);
  for (const server of servers.values()) await server.stop();
  report['scripts'] = { calls, computing, barriers_per_second: barriers };
}

/** Prints what each shard executed, and how busy it was, over the whole load. */
async function showShards(server: ChildServer | undefined): Promise<void> {
  if (server === undefined) return;
  const client = await server.client();
  const info = (await client.call('INFO', 'latencystats', 'cpu')) as string;
  for (const line of info.split('\r\n').filter((text) => /_(get|set):|busy/.test(text)))
    print(line);
}

const SUBSCRIBERS = 1_000;
const MESSAGES: Readonly<Record<number, number>> = { 1: 400 * scale, 16: 3_200 * scale };

async function benchPubSub(): Promise<void> {
  const servers = new Map<Contender['name'], ChildServer>();
  for (const contender of contenders) servers.set(contender.name, await contender.start());
  const table: Record<string, unknown> = {};
  row(['pubsub', 'ratio', 'svc/s', 'redis/s', 'main us', 'redis us']);
  for (const pipeline of [1, 16]) {
    const results = new Map<string, FanOutResult[]>();
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [name, server] of servers) {
        const options = { subscribers: SUBSCRIBERS, pipeline, messageBytes: VALUE_BYTES };
        const result = await fanOut(server, { ...options, messages: MESSAGES[pipeline] ?? 0 });
        results.set(name, [...(results.get(name) ?? []), result]);
      }
    }
    const of = (name: string, pick: (result: FanOutResult) => number): number =>
      median((results.get(name) ?? []).map(pick));
    const ours = of('svc', ({ perSecond }) => perSecond);
    const theirs = of('redis', ({ perSecond }) => perSecond);
    const ratio = ours / theirs;
    const [oursUs, theirsUs] = ['svc', 'redis'].map((name) => of(name, ({ mainUs }) => mainUs));
    table[`pipeline ${String(pipeline)}`] = {
      ratio,
      svc: ours,
      redis: theirs,
      svc_main_us: oursUs,
      redis_main_us: theirsUs,
    };
    row([
      ...[`publish P=${String(pipeline)}`, ratio, ours.toFixed(0), theirs.toFixed(0)],
      ...[oursUs ?? NaN, theirsUs ?? NaN],
    ]);
  }
  for (const server of servers.values()) await server.stop();
  report['pubsub'] = { subscribers: SUBSCRIBERS, ...table };
}

/** Prints how long each shard's requests took, in a round of its own: the others are measured without bands. */
async function showBands(server: ChildServer | undefined): Promise<void> {
  if (server === undefined) return;
  const shards = await bandsOfRound(server, roundOf('get', 16));
  row(['bands', ...Object.keys(shards[0] ?? {})]);
  for (const [shard, bands] of shards.entries()) {
    row([`shard ${String(shard)}`, ...Object.values(bands).map(String)]);
  }
  report['bands'] = shards;
}

function roundOf(test: 'get' | 'set', pipeline: number): Round {
  return {
    test,
    pipeline,
    commands: COMMANDS[pipeline] ?? 0,
    connections: CONNECTIONS,
    valueBytes: VALUE_BYTES,
    keys: KEYS,
  };
}

async function benchOverhead(): Promise<void> {
  // With HTTP: the history is a part of what is switched on.
  const server = await startServer({ ...SVC, http: true });
  report['overhead'] = await costs((round, turns) => overheadOf(server, round, turns));
  await server.stop();
}

async function benchUsers(): Promise<void> {
  const server = await svc.start();
  report['users'] = await costs((round, turns) => usersCostOf(server, round, turns));
  await server.stop();
}

async function benchFront(): Promise<void> {
  if (contenders.length === 1) return;
  const rounds = [1, 16, 64].flatMap((each) => [roundOf('set', each), roundOf('get', each)]);
  report['front'] = await frontFigures(rounds, TURNS, SHARDS, row);
}

async function benchTracing(): Promise<void> {
  report['tracing'] = await costs((round, turns) => tracingOverheadOf(SHARDS, round, turns));
}

async function benchDurability(): Promise<void> {
  if (contenders.length === 1) return;
  report['durability'] = await durability(
    { shards: SHARDS, round: roundOf('set', 16), turns: TURNS },
    { stallKeys: DURABLE_KEYS, recoveryKeys: DURABLE_KEYS },
    row,
  );
}

async function benchReplication(): Promise<void> {
  if (contenders.length === 1) return;
  report['replication'] = await replication(
    { shards: SHARDS, round: roundOf('set', 16), turns: TURNS },
    { keys: MEMORY_KEYS, missed: MEMORY_KEYS },
    row,
  );
}

/** Each mode beside `off`, for both tests. */
async function costs(
  measured: (round: Round, turns: number) => Promise<Readonly<Record<'off', RoundResult[]>>>,
): Promise<Record<string, unknown>> {
  row(['mode', 'per second', 'ratio', 'main us', 'others us', 'cpu cost %']);
  const table: Record<string, unknown> = {};
  const cpuUs = ({ mainUs, othersUs }: RoundResult): number => mainUs + othersUs;
  for (const test of ['set', 'get'] as const) {
    const results = await measured(roundOf(test, 16), 2 * TURNS + 1);
    const off = medians(results.off);
    for (const [mode, list] of Object.entries<RoundResult[]>(results)) {
      const result = medians(list);
      const ratio = result.perSecond / off.perSecond;
      const cpuCost = (cpuUs(result) / cpuUs(off) - 1) * 100;
      const { mainUs, othersUs, perSecond } = result;
      table[`${test} ${mode}`] = { ratio, cpu_cost_percent: cpuCost, ...result };
      row([`${test} ${mode}`, perSecond.toFixed(0), ratio, mainUs, othersUs, cpuCost]);
    }
  }
  return table;
}

async function benchMemory(): Promise<void> {
  const results = await eachFresh((server) => bytesPerKey(server, MEMORY_KEYS));
  row(['memory', 'bytes/key']);
  for (const [name, bytes] of Object.entries(results)) row([name, bytes]);
  report['memory'] = { keys: MEMORY_KEYS, bytes_per_key: results };
}

async function benchStall(): Promise<void> {
  const results = await eachFresh((server) => longestStall(server.port, MEMORY_KEYS));
  row(['stall', 'just started', 'longest ms', 'p99.9 ms', 'p50 ms', 'probes']);
  for (const [name, result] of Object.entries(results)) {
    const { firstLongestMs, longestMs, p999Ms, p50Ms, probes } = result;
    row([name, firstLongestMs, longestMs, p999Ms, p50Ms, String(probes)]);
  }
  report['stall'] = { keys: MEMORY_KEYS, ...results };
}

async function benchStart(): Promise<void> {
  const timesMs: Record<string, number[]> = {};
  for (let turn = 0; turn < 5; turn += 1) {
    for (const contender of contenders) {
      const before = performance.now();
      const server = await contender.start();
      (timesMs[contender.name] ??= []).push(performance.now() - before);
      await server.stop();
    }
  }
  row(['start', 'median ms']);
  const results = Object.fromEntries(
    Object.entries(timesMs).map(([name, list]) => [name, median(list)]),
  );
  for (const [name, ms] of Object.entries(results)) row([name, ms]);
  report['start_to_first_pong_ms'] = results;
}

async function benchSoak(): Promise<void> {
  const { results, isFlat } = await soak(SOAK_SECONDS * scale, row);
  report['soak'] = results;
  if (!isFlat) process.exitCode = 1;
}

function benchMicro(): void {
  const folder = path.join(root, 'dist/bench/micro');
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
    print(`micro ${file.replace('.js', '')}`);
    execFileSync(process.execPath, ['--expose-gc', path.join(folder, file)], { stdio: 'inherit' });
  }
}

const PARTS: Readonly<Record<string, () => Promise<void> | void>> = {
  load: benchLoad,
  types: benchTypes,
  scripts: benchScripts,
  heavy: () => heavy(isQuick, row, report),
  pubsub: benchPubSub,
  overhead: benchOverhead,
  users: benchUsers,
  front: benchFront,
  tracing: benchTracing,
  durability: benchDurability,
  replication: benchReplication,
  memory: benchMemory,
  stall: benchStall,
  copies: async () => {
    report['copies'] = await copies(eachFresh, scale, row);
  },
  tiered: () => tiered(scale, row, report),
  scrape: async () => {
    report['scrape'] = await scrapes(row);
  },
  observers: async () => {
    report['observers'] = await observers(SHARDS, 2 * TURNS + 1, row);
  },
  soak: benchSoak,
  start: benchStart,
  micro: benchMicro,
};
const FLAGS = ['--quick', '--baseline'];

const unknown = words.filter((word) => !FLAGS.includes(word) && !(word in PARTS));
if (unknown.length > 0) {
  print(`usage: npm run bench -- [${FLAGS.join('] [')}] [${Object.keys(PARTS).join(' | ')}] ...`);
  process.exit(words.includes('--help') ? 0 : 2);
}
if (contenders.length === 1)
  print('redis-server is not installed: there is nothing to compare with');
for (const [name, part] of Object.entries(PARTS)) {
  if (names.length > 0 ? !names.includes(name) : name === 'soak') continue;
  await part();
  measured[name] = new Date().toISOString();
}
writeResults(path.join(root, 'bench'), {
  report,
  measured,
  isBaseline: words.includes('--baseline'),
});
