/** Loads of the benchmarks, by the generator of `svc-server bench` and with its options. */

import { type LoadResult, readBenchOptions, runLoad } from '#load';
import { percentileUs } from '#stats';

/** Runs a load with options of `svc-server bench` to its end; rejects if a command had an error or no reply. */
export async function play(port: number, ...args: readonly string[]): Promise<LoadResult> {
  const { plan } = readBenchOptions(['--address', `127.0.0.1:${String(port)}`, ...args]);
  const result = await runLoad(plan);
  const { errors, errorCount, connectionsLost, lossReasons } = result;
  if (errorCount + connectionsLost > 0) {
    throw new Error(`a load had errors: ${JSON.stringify({ errors, lossReasons })}`);
  }
  return result;
}

/** Latency that a share of the commands had at most, in milliseconds. */
export function latencyMs({ latency }: LoadResult, share: number): number {
  return percentileUs(latency, share) / 1_000;
}

/** Writes keys once, in order: those of `keyOf`, or with another word of three letters in place of `key`. */
export async function fill(port: number, count: number, word = 'key'): Promise<void> {
  // A tenth of what is measured may leave nothing to fill.
  if (count === 0) return;
  await play(
    port,
    ...['--connections', '4', '--pipeline', '128', '--requests', String(count)],
    ...['--sequential', '--keys', String(count), '--command', `SET ${word}:{key} {value}`],
  );
}

/** Text of a word in a template of a command that stands for itself. */
export function quoted(word: string): string {
  const escaped = word.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
  return `"${escaped.replaceAll(/\{([^{}]*)\}/g, '{{$1}}')}"`;
}

/** A command in RESP. */
export function resp(...words: readonly string[]): string {
  const parts = words.map((word) => `$${String(word.length)}\r\n${word}\r\n`);
  return `*${String(words.length)}\r\n${parts.join('')}`;
}

const KEY_DIGITS = 12;

/** A key of 16 bytes. */
export function keyOf(nth: number): string {
  return `key:${String(nth).padStart(KEY_DIGITS, '0')}`;
}
