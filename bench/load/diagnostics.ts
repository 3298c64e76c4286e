/** Diagnostics under a load: what they report of it, and what they cost it. */

import type { ChildServer } from '#testkit';
import { playRound, type Round, type RoundResult } from './rounds.ts';

/** Cumulative counts of one shard by label: `<=1ms` and so on. */
type BandTable = Readonly<Record<string, number>>;

/** One round with bands switched on for it, and what each shard counted; their sum is that of all. */
export async function bandsOfRound(server: ChildServer, round: Round): Promise<BandTable[]> {
  const client = await server.client();
  await client.call('CONFIG', 'SET', 'latency-bands-enabled', 'yes');
  await client.call('LATENCY', 'BANDS', 'RESET');
  await playRound(server, round);
  const merged = tableOf(await client.call('LATENCY', 'BANDS'));
  const shards = ((await client.call('LATENCY', 'BANDS', 'PER-SHARD')) as unknown[]).map(tableOf);
  await client.call('CONFIG', 'SET', 'latency-bands-enabled', 'no');
  await client.end();
  for (const [label, count] of Object.entries(merged)) {
    const sum = shards.reduce((total, shard) => total + (shard[label] ?? 0), 0);
    if (sum !== count) throw new Error(`bands of the shards do not add up at ${label}`);
  }
  return shards;
}

function tableOf(reply: unknown): BandTable {
  const list = reply as (string | number)[];
  return Object.fromEntries(
    list.flatMap((label, nth) => (nth % 2 === 0 ? [[String(label), Number(list[nth + 1])]] : [])),
  );
}

const ON = [
  ...['latency-bands-enabled', 'yes', 'slowlog-log-slower-than', '0'],
  ...['latency-tracking', 'yes', 'latency-monitor-threshold', '1', 'history-enabled', 'yes'],
];
const OFF = [
  ...['latency-bands-enabled', 'no', 'slowlog-log-slower-than', '-1'],
  ...['latency-tracking', 'no', 'latency-monitor-threshold', '0', 'history-enabled', 'no'],
];

/** `hot keys`: a session that samples one command in a hundred, and nothing else; `on`: all there is. */
const OVERHEAD_MODES = ['off', 'hot keys', 'on'] as const;
type OverheadResults = Record<(typeof OVERHEAD_MODES)[number], RoundResult[]>;

/** Measures the same round with all diagnostics off, with hot keys only, and with all on, in turns. */
export async function overheadOf(
  server: ChildServer,
  round: Round,
  turns: number,
): Promise<OverheadResults> {
  const client = await server.client();
  const results: OverheadResults = { off: [], 'hot keys': [], on: [] };
  for (let turn = 0; turn < turns; turn += 1) {
    for (const mode of OVERHEAD_MODES) {
      await client.call('CONFIG', 'SET', ...(mode === 'on' ? ON : OFF));
      if (mode !== 'off') await client.call('HOTKEYS', 'START', 'SAMPLE', '100');
      results[mode].push(await playRound(server, round));
      if (mode !== 'off') await client.call('HOTKEYS', 'STOP');
    }
  }
  await client.end();
  return results;
}
