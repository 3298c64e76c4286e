import type { Bytes } from '#base';
import { Random } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bitAt, countOnes, countOnesOfBits, findBit } from './bits.ts';
import { BIT_OPERATIONS, combined, type BitOperation } from './bitwise.ts';

const bits = suite('bits, at random');

/** Mostly of one kind, with some others: runs for what steps over words to pass. */
function drawn(random: Random, length: number): Bytes {
  const usual = random.integer(0, 1) * 0xff;
  const bytes = new Uint8Array(length).fill(usual);
  for (let change = random.integer(0, 3); change > 0 && length > 0; change -= 1) {
    bytes[random.integer(0, length - 1)] = random.integer(0, 255);
  }
  return bytes;
}

bits('are counted and found as one by one', () => {
  const random = new Random(1);
  for (let round = 0; round < 2_000; round += 1) {
    const at = random.integer(0, 8);
    const length = random.integer(1, 200);
    const bytes = drawn(random, at + length + random.integer(0, 8));
    const first = random.integer(0, 8 * length - 1);
    const final = first + random.integer(0, 8 * length - first - 1);
    let ones = 0;
    const found = [-1, -1];
    for (let bit = first; bit <= final; bit += 1) {
      const value = bitAt(bytes, at, bit);
      ones += value;
      if (found[value] === -1) found[value] = bit;
    }
    assert.is(countOnesOfBits(bytes, at, first, final), ones);
    assert.equal(
      [0, 1].map((wanted) => findBit(bytes, at, first, final, wanted)),
      found,
    );
  }
});

bits('are combined as byte by byte', () => {
  const random = new Random(2);
  const or = (bytes: readonly number[]): number => bytes.reduce((one, other) => one | other, 0);
  const all = (bytes: readonly number[], join: (one: number, other: number) => number): number =>
    bytes.reduce(join);
  const repeated = (bytes: readonly number[]): number =>
    or(bytes.map((byte, nth) => byte & or(bytes.slice(0, nth))));
  const naive: Record<BitOperation, (first: number, others: readonly number[]) => number> = {
    AND: (first, others) => all([first, ...others], (one, other) => one & other),
    OR: (first, others) => or([first, ...others]),
    XOR: (first, others) => all([first, ...others], (one, other) => one ^ other),
    NOT: (first) => ~first & 0xff,
    DIFF: (first, others) => first & ~or(others),
    DIFF1: (first, others) => ~first & or(others),
    ANDOR: (first, others) => first & or(others),
    ONE: (first, others) => or([first, ...others]) & ~repeated([first, ...others]),
  };
  const least: Partial<Record<BitOperation, number>> = { DIFF: 2, DIFF1: 2, ANDOR: 2 };
  for (let round = 0; round < 600; round += 1) {
    const operation = random.pick(BIT_OPERATIONS);
    const count = operation === 'NOT' ? 1 : random.integer(least[operation] ?? 1, 4);
    const sources = Array.from({ length: count }, () => {
      const long = random.chance(0.1) ? 70_000 : 100;
      return drawn(random, random.integer(0, long - 1)).subarray(random.integer(0, 3));
    });
    const length = Math.max(...sources.map((source) => source.length));
    const wanted = Array.from({ length }, (_, at) => {
      const [first = 0, ...others] = sources.map((source) => source[at] ?? 0);
      return naive[operation](first, others);
    });
    assert.ok(Buffer.from(wanted).equals(combined(operation, sources)), operation);
  }
});

bits('beyond the two thousand millionth are where they are', () => {
  const bytes = new Uint8Array(2 ** 28 + 100);
  const far = 8 * (2 ** 28 + 50) + 3;
  bytes[2 ** 28 + 50] = 0x10;
  bytes[1] = 1;
  assert.is(countOnes(bytes, 0, bytes.length), 2);
  assert.is(countOnesOfBits(bytes, 0, 16, 8 * bytes.length - 1), 1);
  assert.is(countOnesOfBits(bytes, 0, far, far), 1);
  assert.is(findBit(bytes, 0, 16, 8 * bytes.length - 1, 1), far);
  assert.is(findBit(bytes, 0, far, far + 9, 0), far + 1);
  assert.is(bitAt(bytes, 0, far), 1);
});

bits.run();
