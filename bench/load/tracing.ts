/** Cost of traces to a load, with a collector that takes them, and of a log line for every request. */

import { type ChildServer, Collector, startServer } from '#testkit';
import { playRound, type Round, type RoundResult } from './rounds.ts';

const OFF = ['tracing-enabled', 'no', 'logging-per-request-spans', 'no'];
const MODES = {
  off: OFF,
  'trace 0 %': ['tracing-enabled', 'yes', 'tracing-sampling-rate', '0'],
  'trace 1 %': ['tracing-enabled', 'yes', 'tracing-sampling-rate', '0.01'],
  'trace 100 %': ['tracing-enabled', 'yes', 'tracing-sampling-rate', '1'],
  'every request': ['logging-per-request-spans', 'yes'],
} as const;

type TracingResults = Record<keyof typeof MODES, RoundResult[]>;

/** Measures the same round in every mode, in turns. The collector is in this process. */
export async function tracingOverheadOf(
  shards: number,
  round: Round,
  turns: number,
): Promise<TracingResults> {
  const collector = await Collector.start();
  const server = await startServer({
    shards,
    args: [
      ...['--set', `tracing.otlp-endpoint=${collector.endpoint}`],
      ...['--set', 'logging.output=none', '--set', 'logging.file-path=requests.log'],
    ],
  });
  const results = await rounds(server, round, turns);
  await server.stop();
  collector.stop();
  return results;
}

async function rounds(server: ChildServer, round: Round, turns: number): Promise<TracingResults> {
  const client = await server.client();
  const results = Object.fromEntries(
    Object.keys(MODES).map((mode) => [mode, []]),
  ) as unknown as TracingResults;
  // The first traces load what sends them, once.
  await client.call('CONFIG', 'SET', ...MODES['trace 1 %']);
  await playRound(server, round);
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [mode, settings] of Object.entries(MODES)) {
      await client.call('CONFIG', 'SET', ...OFF);
      if (mode !== 'off') await client.call('CONFIG', 'SET', ...settings);
      results[mode as keyof TracingResults].push(await playRound(server, round));
    }
  }
  await client.end();
  return results;
}
