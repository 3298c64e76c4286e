/** Samples of keys that shards take for the biggest keys and prefixes. */

import { shardCall } from '../calls/shard-calls.ts';

export interface SampledKey {
  /** First bytes of the key. */
  readonly key: Uint8Array;
  readonly isCut: boolean;
  readonly database: number;
  readonly type: string;
  readonly bytes: number;
}

interface SampledPrefix {
  readonly prefix: Uint8Array;
  readonly keys: number;
  readonly bytes: number;
}

export interface KeySample {
  /** Keys of the shard. */
  readonly keys: number;
  /** Keys that were looked at. */
  readonly sampled: number;
  readonly biggest: readonly SampledKey[];
  readonly prefixes: readonly SampledPrefix[];
}

/** Has a shard look at up to that many of its keys: at all if it has no more, and at random ones otherwise. */
export const keySampleCall = shardCall<{ readonly count: number }, KeySample>('key-sample');

/** Most keys that a shard looks at for one request: about a millisecond. */
export const SAMPLE_KEYS_MAX = 1_000;
/** Most keys, and prefixes, that a report has. */
export const SAMPLE_ROWS_MAX = 50;

interface PrefixEstimate extends SampledPrefix {
  /** Estimate for all keys with the prefix. */
  readonly allBytes: number;
}

interface MergedSample {
  readonly keys: number;
  readonly sampled: number;
  readonly sampledBytes: number;
  readonly biggest: readonly (SampledKey & { readonly shard: number })[];
  readonly prefixes: readonly PrefixEstimate[];
}

/** Merges the samples of shards, biggest first. A shard's sample stands for all of its keys. */
export function mergeSamples(
  samples: readonly (KeySample & { readonly shard: number })[],
): MergedSample {
  const prefixes = new Map<string, PrefixEstimate>();
  for (const { keys, sampled, prefixes: found } of samples) {
    const weight = sampled === 0 ? 0 : keys / sampled;
    for (const each of found) {
      const name = Buffer.from(each.prefix).toString('latin1');
      const sum = prefixes.get(name);
      prefixes.set(name, {
        prefix: each.prefix,
        keys: (sum?.keys ?? 0) + each.keys,
        bytes: (sum?.bytes ?? 0) + each.bytes,
        allBytes: (sum?.allBytes ?? 0) + weight * each.bytes,
      });
    }
  }
  const all = [...prefixes.values()];
  return {
    keys: samples.reduce((sum, { keys }) => sum + keys, 0),
    sampled: samples.reduce((sum, { sampled }) => sum + sampled, 0),
    sampledBytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    biggest: samples
      .flatMap(({ shard, biggest }) => biggest.map((key) => ({ ...key, shard })))
      .sort((a, b) => b.bytes - a.bytes)
      .slice(0, SAMPLE_ROWS_MAX),
    prefixes: all.sort((a, b) => b.allBytes - a.allBytes).slice(0, SAMPLE_ROWS_MAX),
  };
}
