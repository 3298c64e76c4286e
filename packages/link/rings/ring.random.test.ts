/** Writer and reader against a plain queue, with frames of all sizes and rings of several. */
import { type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkMemory } from '../memory.ts';
import { RING_HEADER_BYTES, RingReader, RingWriter } from './ring.ts';

const rings = suite('ring against a queue');

const STEPS = 20_000;

function drive(random: Random, capacity: number): number {
  const place = { header: 0, data: RING_HEADER_BYTES, bytes: capacity };
  const memory = LinkMemory.allocate(place.data + capacity);
  const writer = new RingWriter(memory, place);
  const reader = new RingReader(memory, place);
  const unpublished: Buffer[] = [];
  const visible: Buffer[] = [];
  let held = 0;
  let passed = 0;

  const write = (): void => {
    const byteCount = 8 * random.integer(1, capacity / 16);
    const at = writer.reserve(byteCount);
    if (at < 0) {
      assert.ok(held > 0, 'an empty ring has room for half of itself');
      return;
    }
    assert.ok(at >= place.data && at + byteCount <= place.data + capacity);
    assert.ok(writer.room() >= byteCount);
    const body = random.bytes(byteCount - 4);
    memory.words[at >> 2] = byteCount;
    memory.bytes.set(body, at + 4);
    writer.commit(byteCount);
    unpublished.push(body);
    held += 1;
  };
  const publish = (): void => {
    writer.publish();
    visible.push(...unpublished.splice(0));
  };
  const read = (): void => {
    const at = reader.next();
    const wanted = visible.shift();
    if (wanted === undefined) {
      assert.is(at, -1);
      return;
    }
    const byteCount = memory.words[at >> 2]!;
    assert.is(byteCount, wanted.length + 4);
    assert.ok(wanted.equals(memory.bytes.slice(at + 4, at + byteCount)));
    reader.advance(byteCount);
    passed += 1;
  };
  const release = (): void => {
    reader.release();
    assert.is(reader.unreleased, 0);
    held = unpublished.length + visible.length;
  };
  const steps = [write, write, write, publish, read, read, read, release];
  for (let step = 0; step < STEPS; step += 1) random.pick(steps)();
  publish();
  while (visible.length > 0) read();
  read();
  return passed;
}

for (const capacity of [64, 256, 4_096]) {
  rings(
    `passes everything on, once and in order, in ${String(capacity)} bytes`,
    withRandom((random) => {
      assert.ok(drive(random, capacity) > STEPS / 20);
    }),
  );
}

rings.run();
