/** LZ4 blocks: what is compressed comes back, and damaged blocks do no harm. */
import type { Bytes } from '#base';
import { Random } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compress, compressedBytesMax, decompress } from './lz4.ts';

const lz4 = suite('lz4');

function packed(source: Bytes): Bytes {
  const target = new Uint8Array(compressedBytesMax(source.length));
  return target.slice(0, compress(source, target));
}

function unpacked(block: Bytes, length: number): Bytes | undefined {
  const target = new Uint8Array(length);
  return decompress(block, target) ? target : undefined;
}

/** Bytes with repetitions of all distances and lengths. */
function repetitive(random: Random, length: number): Bytes {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length;) {
    const count = Math.min(random.integer(1, random.integer(0, 9) === 0 ? 2_000 : 20), length - at);
    const distance = random.integer(1, Math.max(1, Math.min(at, 70_000)));
    const isNew = at === 0 || random.integer(0, 2) === 0;
    for (let nth = 0; nth < count; nth += 1, at += 1) {
      bytes[at] = isNew ? random.integer(0, 255) : bytes[at - distance]!;
    }
  }
  return bytes;
}

lz4('what is compressed comes back', () => {
  const random = new Random(5);
  for (const length of [0, 1, 4, 5, 12, 13, 14, 20, 270, 16_384, 100_000]) {
    for (const source of [
      new Uint8Array(length),
      repetitive(random, length),
      Uint8Array.from({ length }, () => random.integer(0, 255)),
    ]) {
      assert.equal(unpacked(packed(source), length), source, `${length} bytes`);
    }
  }
  for (let round = 0; round < 300; round += 1) {
    const source = repetitive(random, random.integer(1, 3_000));
    assert.equal(unpacked(packed(source), source.length), source);
  }
});

lz4('writes and reads the format of others', () => {
  const source = new TextEncoder().encode(`${'abcd'.repeat(5)}xyzxyzxyzxyzxyzxyz`);
  const block = packed(source);
  assert.is(block[0], 0x4c, 'four literals, and a match of 16');
  assert.equal([...block.subarray(1, 7)], [97, 98, 99, 100, 4, 0]);
  const literals = Uint8Array.of(0x30, 1, 2, 3);
  assert.equal(unpacked(literals, 3), Uint8Array.of(1, 2, 3));
  const run = Uint8Array.of(0x1f, 7, 1, 0, 5, 0x50, 1, 2, 3, 4, 5);
  assert.equal([...(unpacked(run, 30) ?? [])], [...Array<number>(25).fill(7), 1, 2, 3, 4, 5]);
});

lz4('a damaged block is refused, or has other bytes', () => {
  const random = new Random(6);
  const source = repetitive(random, 2_000);
  const block = packed(source);
  for (let round = 0; round < 2_000; round += 1) {
    const damaged = block.slice(0, random.integer(1, block.length));
    damaged[random.integer(0, damaged.length - 1)] = random.integer(0, 255);
    unpacked(damaged, source.length);
  }
  assert.is(unpacked(block.subarray(0, 100), source.length), undefined);
  assert.is(unpacked(block, source.length - 1), undefined);
  assert.is(unpacked(Uint8Array.of(0x10, 1, 0, 0), 10), undefined, 'a match of no distance');
});

lz4.run();
