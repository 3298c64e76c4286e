import { fromLatin1 } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readUnsigned, StreamId, unsigned } from './stream-id.ts';

const ids = suite('stream ids');

const MAX = 2n ** 64n - 1n;

function idOf(ms: bigint, seq: bigint): StreamId {
  const word = (value: bigint): number => Number(BigInt.asIntN(32, value));
  return new StreamId().setWords(word(ms >> 32n), word(ms), word(seq >> 32n), word(seq));
}

/** Texts of unsigned numbers, and what they are; undefined for those that are none. */
const numbers: readonly (readonly [text: string, value: bigint | undefined])[] = [
  ['0', 0n],
  ['5', 5n],
  ['4294967295', 2n ** 32n - 1n],
  ['4294967296', 2n ** 32n],
  ['999999999999999', 999_999_999_999_999n],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['9223372036854775808', 2n ** 63n],
  ['18446744073709551615', MAX],
  ['18446744073709551616', undefined],
  ['007', 7n],
  [' 7', 7n],
  ['\t+7', 7n],
  ['7 ', undefined],
  ['', undefined],
  ['+', undefined],
  ['x', undefined],
  ['1x', undefined],
  ['-1', undefined],
  ['-9223372036854775808', undefined],
  ['-9223372036854775809', 2n ** 64n - 9_223_372_036_854_775_809n],
  ['-05', MAX - 4n],
  ['-0', 0n],
  ['0000000000000000000000000007', 7n],
];

for (const [text, value] of numbers) {
  ids(`'${text}' is ${value === undefined ? 'no number' : String(value)}`, () => {
    const bytes = fromLatin1(`<${text}>`);
    assert.is(readUnsigned(bytes, 1, text.length), value !== undefined);
    if (value === undefined) return;
    assert.is((BigInt(unsigned.high >>> 0) << 32n) | BigInt(unsigned.low >>> 0), value);
  });
}

const edges = [0n, 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 63n, MAX - 1n, MAX];

ids('are written, compared and stepped over as numbers are', () => {
  const all = edges.flatMap((ms) => edges.map((seq) => ({ ms, seq, number: (ms << 64n) | seq })));
  for (const { ms, seq, number } of all) {
    const id = idOf(ms, seq);
    assert.is(String(id), `${ms}-${seq}`);
    assert.is(id.isZero, number === 0n);
    assert.is(id.isMax, number === 2n ** 128n - 1n);
    for (const other of all) {
      const order = Math.sign(id.compare(idOf(other.ms, other.seq)));
      assert.is(order, number < other.number ? -1 : number > other.number ? 1 : 0);
    }
    const next = id.copy();
    assert.is(next.increment(), !id.isMax);
    const after = BigInt.asUintN(128, number + 1n);
    assert.is(String(next), `${after >> 64n}-${after & MAX}`);
    assert.is(next.decrement(), !id.isMax);
    assert.is(String(next), String(id));
  }
});

ids('have nothing before the first', () => {
  const id = new StreamId();
  assert.not.ok(id.decrement());
  assert.ok(id.isMax);
});

ids('take milliseconds of 53 bits', () => {
  assert.is(String(new StreamId().setMs(1_700_000_000_123)), '1700000000123-0');
  assert.is(String(new StreamId().setMs(Number.MAX_SAFE_INTEGER)), '9007199254740991-0');
});

ids.run();
