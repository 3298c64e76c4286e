/** A ring in one thread: order, wrap-around, padding, a full ring, and wake-ups. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkMemory } from '../memory.ts';
import { RING_HEADER_BYTES, ringDepth, RingReader, RingWriter, type RingPlace } from './ring.ts';

const rings = suite('ring');

const CAPACITY = 256;
const PLACE: RingPlace = { header: 0, data: RING_HEADER_BYTES, bytes: CAPACITY };

function fixture(place = PLACE) {
  const memory = LinkMemory.allocate(place.data + place.bytes);
  const writer = new RingWriter(memory, place);
  const reader = new RingReader(memory, place);
  /** Writes a frame that carries a number; false when there is no room. */
  const put = (byteCount: number, value: number): boolean => {
    const at = writer.reserve(byteCount);
    if (at < 0) return false;
    memory.words[at >> 2] = byteCount;
    memory.words[(at >> 2) + 1] = value;
    writer.commit(byteCount);
    return true;
  };
  /** Takes a frame's number; -1 when there is none. */
  const take = (): number => {
    const at = reader.next();
    if (at < 0) return -1;
    const value = memory.words[(at >> 2) + 1]!;
    reader.advance(memory.words[at >> 2]!);
    return value;
  };
  return { memory, writer, reader, put, take };
}

rings('shows nothing before it is published, then everything in order', () => {
  const { writer, put, take } = fixture();
  put(16, 1);
  put(8, 2);
  assert.is(take(), -1);
  assert.ok(writer.hasUnpublished);
  writer.publish();
  assert.not.ok(writer.hasUnpublished);
  assert.is(take(), 1);
  assert.is(take(), 2);
  assert.is(take(), -1);
});

rings('frames are looked at without being taken, round the end of the ring', () => {
  const { memory, writer, reader, put, take } = fixture();
  const peeked = (): number[] => {
    const values: number[] = [];
    reader.rewind();
    for (let at = reader.peek(); at >= 0; at = reader.peek())
      values.push(memory.words[(at >> 2) + 1]!);
    return values;
  };
  put(104, 1);
  put(104, 2);
  writer.publish();
  assert.equal(peeked(), [], 'what was published is known of after `next`');
  assert.is(take(), 1);
  assert.equal(peeked(), [2]);
  assert.is(take(), 2);
  reader.release();
  // Padding ends the ring before this one.
  put(64, 3);
  put(16, 4);
  writer.publish();
  reader.next();
  assert.equal(peeked(), [3, 4]);
  assert.equal(peeked(), [3, 4], 'anew');
  put(16, 5);
  assert.equal(peeked(), [3, 4], 'not what is not published');
  assert.is(take(), 3);
  assert.equal(peeked(), [4]);
});

rings('tells anybody how many frames and bytes are on their way', () => {
  const { memory, writer, reader, put, take } = fixture();
  const depth = (): string => {
    const { frames, bytes } = ringDepth(memory, PLACE);
    return `${frames} ${bytes}`;
  };
  put(200, 1);
  put(16, 2);
  assert.is(depth(), '0 0', 'what is not published is not on its way');
  writer.publish();
  assert.is(depth(), '2 216');
  take();
  assert.is(depth(), '2 216', 'a frame is there until it is given back');
  reader.release();
  assert.is(depth(), '1 16');
  take();
  reader.release();
  put(64, 3);
  writer.publish();
  assert.is(depth(), '1 104', 'padding is bytes, but no frame');
});

rings('pads when a frame does not fit before the end', () => {
  const { writer, reader, put, take } = fixture();
  put(200, 1);
  writer.publish();
  assert.is(take(), 1);
  reader.release();
  assert.ok(put(64, 2), '56 bytes are left before the end, so it begins at the start');
  writer.publish();
  assert.is(reader.next(), PLACE.data);
  assert.is(take(), 2);
  assert.is(take(), -1);
});

rings('needs no padding when a frame ends exactly with the ring', () => {
  const { writer, reader, put, take } = fixture();
  put(192, 1);
  writer.publish();
  take();
  reader.release();
  assert.ok(put(64, 2));
  writer.publish();
  assert.is(reader.next(), PLACE.data + 192);
  take();
  assert.ok(put(8, 3));
  writer.publish();
  assert.is(reader.next(), PLACE.data);
  assert.is(take(), 3);
});

