/** Cost and speed of replication, beside Redis with its replica. */

import { type ChildServer, startRedis, startServer, textOf, until } from '#testkit';
import { fill } from './generator.ts';
import { longestStallWhile } from './growth.ts';
import { median, playRound, type Round, type RoundResult } from './rounds.ts';
import { residentBytes } from './thread-cpu.ts';

type Kind = 'svc' | 'redis';

/** Load that both get. */
interface Load {
  readonly shards: number;
  readonly round: Round;
  readonly turns: number;
}

interface Sizes {
  /** Keys of a full synchronisation. */
  readonly keys: number;
  /** Commands that a replica was away for. */
  readonly missed: number;
}

/** Prints a row of a table. */
type Row = (cells: readonly (string | number)[]) => void;

const KINDS: readonly Kind[] = ['svc', 'redis'];
const PAIRS: readonly (readonly [primary: Kind, replica: Kind])[] = [
  ['redis', 'redis'],
  ['svc', 'svc'],
  ['redis', 'svc'],
  ['svc', 'redis'],
];
const PATIENCE_MS = 180_000;
const WAITS = 200;
/** Size of a backlog that covers the pause of a replica. */
const BACKLOG = String(512 * 1024 * 1024);

const REDIS_ARGS = [
  ...['--repl-diskless-sync-delay', '0', '--repl-backlog-size', BACKLOG],
  ...['--client-output-buffer-limit', 'replica 0 0 0'],
];
const OUR_ARGS = [
  ...['--log-level', 'warn', '--set', 'persistence.enabled=no'],
  ...['--set', 'replication.diskless-sync-delay-secs=0'],
  ...['--set', `replication.backlog-size=${BACKLOG}`],
  ...['--set', 'server.client-output-buffer-limit-replica=0 0 0'],
];

/** All of it; answers the figures. */
export async function replication(
  load: Load,
  sizes: Sizes,
  row: Row,
): Promise<Record<string, unknown>> {
  const table: Record<string, unknown> = {};
  row(['with a replica', 'ratio', 'alone/s', 'with/s', 'main us', 'alone us']);
  for (const kind of KINDS) {
    const { exclusive, followed } = await withReplica(kind, load);
    const speed = (results: readonly RoundResult[]): number =>
      median(results.map(({ perSecond }) => perSecond));
    const mainUs = (results: readonly RoundResult[]): number =>
      median(results.map((result) => result.mainUs));
    const ratio = speed(followed) / speed(exclusive);
    table[`with ${kind}`] = { ratio, main_us: mainUs(followed), alone_main_us: mainUs(exclusive) };
    row([
      ...[kind, ratio, speed(exclusive).toFixed(0), speed(followed).toFixed(0)],
      ...[mainUs(followed), mainUs(exclusive)],
    ]);
  }
  row(['full sync', 'seconds', 'stall ms', 'p99.9 ms', 'memory x', 'missed/s', 'wait ms']);
  for (const [primary, replica] of PAIRS) {
    const figures = await follow(primary, replica, load.shards, sizes);
    table[`${primary} to ${replica}`] = figures;
    row([
      ...[`${primary} to ${replica}`, figures.seconds, figures.stallMs, figures.p999Ms],
      ...[figures.memoryRatio, figures.missedPerSecond.toFixed(0), figures.waitMs],
    ]);
  }
  return table;
}

function start(kind: Kind, shards: number): Promise<ChildServer> {
  return kind === 'redis' ? startRedis(REDIS_ARGS) : startServer({ shards, args: OUR_ARGS });
}

/** SET against a primary without a replica and one with, by turns. */
async function withReplica(
  kind: Kind,
  { shards, round, turns }: Load,
): Promise<{ readonly exclusive: RoundResult[]; readonly followed: RoundResult[] }> {
  const servers = await Promise.all([0, 1, 2].map(() => start(kind, shards)));
  const [lone, primary, replica] = servers as [ChildServer, ChildServer, ChildServer];
  const exclusive: RoundResult[] = [];
  const followed: RoundResult[] = [];
  try {
    await attach(replica, primary);
    for (let turn = 0; turn < turns; turn += 1) {
      exclusive.push(await playRound(lone, round));
      followed.push(await playRound(primary, round));
      await untilSame(primary, replica);
    }
  } finally {
    for (const server of servers) await server.stop();
  }
  return { exclusive, followed };
}

interface FollowFigures {
  /** Time of a full synchronisation. */
  readonly seconds: number;
  /** Waits of a client of the primary during it. */
  readonly stallMs: number;
  readonly p999Ms: number;
  /** Resident memory of the primary during it, of what it was before. */
  readonly memoryRatio: number;
  /** Commands a second that a replica applies which was away. */
  readonly missedPerSecond: number;
  /** Median time until a write is acknowledged by WAIT. */
  readonly waitMs: number;
}

async function follow(
  ofPrimary: Kind,
  ofReplica: Kind,
  shards: number,
  { keys, missed }: Sizes,
): Promise<FollowFigures> {
  const primary = await start(ofPrimary, shards);
  const replica = await start(ofReplica, shards);
  try {
    await fill(primary.port, keys);
    const before = residentBytes(primary.pid);
    let most = before;
    const looking = setInterval(() => {
      most = Math.max(most, residentBytes(primary.pid));
    }, 20);
    let seconds = 0;
    const stall = await longestStallWhile(primary.port, async () => {
      const beganMs = performance.now();
      await attach(replica, primary);
      seconds = (performance.now() - beganMs) / 1_000;
    });
    clearInterval(looking);
    const waitMs = await waitsOf(primary);
    replica.signal('SIGSTOP');
    await fill(primary.port, missed);
    const awayMs = performance.now();
    replica.signal('SIGCONT');
    await untilSame(primary, replica);
    return {
      seconds,
      stallMs: stall.longestMs,
      p999Ms: stall.p999Ms,
      memoryRatio: most / before,
      missedPerSecond: missed / ((performance.now() - awayMs) / 1_000),
      waitMs,
    };
  } finally {
    await replica.stop();
    await primary.stop();
  }
}

/** Makes one the replica of the other; ends when it has all data. */
async function attach(replica: ChildServer, primary: ChildServer): Promise<void> {
  const client = await replica.client();
  await client.call('REPLICAOF', '127.0.0.1', primary.port);
  await untilSame(primary, replica);
  await client.end();
}

async function untilSame(primary: ChildServer, replica: ChildServer): Promise<void> {
  const [there, here] = [await primary.client(), await replica.client()];
  const isSame = async (): Promise<boolean> => {
    const followed = textOf(await here.call('INFO', 'replication'));
    if (!followed.includes('master_link_status:up')) return false;
    const led = textOf(await there.call('INFO', 'replication'));
    return fieldOf(led, 'master_repl_offset') === fieldOf(followed, 'slave_repl_offset');
  };
  await until(isSame, 'the replica has all', PATIENCE_MS);
  await Promise.all([there.end(), here.end()]);
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

async function waitsOf(primary: ChildServer): Promise<number> {
  const client = await primary.client();
  const times: number[] = [];
  for (let nth = 0; nth < WAITS; nth += 1) {
    const beganMs = performance.now();
    await client.pipeline([
      ['SET', 'waited', String(nth)],
      ['WAIT', '1', '10000'],
    ]);
    times.push(performance.now() - beganMs);
  }
  await client.end();
  return median(times);
}
