import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeSamples, type KeySample } from './key-samples.ts';

const samples = suite('samples of keys');

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

function sample(
  keys: number,
  sampled: number,
  prefixes: Record<string, [number, number]>,
): KeySample {
  return {
    keys,
    sampled,
    biggest: Object.entries(prefixes).map(([name, [, bytes]]) => ({
      key: bytesOf(`${name}key`),
      isCut: false,
      database: 0,
      type: 'string',
      bytes,
    })),
    prefixes: Object.entries(prefixes).map(([name, [count, bytes]]) => ({
      prefix: bytesOf(name),
      keys: count,
      bytes,
    })),
  };
}

samples('each shard is weighted by its own share of keys', () => {
  const merged = mergeSamples([
    { shard: 0, ...sample(100, 10, { 'a:': [8, 80], 'b:': [2, 200] }) },
    { shard: 1, ...sample(4, 4, { 'a:': [4, 40] }) },
  ]);
  assert.equal([merged.keys, merged.sampled, merged.sampledBytes], [104, 14, 320]);
  assert.equal(
    merged.prefixes.map(({ prefix, keys, bytes, allBytes }) => [
      Buffer.from(prefix).toString(),
      keys,
      bytes,
      allBytes,
    ]),
    [
      ['b:', 2, 200, 2_000],
      ['a:', 12, 120, 840],
    ],
  );
  assert.equal(
    merged.biggest.map(({ shard, bytes }) => [shard, bytes]),
    [
      [0, 200],
      [0, 80],
      [1, 40],
    ],
  );
});

samples('without keys there is nothing', () => {
  const merged = mergeSamples([{ shard: 0, ...sample(0, 0, {}) }]);
  assert.equal([merged.keys, merged.prefixes, merged.biggest], [0, [], []]);
});

samples.run();
