/** Replies before their turn: given back whole and in order, from blocks or from private memory. */
import { withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReorderBuffer } from './reorder-buffer.ts';

const reorderBuffers = suite('reorder buffer');

const BLOCK_BYTES = 256;

function fixture(blocks = 2) {
  const bytes = new Uint8Array(4_096);
  const free = Array.from({ length: blocks }, (_, nth) => nth * BLOCK_BYTES);
  const pool = {
    memory: {
      bytes,
      copy: (target: number, source: number, length: number): void => {
        bytes.copyWithin(target, source, source + length);
      },
    },
    blockBytes: BLOCK_BYTES,
    take: () => free.pop() ?? -1,
    give: (block: number) => void free.push(block),
  };
  const reorderBuffer = new ReorderBuffer(pool);
  /** As from a ring: the place is used again for the next. */
  const park = (sequence: number, due: number, text: string, count = 1): void => {
    bytes.set(Buffer.from(text, 'latin1'), 2_048);
    reorderBuffer.park(sequence, (sequence - due) >>> 0, count, bytes, 2_048, text.length);
  };
  let released = '';
  const take = (source: Uint8Array, at: number, length: number): void => {
    released += Buffer.from(source.slice(at, at + length)).toString('latin1');
  };
  const output = {
    append: (at: number, length: number) => take(bytes, at, length),
    give: (given: Uint8Array) => take(given, 0, given.length),
  };
  const release = (sequence: number): number => reorderBuffer.release(sequence, output);
  return { reorderBuffer, park, release, output, free, bytes, text: () => released };
}

reorderBuffers('gives back what is asked for, once', () => {
  const { reorderBuffer, park, release, text, free } = fixture();
  assert.ok(reorderBuffer.isEmpty);
  park(6, 5, 'six');
  park(9, 5, 'nine and ten', 2);
  assert.is(release(7), 0);
  assert.is(release(9), 2);
  assert.is(release(6), 1);
  assert.is(release(6), 0);
  assert.is(text(), 'nine and tensix');
  assert.ok(reorderBuffer.isEmpty);
  assert.is(free.length, 2, 'the block is given back');
});

reorderBuffers('puts the pieces of a long reply together', () => {
  const { reorderBuffer, release, text } = fixture();
  const piece = (letter: string): Uint8Array => Buffer.from(letter, 'latin1');
  reorderBuffer.give(4, 0, piece('a'));
  reorderBuffer.give(4, 0, piece('b'));
  assert.is(release(4), 0, 'it goes on');
  assert.is(text(), 'ab');
  reorderBuffer.give(5, 0, piece('c'));
  reorderBuffer.give(5, 1, piece('d'));
  assert.is(release(5), 1);
  assert.is(text(), 'abcd');
  assert.ok(reorderBuffer.isEmpty);
  assert.is(reorderBuffer.bytes, 0);
});

reorderBuffers('keeps a reply of main, whose writer is used again at once', () => {
  const { reorderBuffer, release, text } = fixture();
  const writer = Buffer.from('first reply');
  reorderBuffer.park(2, 1, 1, writer, 0, writer.length);
  writer.write('other bytes');
  release(2);
  assert.is(text(), 'first reply');
});

reorderBuffers('goes on in private memory without a block, beyond one, and far ahead', () => {
  const { park, release, text } = fixture(0);
  park(2, 1, 'no block');
  release(2);
  const other = fixture(1);
  other.park(2, 1, 'a'.repeat(200));
  other.park(3, 1, 'b'.repeat(200));
  other.park(1_000, 1, 'far');
  for (const sequence of [2, 3, 1_000]) assert.is(other.release(sequence), 1);
  assert.is(text(), 'no block');
  assert.is(other.text(), `${'a'.repeat(200)}${'b'.repeat(200)}far`);
  assert.ok(other.reorderBuffer.isEmpty);
});

reorderBuffers('forgets everything when its client is gone', () => {
  const { reorderBuffer, park, release, free } = fixture();
  park(2, 1, 'x');
  park(700, 1, 'y');
  reorderBuffer.clear();
  assert.ok(reorderBuffer.isEmpty);
  assert.is(free.length, 2);
  assert.is(release(2) + release(700), 0);
});

reorderBuffers(
  'keeps the order of any shuffling, across 2^32',
  withRandom((random) => {
    const { reorderBuffer, park, release, text, free } = fixture();
    let due = 2 ** 32 - 200;
    let expected = '';
    for (let round = 0; round < 50; round += 1) {
      const ahead = Array.from({ length: random.integer(1, 300) }, (_, nth) => nth + 1);
      const replyOf = (offset: number): string => `${String(round)}.${String(offset)};`;
      for (const offset of random.shuffled(ahead)) park((due + offset) >>> 0, due, replyOf(offset));
      for (const offset of ahead) {
        expected += replyOf(offset);
        assert.is(release((due + offset) >>> 0), 1);
      }
      due = (due + ahead.length) >>> 0;
      assert.ok(reorderBuffer.isEmpty);
      assert.is(free.length, 2);
    }
    assert.is(text(), expected);
  }),
);

reorderBuffers.run();
