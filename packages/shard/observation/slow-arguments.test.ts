/** Arguments of slow commands stay readable, however soon the ring is written over. */
import { Arguments } from '#commands';
import { layoutOf, LinkMemory, Request, REQUEST_HEADER_BYTES, RingReader, RingWriter } from '#link';
import { withRandom, type Random } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SlowArguments } from './slow-arguments.ts';

const slow = suite('slow arguments');

const RING_BYTES = 16 * 1024;
const LENGTH_MAX = 300;
const BATCHES = 400;

function fixture() {
  const layout = layoutOf({
    shards: 1,
    requestRingBytes: RING_BYTES,
    replyRingBytes: RING_BYTES,
    logRingBytes: 0,
    readBytes: 64,
    blocks: 1,
    blockBytes: 64,
  });
  const memory = LinkMemory.allocate(layout.bytes);
  const writer = new RingWriter(memory, layout.requests[0]!);
  const reader = new RingReader(memory, layout.requests[0]!);
  const slowArguments = new SlowArguments(memory, reader, layout.slowArguments[0]!);
  return { memory, writer, reader, slowArguments };
}

type Fixture = ReturnType<typeof fixture>;

/** Writes a frame with one argument of `length` bytes, all of them `byte`; false when the ring is full. */
function put({ memory, writer }: Fixture, length: number, byte: number): boolean {
  const size = (REQUEST_HEADER_BYTES + 8 + length + 7) & ~7;
  const at = writer.reserve(size);
  if (at < 0) return false;
  const word = at >> 2;
  memory.words[word] = size;
  memory.words[word + Request.spans] = 0;
  memory.words[word + Request.spans + 1] = length;
  const body = (word + Request.spans + 2) << 2;
  memory.bytes.fill(byte, body, body + length);
  writer.commit(size);
  return true;
}

/** Writes frames until the ring is full. */
function fill(ring: Fixture, random: Random): void {
  while (put(ring, random.integer(0, LENGTH_MAX - 1), random.integer(0, 255)));
  ring.writer.publish();
}

function argumentsAt({ memory }: Fixture, at: number): Arguments {
  const args = new Arguments();
  const spans = (at >> 2) + Request.spans;
  args.point(memory.bytes, (spans + 2) << 2, memory.words, spans, 1);
  return args;
}

slow('are what they were, whatever is written into the ring after its release', () => {
  withRandom((random) => {
    const ring = fixture();
    const { reader, slowArguments } = ring;
    const expected = new Map<number, string>();
    let slot = 0;
    let refused = 0;
    for (let batch = 0; batch < BATCHES; batch += 1) {
      fill(ring, random);
      for (let left = 1 + random.integer(0, 39); left > 0; left -= 1) {
        const at = reader.next();
        if (at < 0) break;
        const args = argumentsAt(ring, at);
        // Now every command is slow, now one in ten.
        const isSlow = batch % 100 < 50 || random.integer(0, 9) === 0;
        if (isSlow && slowArguments.keep(slot, args)) {
          expected.set(slot, args.latin1(0));
          slot = (slot + 1) % slowArguments.slots;
        } else if (isSlow) refused += 1;
        reader.advance(ring.memory.words[at >> 2]!);
      }
      slowArguments.settle();
      reader.release();
      fill(ring, random);
      for (const [kept, text] of expected) assert.is(slowArguments.read(kept).latin1(0), text);
    }
    assert.ok(refused > 0, 'some were too long');
  });
});

slow('of a command that is not in the frame at hand are copied at once', () => {
  const ring = fixture();
  put(ring, 5, 0x61);
  put(ring, 5, 0x62);
  ring.writer.publish();
  const first = ring.reader.next();
  ring.reader.advance(ring.memory.words[first >> 2]!);
  assert.ok(ring.slowArguments.keep(0, argumentsAt(ring, first)));
  ring.memory.bytes.fill(0, first, first + REQUEST_HEADER_BYTES + 16);
  assert.is(ring.slowArguments.read(0).latin1(0), 'aaaaa');
});

slow('that are not in the link memory are not taken', () => {
  const ring = fixture();
  const args = new Arguments();
  args.point(new Uint8Array(16), 8, new Int32Array([0, 4]), 0, 1);
  assert.not.ok(ring.slowArguments.keep(0, args));
});

slow.run();
