/** Pieces of a slab are their takers': none is changed by another. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteSlab } from './byte-slab.ts';

const slab = suite('byte slab');

slab('short bodies share memory, and not their bytes', () => {
  const bodies = new ByteSlab();
  const source = Uint8Array.from({ length: 100 }, (_, index) => index);
  const first = bodies.copy(source, 10, 3);
  const second = bodies.copy(source, 20, 2);
  source.fill(0);
  assert.equal([...first], [10, 11, 12]);
  assert.equal([...second], [20, 21]);
  assert.is(first.buffer, second.buffer);
});

slab('what no longer fits begins another block', () => {
  const bodies = new ByteSlab();
  const source = new Uint8Array(10_000).fill(7);
  const buffers = new Set<ArrayBufferLike>();
  for (let nth = 0; nth < 100; nth += 1) {
    const copy = bodies.copy(source, 0, source.length);
    assert.is(copy.length, 10_000);
    assert.ok(copy.every((byte) => byte === 7));
    buffers.add(copy.buffer);
  }
  assert.is(buffers.size, 4);
});

slab('a piece is placed in the block at a whole word, unless it is too long', () => {
  const bodies = new ByteSlab();
  const source = Uint8Array.from({ length: 16 * 1024 }, (_, index) => index & 0xff);
  bodies.place(source, 0, 3);
  const at = bodies.place(source, 4, 8);
  assert.is(at % 4, 0);
  assert.equal([...bodies.block.bytes.subarray(at, at + 8)], [4, 5, 6, 7, 8, 9, 10, 11]);
  assert.is(bodies.block.words[at >> 2], 0x07060504);
  assert.is(bodies.place(source, 0, source.length), -1);
});

slab('a long body has memory of its own', () => {
  const source = new Uint8Array(16 * 1024);
  const copy = new ByteSlab().copy(source, 0, source.length);
  assert.is(copy.buffer.byteLength, source.length);
  assert.is.not(copy.buffer, source.buffer);
});

slab.run();
