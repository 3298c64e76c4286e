/**
 * Numbers that cross threads. A change here changes what a thread reads out of another's memory, so
 * it must be meant: change the list together with the code.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  DATABASE_SHIFT,
  frameBytes,
  FrameKind,
  HOST_WORDS,
  HostWord,
  KIND_MASK,
  Reply,
  REPLY_HEADER_BYTES,
  ReplyFlag,
  Request,
  REQUEST_HEADER_BYTES,
  RequestFlag,
  TRANSFERRED,
} from './frames.ts';
import { layoutOf } from '../layout.ts';
import { LinkMemory } from '../memory.ts';
import { RING_HEADER_BYTES, RingReader, RingWriter } from '../rings/ring.ts';

const frames = suite('frozen numbers of the link');

frames('kinds', () => {
  assert.equal(
    { ...FrameKind },
    {
      command: 1,
      part: 2,
      control: 3,
      host: 4,
      lend: 5,
      copies: 6,
      returned: 7,
      exec: 8,
      barrier: 9,
      resume: 10,
      unwatch: 11,
      offer: 12,
      verdict: 13,
      parked: 14,
      wake: 15,
      unpark: 16,
      items: 17,
      inquiry: 18,
      events: 19,
      call: 20,
      introduce: 21,
      latency: 22,
      share: 23,
      snapshot: 24,
      times: 25,
      prepare: 26,
      keep: 27,
      script: 28,
      ask: 29,
      leaveLog: 30,
      denied: 31,
      adopt: 33,
      feed: 34,
      rdb: 35,
      migrate: 40,
      found: 41,
      migrated: 42,
      redirected: 43,
      stage: 44,
      refused: 45,
    },
  );
  assert.is(KIND_MASK, 0x7f);
  assert.is(TRANSFERRED, 0x80);
  assert.is(DATABASE_SHIFT, 16);
});

frames('words of a request', () => {
  assert.equal(
    { ...Request },
    {
      bytes: 0,
      kind: 1,
      command: 2,
      connection: 3,
      sequence: 4,
      enqueuedUs: 5,
      watcher: 5,
      verdict: 5,
      unpark: 5,
      ofSequence: 5,
      argumentCount: 6,
      bodyBytes: 7,
      spans: 8,
    },
  );
  assert.is(REQUEST_HEADER_BYTES, 32);
  assert.equal(
    { ...RequestFlag },
    {
      resp3: 0x100,
      noTouch: 0x200,
      mute: 0x400,
      passesBarrier: 0x800,
      again: 0x1000,
      traced: 0x2000,
      watches: 0x4000,
      exclusive: 0x4000,
      scripts: 0x8000,
    },
  );
  assert.equal({ ...HostWord }, { transaction: 8, lenders: 9 });
  assert.is(HOST_WORDS, 2);
});

frames('words of a reply', () => {
  assert.equal(
    { ...Reply },
    {
      bytes: 0,
      kind: 1,
      connection: 2,
      sequence: 3,
      count: 4,
      bodyBytes: 5,
      doneUs: 6,
      queueUs: 7,
      executeTicks: 8,
      flags: 9,
      body: 10,
    },
  );
  assert.is(REPLY_HEADER_BYTES, 40);
  assert.equal(
    { ...ReplyFlag },
    { error: 1, watchBroken: 2, ready: 4, waits: 8, outdated: 16, unsafe: 32, settled: 64 },
  );
});

frames('no flag shares a bit with a kind, the mark of a message, or a database', () => {
  const kinds = Object.values(FrameKind).reduce((all, kind) => all | kind, 0);
  // `watches` is for EXEC alone, `exclusive` for scripts: they may be one bit.
  const flags = new Set<number>(Object.values(RequestFlag));
  let used = KIND_MASK | TRANSFERRED;
  assert.is(kinds & ~KIND_MASK, 0);
  for (const flag of flags) {
    assert.is(used & flag, 0);
    used |= flag;
  }
  assert.ok(used < 2 ** DATABASE_SHIFT);
});

frames('sizes are rounded up to eight', () => {
  for (const [bytes, rounded] of [
    [0, 0],
    [1, 8],
    [8, 8],
    [9, 16],
    [4_095, 4_096],
  ] as const) {
    assert.is(frameBytes(bytes), rounded);
  }
});

frames('words of a ring', () => {
  const place = { header: 0, data: RING_HEADER_BYTES, bytes: 1_024 };
  const memory = LinkMemory.allocate(4_096);
  const writer = new RingWriter(memory, place);
  const reader = new RingReader(memory, place);
  assert.is(RING_HEADER_BYTES, 256);
  memory.words[writer.reserve(24) >> 2] = 24;
  writer.commit(24);
  writer.publish();
  assert.is(memory.words[16], 24, 'TAIL');
  reader.next();
  reader.advance(24);
  reader.release();
  assert.is(memory.words[0], 24, 'HEAD');
  reader.setAsleep(true);
  assert.is(memory.words[32], 1, 'READER_ASLEEP');
  writer.requestRoom();
  assert.is(memory.words[48], 1, 'WRITER_WAITING');
});

frames('the layout gives everything its own range, on lines of the cache', () => {
  const shape = {
    shards: 3,
    requestRingBytes: 4_096,
    replyRingBytes: 8_192,
    logRingBytes: 0,
    readBytes: 1_000,
    blocks: 5,
    blockBytes: 100,
  };
  const layout = layoutOf(shape);
  const ranges: [from: number, bytes: number][] = [
    [layout.doorbell, 128],
    [layout.read, shape.readBytes],
    [layout.blocks, shape.blocks * shape.blockBytes],
  ];
  for (const ring of [...layout.requests, ...layout.replies, layout.traces]) {
    ranges.push([ring.header, RING_HEADER_BYTES], [ring.data, ring.bytes]);
  }
  assert.is(layout.requests.length, 3);
  assert.is(layout.requests[0]?.bytes, 4_096);
  assert.is(layout.replies[2]?.bytes, 8_192);
  ranges.sort(([a], [b]) => a - b);
  let end = 0;
  for (const [from, bytes] of ranges) {
    assert.ok(from >= end, 'ranges do not overlap');
    assert.is(from % 64, 0);
    end = from + bytes;
  }
  assert.ok(end <= layout.bytes);
});

frames.run();
