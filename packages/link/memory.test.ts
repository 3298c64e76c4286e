/** Copies into the link memory, out of it and within it. */
import { copyBytes, copyLong } from '#base';
import { withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkMemory } from './memory.ts';

const copies = suite('copies of memory that threads share');

const BYTES = 64 * 1024;
const MARGIN = 16;

copies(
  'they are the same at all alignments and lengths, and touch nothing else',
  withRandom((random) => {
    const shared = LinkMemory.allocate(BYTES).bytes;
    const own = new Uint8Array(BYTES);
    // As a view that begins anywhere in its buffer.
    const odd = new Uint8Array(BYTES + 3).subarray(3);
    const memories = [shared, own, odd];
    for (let round = 0; round < 3_000; round += 1) {
      const length = random.pick([
        random.integer(0, 600),
        random.integer(500, 530),
        random.integer(0, 9_000),
      ]);
      const [source, target] = [random.pick(memories), random.pick(memories)];
      // Halves, so that the ranges do not overlap where both are in one memory.
      const sourceAt = random.integer(MARGIN, BYTES / 2 - MARGIN - length);
      const targetAt = BYTES / 2 + random.integer(MARGIN, BYTES / 2 - 2 * MARGIN - length);
      const model = random.bytes(Math.min(length, 300));
      for (let at = 0; at < length; at += model.length) {
        source.set(model.subarray(0, Math.min(model.length, length - at)), sourceAt + at);
      }
      target.fill(0xa5, targetAt - MARGIN, targetAt + length + MARGIN);
      const wanted = Buffer.alloc(length + 2 * MARGIN, 0xa5);
      wanted.set(source.subarray(sourceAt, sourceAt + length), MARGIN);
      if (random.chance(0.5)) copyLong(target, targetAt, source, sourceAt, length);
      else copyBytes(source, sourceAt, target, targetAt, length);
      const found = target.slice(targetAt - MARGIN, targetAt + length + MARGIN);
      assert.ok(wanted.equals(found), `${length} bytes from ${sourceAt} to ${targetAt}`);
    }
  }),
);

copies.run();
