/** Ranges of bytes: the loop and the native way must agree. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  asBuffer,
  copyBytes,
  fromLatin1,
  indexOfByte,
  latin1,
  readable,
  sameBytes,
  spells,
} from './bytes.ts';

const bytes = suite('bytes');

const source = Uint8Array.from({ length: 300 }, (_, index) => (index * 7) & 0xff);

for (const length of [0, 1, 15, 16, 23, 24, 25, 200]) {
  bytes(`copies ${String(length)} bytes and no more`, () => {
    const target = new Uint8Array(300).fill(9);
    copyBytes(source, 5, target, 3, length);
    assert.equal(target.slice(0, 3), Uint8Array.of(9, 9, 9));
    assert.equal(target.slice(3, 3 + length), source.slice(5, 5 + length));
    assert.ok(target.slice(3 + length).every((byte) => byte === 9));
    assert.ok(sameBytes(source, 5, target, 3, length));
  });

  bytes(`turns ${String(length)} bytes into text and back`, () => {
    const text = latin1(source, 2, length);
    assert.is(text.length, length);
    assert.equal(Uint8Array.from(fromLatin1(text)), source.slice(2, 2 + length));
  });
}

bytes('sees a difference in the last byte', () => {
  assert.not.ok(sameBytes(fromLatin1('abc'), 0, fromLatin1('abd'), 0, 3));
  assert.ok(sameBytes(fromLatin1('abc'), 0, fromLatin1('abd'), 0, 2));
});

bytes('spells names in any case, and only whole', () => {
  assert.ok(spells(fromLatin1('xgEtx'), 1, 3, 'GET'));
  assert.not.ok(spells(fromLatin1('gets'), 0, 4, 'GET'));
  assert.not.ok(spells(fromLatin1('ge'), 0, 2, 'GET'));
  assert.not.ok(spells(fromLatin1('{'), 0, 1, '['), 'only letters have a case');
});

bytes('finds a byte within the range only', () => {
  const text = fromLatin1('abcab');
  assert.is(indexOfByte(text, 0x61, 0, 5), 0);
  assert.is(indexOfByte(text, 0x61, 1, 5), 3);
  assert.is(indexOfByte(text, 0x61, 1, 3), -1);
  assert.is(indexOfByte(text, 0x7a, 0, 5), -1);
});

bytes('copies alike the first time and later, from and to parts of memory', () => {
  const memory = new Uint8Array(new SharedArrayBuffer(2_000));
  const from = new Uint8Array(2_000).map((_, index) => (index * 11) & 0xff).subarray(100);
  for (const length of [7, 8, 9, 12, 15, 16, 17, 31, 33, 64, 511, 512, 513]) {
    for (let turn = 0; turn < 4; turn += 1) {
      const target = memory.subarray(turn);
      for (let again = 0; again < 3; again += 1) {
        memory.fill(9);
        copyBytes(from, 3 + again, target, 5, length);
        assert.equal(
          [...target.subarray(5, 5 + length)],
          [...from.subarray(3 + again, 3 + again + length)],
        );
        assert.is(
          memory.filter((byte, at) => byte !== 9 && (at < turn + 5 || at >= turn + 5 + length))
            .length,
          0,
        );
      }
    }
  }
});

bytes('gives a buffer over the same memory', () => {
  const small = source.subarray(10, 20);
  const buffer = asBuffer(small);
  assert.is(buffer.buffer, small.buffer);
  assert.is(buffer.byteOffset, 10);
  assert.is(buffer.length, 10);
});

bytes('is readable as UTF-8, and else by its bytes', () => {
  assert.is(readable(Buffer.from('käse')), 'käse');
  assert.is(readable(Uint8Array.of(0x6b, 0xff)), 'k\xff');
});

bytes.run();
