/** Samples of keys for the biggest keys and prefixes, as a module of main. */

import type { MemoryKeysDocument } from '#api-types';
import { beginningAsText, type Composed, keyAsText, MainModule } from '#main';
import type { Router } from '#router';
import { keySampleCall, mergeSamples } from '#stats';

interface KeySamplesOptions {
  readonly router: Pick<Router, 'shardCalls'>;
}

export function keySamplesModule({
  router,
}: KeySamplesOptions): Composed<object, never, 'key-samples'> {
  const module = new MainModule({
    name: 'key samples',
    answers: { 'key-samples': ({ count }) => keySamplesDocument(router, count) },
  });
  return { module, parts: {} };
}

async function keySamplesDocument(
  { shardCalls }: KeySamplesOptions['router'],
  count: number,
): Promise<MemoryKeysDocument> {
  const reports = await shardCalls.ask(keySampleCall, { count });
  const merged = mergeSamples(
    reports.flatMap((report) =>
      report.missing ? [] : [{ shard: report.shard, ...report.answer }],
    ),
  );
  return {
    keys: merged.keys,
    sampled_keys: merged.sampled,
    complete: merged.sampled === merged.keys && reports.every(({ missing }) => !missing),
    biggest: merged.biggest.map(({ key, isCut, database, shard, type, bytes }) => ({
      ...beginningAsText(key),
      cut: isCut,
      db: database,
      shard,
      type,
      bytes,
    })),
    prefixes: merged.prefixes.map(({ prefix, keys, bytes, allBytes }) => {
      const { key, binary } = keyAsText(prefix);
      return {
        prefix: key,
        binary,
        sampled_keys: keys,
        sampled_bytes: bytes,
        percent: Math.round((10_000 * bytes) / Math.max(1, merged.sampledBytes)) / 100,
        bytes: Math.round(allBytes),
      };
    }),
    missing_shards: reports.filter(({ missing }) => missing).map(({ shard }) => shard),
  };
}
