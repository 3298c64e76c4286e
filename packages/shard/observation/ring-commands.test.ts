/** Slow commands stay readable, however soon the ring is written over. */
import {
  DATABASE_SHIFT,
  FrameKind,
  layoutOf,
  LinkMemory,
  Request,
  REQUEST_HEADER_BYTES,
  RingReader,
  RingWriter,
} from '#link';
import { SlowLog } from '#stats';
import { type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RingCommands } from './ring-commands.ts';
import { Frame } from '../frames/frame.ts';

const slow = suite('slow commands in the ring');

const RING_BYTES = 16 * 1024;
const BYTES_MAX = 300;
/** Entries: some are still in the ring when they are forgotten, and some are not. */
const LENGTH_MAX = 20;
const DATABASE = 3;
const CLIENT = { id: 1, address: '', name: '', user: '' };
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
  const commands = new RingCommands(memory, reader, (slot) => ({ ...CLIENT, id: slot }));
  let ids = 0;
  const log = new SlowLog(0, (count) => (ids += count) - count, commands);
  log.configure({ threshold: 0, lengthMax: LENGTH_MAX, argumentBytesMax: BYTES_MAX });
  return { memory, writer, reader, commands, log };
}

type Fixture = ReturnType<typeof fixture>;

/** Writes a frame with one argument of `length` bytes, all of them `byte`; false when the ring is full. */
function put({ memory, writer }: Fixture, length: number, byte: number): boolean {
  const size = (REQUEST_HEADER_BYTES + 8 + length + 7) & ~7;
  const at = writer.reserve(size);
  if (at < 0) return false;
  const word = at >> 2;
  memory.words[word] = size;
  memory.words[word + Request.kind] = FrameKind.command | (DATABASE << DATABASE_SHIFT);
  memory.words[word + Request.connection] = byte;
  memory.words[word + Request.argumentCount] = 1;
  memory.words[word + Request.spans] = 0;
  memory.words[word + Request.spans + 1] = length;
  const body = (word + Request.spans + 2) << 2;
  memory.bytes.fill(byte, body, body + length);
  writer.commit(size);
  return true;
}

/** Writes frames until the ring is full. */
function fill(ring: Fixture, random: Random): void {
  while (put(ring, random.integer(0, BYTES_MAX - 1), random.integer(0, 255)));
  ring.writer.publish();
}

/** Texts of all entries, newest first. */
function textsOf({ log }: Fixture): string[] {
  return log.newest(0, Infinity).map(({ args }) => Buffer.from(args[0]!).toString('latin1'));
}

/** Logs the current frame, and steps past it; returns its text. */
function logNext({ memory, reader, commands, log }: Fixture): string {
  const word = reader.next() >> 2;
  assert.ok(commands.has(new Frame(memory.bytes, memory.words, word)));
  reader.advance(memory.words[word]!);
  log.note(commands.commandAt(word), 1_000, 10, 1);
  return commands.argumentsAt(word, 1).latin1(0);
}

slow(
  'are what they were, whatever is written into the ring after its release',
  withRandom((random) => {
    const ring = fixture();
    const { reader, log, memory } = ring;
    const expected: string[] = [];
    for (let batch = 0; batch < BATCHES; batch += 1) {
      fill(ring, random);
      for (let left = 1 + random.integer(0, 39); left > 0; left -= 1) {
        const at = reader.next();
        if (at < 0) break;
        // Now every command is slow, now one in ten.
        if (batch % 100 < 50 || random.integer(0, 9) === 0) expected.unshift(logNext(ring));
        else reader.advance(memory.words[at >> 2]!);
      }
      log.settle();
      reader.release();
      fill(ring, random);
      expected.length = Math.min(expected.length, LENGTH_MAX);
      assert.equal(textsOf(ring), expected, `batch ${batch}`);
    }
  }),
);

slow('are told of with their database and client', () => {
  const ring = fixture();
  put(ring, 5, 0x61);
  ring.writer.publish();
  logNext(ring);
  const [entry] = ring.log.newest(0, 1);
  assert.is(entry!.database, DATABASE);
  assert.is(entry!.client.id, 0x61);
});

slow('stay in the ring while its writer leaves them, and are shortened as the setting was', () => {
  const ring = fixture();
  const { reader, log, memory } = ring;
  put(ring, 5, 0x61);
  ring.writer.publish();
  const at = reader.next();
  logNext(ring);
  log.settle();
  reader.release();
  log.configure({ threshold: 0, lengthMax: LENGTH_MAX, argumentBytesMax: 2 });
  memory.bytes.fill(0, at, at + REQUEST_HEADER_BYTES + 16);
  assert.equal(textsOf(ring), ['aaaaa']);
});

slow('are not there when they are not at hand, or not in the link memory', () => {
  const ring = fixture();
  const { reader, memory, commands } = ring;
  put(ring, 5, 0x61);
  put(ring, 5, 0x62);
  ring.writer.publish();
  const first = new Frame(memory.bytes, memory.words, reader.next() >> 2);
  assert.ok(commands.has(first));
  assert.not.ok(commands.has(first.detached()));
  reader.advance(first.byteCount);
  assert.not.ok(commands.has(first));
});

slow.run();
