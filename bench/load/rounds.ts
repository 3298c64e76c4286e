/** One round of GET or SET against one server, by redis-benchmark where it is installed. */

import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { keyOf, load, resp } from './generator.ts';
import { SCRIPT_COMMANDS } from './scripts.ts';
import { cpuBetween, threadCpu } from './thread-cpu.ts';

const run = promisify(execFile);

/** A test of redis-benchmark; our own generator knows `set` and `get`. */
type Test = 'set' | 'get' | (typeof TYPE_TESTS)[number] | keyof typeof SCRIPT_COMMANDS;

/** Stands for a value of the round's size. */
const VALUE = '<value>';
/** Placeholder that redis-benchmark replaces with a random number of twelve digits. */
const RANDOM = '__rand_int__';

/** One for each way a type is used. */
export const TYPE_TESTS = [
  'incr',
  'lpush',
  'rpop',
  'lrange_100',
  'sadd',
  'spop',
  'hset',
  'zadd',
  'zrange_100',
  'zpopmin',
  'xadd',
  'xrange_100',
  'xread_10',
] as const;

/** Tests with long replies, and the factor by which fewer of them are enough. */
export const LONG_TESTS: Partial<Record<Test, number>> = {
  lrange_100: 4,
  zrange_100: 4,
  xrange_100: 10,
  xread_10: 4,
};

/**
 * Commands without a test in redis-benchmark, and the commands that fill their keys. Its own test of LRANGE first
 * reports, at length, the LPUSH that fills the list.
 */
const OWN_COMMANDS: Partial<Record<Test, OwnCommand>> = {
  lrange_100: {
    words: ['LRANGE', 'list:read', '0', '99'],
    fill: ['LPUSH', 'list:read', VALUE],
  },
  zrange_100: {
    words: ['ZRANGE', 'zset:read', '0', '99'],
    fill: ['ZADD', 'zset:read', RANDOM, `member:${RANDOM}`],
  },
  xadd: { words: ['XADD', 'stream:added', '*', 'field', VALUE] },
  xrange_100: {
    words: ['XRANGE', 'stream:read', '-', '+', 'COUNT', '100'],
    fill: ['XADD', 'stream:read', '*', 'field', VALUE],
  },
  xread_10: {
    words: ['XREAD', 'COUNT', '10', 'STREAMS', 'stream:read', '0'],
    fill: ['XADD', 'stream:read', '*', 'field', VALUE],
  },
  ...SCRIPT_COMMANDS,
};
const FILL_COMMANDS = 1000;

interface OwnCommand {
  readonly words: readonly string[];
  /** Command that is run beforehand, a thousand times. */
  readonly fill?: readonly string[];
}

export interface Round {
  test: Test;
  pipeline: number;
  commands: number;
  connections: number;
  valueBytes: number;
  keys: number;
  /** Name of the user that sends the commands, which is its password, too; the default user without one. */
  user?: string | undefined;
}

export interface RoundResult {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  p999Ms: number;
  /** Processor microseconds per command: of the main thread, and of the others together. */
  mainUs: number;
  othersUs: number;
}

export const hasRedisBenchmark = isInstalled('redis-benchmark');

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function playRound(
  server: { port: number; pid: number },
  round: Round,
): Promise<RoundResult> {
  const before = threadCpu(server.pid);
  const timing = hasRedisBenchmark
    ? await byRedisBenchmark(server.port, round)
    : await byGenerator(server.port, round);
  const use = cpuBetween(server.pid, before, threadCpu(server.pid));
  const othersUs = use.othersUs.reduce((sum, us) => sum + us, 0);
  return {
    ...timing,
    mainUs: use.mainUs / round.commands,
    othersUs: othersUs / round.commands,
  };
}

type Timing = Omit<RoundResult, 'mainUs' | 'othersUs'>;

async function byRedisBenchmark(port: number, round: Round): Promise<Timing> {
  const own = OWN_COMMANDS[round.test];
  const wordsOf = (words: readonly string[]): readonly string[] =>
    words.map((word) => (word === VALUE ? 'x'.repeat(round.valueBytes) : word));
  if (own?.fill !== undefined) {
    await run('redis-benchmark', [
      ...['-p', String(port), '-q', '-n', String(FILL_COMMANDS), '-r', String(FILL_COMMANDS)],
      ...wordsOf(own.fill),
    ]);
  }
  const { stdout } = await run('redis-benchmark', [
    ...['-p', String(port), '-n', String(round.commands)],
    ...['-c', String(round.connections), '-P', String(round.pipeline)],
    ...(round.user === undefined ? [] : ['--user', round.user, '-a', round.user]),
    ...['-d', String(round.valueBytes), '-r', String(round.keys), '--precision', '3'],
    ...(own === undefined ? ['-t', round.test] : wordsOf(own.words)),
  ]);
  const text = stdout.replaceAll('\r', '\n');
  const [, perSecond = '0'] = /throughput summary: ([\d.]+)/.exec(text) ?? [];
  const percentiles = [...text.matchAll(/^([\d.]+)% <= ([\d.]+) milliseconds/gm)].map(
    ([, percent, ms]) => ({ percent: Number(percent), ms: Number(ms) }),
  );
  // Two distributions follow each other; the first one is by percentile.
  const at = (wanted: number): number =>
    percentiles.find(({ percent }) => percent >= wanted)?.ms ?? NaN;
  return { perSecond: Number(perSecond), p50Ms: at(50), p99Ms: at(99), p999Ms: at(99.9) };
}

async function byGenerator(port: number, round: Round): Promise<Timing> {
  const value = 'x'.repeat(round.valueBytes);
  const key = (): string => keyOf(Math.floor(Math.random() * round.keys));
  const { seconds, latency } = await load({
    port,
    connections: round.connections,
    pipeline: round.pipeline,
    commands: round.commands,
    command: () => (round.test === 'set' ? resp('SET', key(), value) : resp('GET', key())),
    linesPerReply: round.test === 'set' ? 1 : 2,
  });
  return {
    perSecond: round.commands / seconds,
    p50Ms: latency.percentile(50) / 1e6,
    p99Ms: latency.percentile(99) / 1e6,
    p999Ms: latency.percentile(99.9) / 1e6,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >>> 1] ?? NaN;
}

/** Plays one round against all servers by turns; the median of each, by its name. */
export async function roundByTurns<Name extends string>(
  servers: ReadonlyMap<Name, { port: number; pid: number }>,
  round: Round,
  turns: number,
): Promise<Map<Name, RoundResult>> {
  const results = new Map<Name, RoundResult[]>();
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, server] of servers) {
      const list = results.get(name) ?? [];
      list.push(await playRound(server, round));
      results.set(name, list);
    }
  }
  return new Map([...results].map(([name, list]) => [name, medians(list)]));
}

/** The median of each figure by itself. */
export function medians(results: readonly RoundResult[]): RoundResult {
  const of = (pick: (result: RoundResult) => number): number => median(results.map(pick));
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    p999Ms: of(({ p999Ms }) => p999Ms),
    mainUs: of(({ mainUs }) => mainUs),
    othersUs: of(({ othersUs }) => othersUs),
  };
}
