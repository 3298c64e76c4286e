/** Records of traced requests are the same at both ends of the ring. */
import { type Bytes, fromLatin1 } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkMemory } from '../memory.ts';
import { RING_HEADER_BYTES } from './ring.ts';
import { RecordAt, RecordFlag, TraceDraft, type TraceRecord } from './trace-record.ts';
import { TraceRingReader, TraceRingWriter } from './trace-ring.ts';
import { TimesAt, TracedPart, TraceTimes } from './trace-times.ts';

const records = suite('trace records');

const RING_BYTES = 64 * 1024;

function ring(): { writer: TraceRingWriter; reader: TraceRingReader } {
  const place = { header: 0, data: RING_HEADER_BYTES, bytes: RING_BYTES };
  const memory = LinkMemory.allocate(RING_HEADER_BYTES + RING_BYTES);
  return { writer: new TraceRingWriter(memory, place), reader: new TraceRingReader(memory, place) };
}

function argsOf(words: readonly string[]) {
  const source: Bytes = fromLatin1(words.join(''));
  const at = (index: number): number => words.slice(0, index).join('').length;
  return { source, count: words.length, at, length: (index: number) => words[index]!.length };
}

function draftOf(words: readonly string[], secrets: readonly number[] = []): TraceDraft {
  const draft = new TraceDraft();
  draft.begin(argsOf(words), secrets);
  return draft;
}

function through(draft: TraceDraft): TraceRecord {
  const { writer, reader } = ring();
  assert.ok(writer.write(draft));
  writer.publish();
  const taken: TraceRecord[] = [];
  assert.is(
    reader.take(10, (record) => taken.push(record)),
    1,
  );
  return taken[0]!;
}

const textsOf = ({ args }: TraceRecord): string[] =>
  args.map(({ bytes }) => Buffer.from(bytes).toString('latin1'));

records('numbers, ids of any bits, arguments', () => {
  const draft = draftOf(['SET', 'k\u0000', '\u00ff\r\n']);
  const { doubles } = draft;
  doubles[RecordAt.startUs] = 1.5;
  doubles[RecordAt.endUs] = 2.25;
  doubles[RecordAt.connection] = 2 ** 40;
  doubles[RecordAt.command] = 7;
  doubles[RecordAt.keyCount] = 1;
  doubles[RecordAt.flags] = RecordFlag.sampled | RecordFlag.hasParent;
  // Taken as a double, this is no number.
  draft.ids.fill(0xffff_ffff);
  draft.ids[1] = 0x7ff0_0001;
  const record = through(draft);
  assert.equal([record.startUs, record.endUs, record.connection], [1.5, 2.25, 2 ** 40]);
  assert.equal([record.command, record.keyCount, record.error], [7, 1, -1]);
  assert.equal([record.isSampled, record.hasParent, record.isGathered], [true, true, false]);
  assert.is(record.mainUs, undefined);
  const ids = Buffer.from(record.ids);
  assert.is(ids.length, 32);
  assert.is(ids.readUInt32LE(4), 0x7ff0_0001);
  assert.is(ids.readUInt32LE(28), 0xffff_ffff);
  assert.equal(textsOf(record), ['SET', 'k\u0000', '\u00ff\r\n']);
});

records('secrets stay behind, and what is long is cut', () => {
  const words = ['AUTH', 'hunter2', 'x'.repeat(300), ...Array.from({ length: 40 }, () => 'y')];
  const record = through(draftOf(words, [1]));
  assert.is(record.argumentCount, 43);
  assert.is(record.args.length, 31);
  assert.equal([record.args[1]!.length, record.args[1]!.bytes.length], [-1, 0]);
  assert.equal([record.args[2]!.length, record.args[2]!.bytes.length], [300, 128]);
  assert.is(textsOf(record)[30], 'y');
});

function bodyOf(parts: number, endUs: number): Float64Array {
  const times = new TraceTimes();
  for (let nth = 0; nth < parts; nth += 1) times.add(TracedPart.store, nth, nth, nth + 0.5);
  const body = times.take(3, 9, { queueUs: 4, startUs: 10, endUs, error: 1 });
  return new Float64Array(Uint8Array.from(body).buffer);
}

records('what shards did, however much it is; a part beyond the limit is left out', () => {
  const draft = draftOf(['EXEC']);
  for (let shard = 0; shard < 8; shard += 1) {
    const body = bodyOf(shard === 0 ? 100 : 1, 20 + shard);
    assert.equal([body[TimesAt.slot], body[TimesAt.sequence]], [3, 9]);
    draft.addShard(shard, body, 0, body.length);
  }
  const { shards, args } = through(draft);
  assert.is(shards.length, 8);
  assert.is(shards[0]!.parts.length, 64);
  assert.equal(shards[0]!.parts[63], { part: 0, detail: 63, startUs: 63, endUs: 63.5 });
  const [last] = shards.slice(-1);
  assert.equal([last!.shard, last!.queueUs, last!.startUs, last!.endUs], [7, 4, 10, 27]);
  assert.equal([last!.error, last!.parts.length, args.length], [1, 1, 1]);
});

records('a draft is used again without anything of before', () => {
  const draft = draftOf(['MGET', 'a', 'b', 'c']);
  draft.addShard(0, bodyOf(2, 20), 0, bodyOf(2, 20).length);
  draft.doubles[RecordAt.flags] = RecordFlag.gathered;
  draft.begin(argsOf(['PING']), []);
  const record = through(draft);
  assert.equal(textsOf(record), ['PING']);
  assert.equal([record.shards.length, record.isGathered], [0, false]);
});

records('a full ring refuses, and has room again when it was read', () => {
  const { writer, reader } = ring();
  const draft = draftOf(['SET', 'k', 'v'.repeat(100)]);
  let written = 0;
  while (writer.write(draft)) written += 1;
  assert.ok(written > 50);
  writer.publish();
  assert.not.ok(writer.hasRoom);
  assert.is(
    reader.take(written + 1, () => undefined),
    written,
  );
  assert.ok(writer.hasRoom);
  assert.ok(writer.write(draft));
});

records('keeps the numbers that cross threads', () => {
  assert.equal(
    { ...TracedPart },
    { store: 0, evict: 1, logWrite: 2, logSync: 3, call: 4, fetch: 5 },
  );
  assert.equal(
    { ...TimesAt },
    { slot: 0, sequence: 1, queueUs: 2, startUs: 3, endUs: 4, error: 5 },
  );
});

records.run();
