/** Cost of keeping the data, beside what it costs Redis: throughput by mode, a snapshot, recovery. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChildServer, startRedis, startServer, textOf, until } from '#testkit';
import { fill } from './generator.ts';
import { longestStallWhile, type StallResult } from './growth.ts';
import { medians, playRound, type Round, type RoundResult } from './rounds.ts';

/** No snapshot but those that are asked for. */
const QUIET = [
  ...['--log-level', 'warn', '--set', 'snapshot.interval-secs=0'],
  ...['--set', 'snapshot.log-growth-percent=0'],
];

/** Each mode of ours beside Redis' own. */
const MODES = [
  { mode: 'none', ours: ['--set', 'persistence.enabled=no'], theirs: [] },
  {
    mode: 'periodic',
    ours: ['--set', 'persistence.durability-mode=periodic'],
    theirs: ['--appendonly', 'yes', '--appendfsync', 'everysec'],
  },
  {
    mode: 'sync',
    ours: ['--set', 'persistence.durability-mode=sync'],
    theirs: ['--appendonly', 'yes', '--appendfsync', 'always'],
  },
] as const;

interface ModeResult {
  readonly mode: string;
  readonly ours: readonly RoundResult[];
  readonly theirs: readonly RoundResult[];
}

/** Load that both servers get. */
interface Load {
  readonly shards: number;
  readonly round: Round;
  readonly turns: number;
}

/** Prints a row of a table. */
type Row = (cells: readonly (string | number)[]) => void;

/** All of it; answers the figures. */
export async function durability(
  load: Load,
  { stallKeys, recoveryKeys }: { readonly stallKeys: number; readonly recoveryKeys: number },
  row: Row,
): Promise<Record<string, unknown>> {
  const { shards } = load;
  const table: Record<string, unknown> = {};
  row(['durability', 'ratio', 'svc/s', 'redis/s', 'main us', 'redis us']);
  for (const { mode, ours, theirs } of await modes(load)) {
    const [svc, redis] = [medians([...ours]), medians([...theirs])];
    const ratio = svc.perSecond / redis.perSecond;
    table[mode] = { throughput_ratio: ratio, svc, redis };
    const speeds = [svc.perSecond.toFixed(0), redis.perSecond.toFixed(0)];
    row([mode, ratio, ...speeds, svc.mainUs, redis.mainUs]);
  }
  row(['snapshot', 'longest ms', 'p99.9 ms']);
  for (const name of ['svc', 'redis'] as const) {
    const server = name === 'svc' ? await startServer({ shards, args: QUIET }) : await startRedis();
    const stall = await snapshotStall(server, stallKeys);
    await server.stop();
    table[`snapshot ${name}`] = stall;
    row([name, stall.longestMs, stall.p999Ms]);
  }
  row(['recovery', 'keys/s']);
  const starts = {
    svc: (folder: string) => startServer({ shards, folder, args: QUIET }),
    redis: (folder: string) => startRedis(['--appendonly', 'yes'], folder),
  };
  for (const name of ['svc', 'redis'] as const) {
    const keysPerSecond = await recoverySpeed(starts[name], recoveryKeys);
    table[`recovery ${name}`] = { keys_per_second: keysPerSecond };
    row([name, keysPerSecond.toFixed(0)]);
  }
  return table;
}

/** SET in each mode, by turns with Redis. */
async function modes({ shards, round, turns }: Load): Promise<readonly ModeResult[]> {
  const results: ModeResult[] = [];
  for (const { mode, ours, theirs } of MODES) {
    const svc = await startServer({ shards, args: [...QUIET, ...ours] });
    const redis = await startRedis(theirs);
    const result = { mode, ours: [] as RoundResult[], theirs: [] as RoundResult[] };
    for (let turn = 0; turn < turns; turn += 1) {
      result.ours.push(await playRound(svc, round));
      result.theirs.push(await playRound(redis, round));
    }
    await Promise.all([svc.stop(), redis.stop()]);
    results.push(result);
  }
  return results;
}

/** The longest wait of a bystander while a snapshot of `keys` keys is taken. */
async function snapshotStall(server: ChildServer, keys: number): Promise<StallResult> {
  await fill(server.port, keys);
  const client = await server.client();
  const info = async (): Promise<string> => textOf(await client.call('INFO', 'persistence'));
  return longestStallWhile(server.port, async () => {
    await client.call('BGSAVE');
    const isOver = async (): Promise<boolean> =>
      (await info()).includes('rdb_bgsave_in_progress:0');
    await until(isOver, 'the snapshot is taken', 120_000);
  });
}

/** Keys a second at a start on a log of `keys` keys, from the process' start to its first answer. */
async function recoverySpeed(
  start: (folder: string) => Promise<ChildServer>,
  keys: number,
): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-bench-'));
  try {
    const before = await start(folder);
    await fill(before.port, keys);
    const client = await before.client();
    await client.call('PING');
    before.signal('SIGTERM');
    await before.ended;
    const beganMs = performance.now();
    const after = await start(folder);
    const again = await after.client();
    await until(async () => (await again.reply('DBSIZE')) === keys, 'the data is back', 120_000);
    const seconds = (performance.now() - beganMs) / 1_000;
    await after.stop();
    return keys / seconds;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