rings('holds exactly its capacity, and then nothing until something is released', () => {
  const { writer, reader, put, take } = fixture();
  for (let nth = 0; nth < CAPACITY / 8; nth += 1) assert.ok(put(8, nth));
  assert.not.ok(put(8, 99));
  writer.publish();
  assert.is(writer.backlog, CAPACITY);
  assert.is(reader.backlog, CAPACITY);
  assert.is(take(), 0);
  assert.not.ok(put(8, 99), 'what is only stepped past is not free yet');
  assert.is(reader.unreleased, 8);
  reader.release();
  assert.ok(put(8, 99));
  assert.not.ok(put(8, 100));
});

rings('counts padding as taken space', () => {
  const { writer, reader, put, take } = fixture();
  put(112, 1);
  put(96, 2);
  writer.publish();
  take();
  reader.release();
  assert.not.ok(put(128, 3), '160 are free, but 48 of them before the end');
  take();
  reader.release();
  assert.ok(put(128, 3));
  writer.publish();
  assert.is(take(), 3);
});

rings('says how large a frame may grow at its place', () => {
  const { writer, reader, put, take } = fixture();
  assert.ok(writer.reserve(8) >= 0);
  assert.is(writer.room(), CAPACITY);
  put(96, 1);
  assert.ok(writer.reserve(8) >= 0);
  assert.is(writer.room(), CAPACITY - 96);
  put(128, 2);
  writer.publish();
  take();
  reader.release();
  assert.ok(writer.reserve(8) >= 0);
  assert.is(writer.room(), 32, 'up to the end of the ring');
});

rings('tells the writer once that its reader sleeps', () => {
  const { writer, reader, put } = fixture();
  put(8, 1);
  assert.not.ok(writer.publish());
  reader.setAsleep(true);
  assert.not.ok(writer.publish(), 'nothing new, nobody to wake');
  put(8, 2);
  assert.ok(writer.publish());
  put(8, 3);
  assert.not.ok(writer.publish(), 'somebody wakes it already');
});

rings('tells the reader once that the writer waits for room', () => {
  const { writer, reader, put, take } = fixture();
  put(8, 1);
  put(8, 2);
  put(8, 3);
  writer.publish();
  take();
  assert.not.ok(reader.release());
  writer.requestRoom();
  assert.not.ok(reader.release(), 'nothing was given back');
  take();
  assert.ok(reader.release());
  take();
  assert.not.ok(reader.release());
});

rings('goes on when its positions pass 2^32', () => {
  const bytes = 2 ** 26;
  const { writer, reader, put, take } = fixture({ header: 0, data: RING_HEADER_BYTES, bytes });
  const frame = bytes / 2;
  const rounds = 2 ** 32 / frame + 3;
  for (let nth = 0; nth < rounds; nth += 1) {
    assert.ok(put(frame - 8, nth));
    assert.ok(put(8, -nth - 5));
    writer.publish();
    assert.is(writer.backlog, frame);
    assert.is(reader.backlog, frame);
    assert.is(take(), nth);
    assert.is(take(), -nth - 5);
    assert.is(take(), -1);
    reader.release();
    assert.is(writer.backlog, 0);
  }
  // Across the edge the ring is as full, and as empty, as anywhere else.
  assert.ok(put(frame, 1));
  assert.ok(put(frame, 2));
  assert.not.ok(put(8, 3));
});

rings('is a power of two', () => {
  const memory = LinkMemory.allocate(4_096);
  assert.throws(
    () => new RingWriter(memory, { header: 0, data: 256, bytes: 1_000 }),
    /power of two/,
  );
});

rings('stops a reader that finds half a frame or nonsense', () => {
  for (const nonsense of [24, -CAPACITY - 8, 0]) {
    const { memory, writer, reader, put } = fixture();
    put(16, 1);
    memory.words[PLACE.data >> 2] = nonsense;
    writer.publish();
    assert.throws(() => reader.next(), /published whole|padding ends/);
  }
});

rings('leaves what was released last as it is', () => {
  const { memory, writer, reader, put, take } = fixture({ ...PLACE, keptBytes: 64 });
  for (let value = 1; value <= 3; value += 1) assert.ok(put(64, value));
  assert.not.ok(put(64, 4), 'a quarter of the ring is not the writer’s');
  writer.publish();
  const at: number[] = [];
  for (let nth = 0; nth < 3; nth += 1) {
    at.push(reader.next());
    assert.ok(reader.isInFrame(at[nth]! + 63) && !reader.isInFrame(at[nth]! + 64));
    take();
  }
  const since = reader.position;
  reader.release();
  for (let value = 4; put(64, value); value += 1);
  writer.publish();
  assert.equal(
    at.map((offset) => memory.words[(offset >> 2) + 1]),
    [5, 6, 3],
    'the third is still there',
  );
  while (take() >= 0);
  assert.is(reader.passedSince(since), 192);
});

rings.run();
