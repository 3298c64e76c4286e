/** One round of a load against one server, with the processor time of its threads. */

import { latencyMs, play } from './generator.ts';
import { SCRIPT_COMMANDS } from './scripts.ts';
import { cpuBetween, threadCpu } from './thread-cpu.ts';

/** A command of a round, and one that fills its keys beforehand. */
interface RoundCommand {
  readonly command: string;
  readonly fill?: string;
}

const STREAM = 'XADD stream:read * field {value}';

/** Templates of commands, by the names of rounds; those that redis-benchmark has too are as there. */
const COMMANDS = {
  set: { command: 'SET key:{key} {value}' },
  get: { command: 'GET key:{key}' },
  incr: { command: 'INCR counter:{key}' },
  lpush: { command: 'LPUSH mylist {value}' },
  rpop: { command: 'RPOP mylist' },
  lrange_100: { command: 'LRANGE list:read 0 99', fill: 'LPUSH list:read {value}' },
  sadd: { command: 'SADD myset element:{key}' },
  spop: { command: 'SPOP myset' },
  hset: { command: 'HSET myhash element:{key} {value}' },
  zadd: { command: 'ZADD myzset {random} element:{key}' },
  zrange_100: { command: 'ZRANGE zset:read 0 99', fill: 'ZADD zset:read {random} member:{key}' },
  zpopmin: { command: 'ZPOPMIN myzset' },
  xadd: { command: 'XADD stream:added * field {value}' },
  xrange_100: { command: 'XRANGE stream:read - + COUNT 100', fill: STREAM },
  xread_10: { command: 'XREAD COUNT 10 STREAMS stream:read 0', fill: STREAM },
  ...SCRIPT_COMMANDS,
} as const satisfies Readonly<Record<string, RoundCommand>>;

type Test = keyof typeof COMMANDS;

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

const FILL_COMMANDS = 1000;

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

export async function playRound(
  server: { port: number; pid: number },
  round: Round,
): Promise<RoundResult> {
  const { command, fill: filling }: RoundCommand = COMMANDS[round.test];
  const size = ['--value-size', String(round.valueBytes)];
  if (filling !== undefined) {
    const count = String(FILL_COMMANDS);
    await play(server.port, ...size, '--command', filling, '--keys', count, '--requests', count);
  }
  const before = threadCpu(server.pid);
  const result = await play(
    server.port,
    ...['--command', command, '--requests', String(round.commands), ...size],
    ...['--connections', String(round.connections), '--pipeline', String(round.pipeline)],
    ...['--keys', String(round.keys)],
    ...(round.user === undefined ? [] : ['--user', round.user, '--password', round.user]),
  );
  const use = cpuBetween(server.pid, before, threadCpu(server.pid));
  const othersUs = use.othersUs.reduce((sum, us) => sum + us, 0);
  return {
    perSecond: result.commands / result.seconds,
    p50Ms: latencyMs(result, 0.5),
    p99Ms: latencyMs(result, 0.99),
    p999Ms: latencyMs(result, 0.999),
    mainUs: use.mainUs / round.commands,
    othersUs: othersUs / round.commands,
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
