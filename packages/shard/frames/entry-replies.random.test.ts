/** Entries of listpacks as replies: what WebAssembly writes is what JavaScript writes. */
import { fromLatin1, latin1 } from '#base';
import { layoutOf, LinkMemory, WORKSPACE_BYTES } from '#link';
import { ReplyWriter } from '#resp';
import { Listpack, ListpackEntries } from '#store';
import { type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EntryReplies } from './entry-replies.ts';

const replies = suite('replies of entries, at random');

const ROUNDS = 2_000;
const REPLIES_AT = 4096;
const UNTOUCHED = 0xa5;

const layout = layoutOf({
  shards: 1,
  requestRingBytes: 64 * 1024,
  replyRingBytes: 1024 * 1024,
  logRingBytes: 0,
  readBytes: 64,
  blocks: 1,
  blockBytes: 64,
});
const memory = LinkMemory.allocate(layout.bytes);
const workspaceAt = layout.workspaces[0]!;

/** Lengths where heads, and lengths after an entry, become longer; and the ends of each size of integer. */
const lengths = [0, 1, 9, 10, 62, 63, 64, 99, 100, 125, 126, 255, 256, 257, 999, 1000, 4095, 4096];
const integers = [
  ...['0', '9', '10', '99', '100', '127', '128', '4095', '4096', '-1', '-4096', '-4097', '32767'],
  ...['-32768', '32768', '8388607', '-8388608', '8388608', '2147483647', '-2147483648'],
  ...['2147483648', '-2147483649', '9007199254740993', '-9007199254740993'],
  ...['9223372036854775807', '-9223372036854775808'],
];

function anElement(random: Random): string {
  if (random.chance(0.4)) return random.pick(integers);
  if (random.chance(0.02)) return 'y'.repeat(random.integer(16_370, WORKSPACE_BYTES + 100));
  const length = random.chance(0.3) ? random.pick(lengths) : random.integer(0, 80);
  return latin1(random.bytes(Math.min(length, 80))).padEnd(length, 'z');
}

/** Returns what is written of `count` entries, from the one of number `from` on, into memory of `room` bytes. */
function written(
  { bytes, start }: Listpack,
  from: number,
  count: number,
  room: number,
  isTaken: boolean,
): string {
  memory.bytes.fill(UNTOUCHED, REPLIES_AT + room, REPLIES_AT + room + 64);
  const writer = new ReplyWriter(memory.bytes, REPLIES_AT, REPLIES_AT + room, (full, needed) => {
    const so = full.bytes.subarray(full.bytes === memory.bytes ? REPLIES_AT : 0, full.at);
    const larger = new Uint8Array(2 * (so.length + needed));
    larger.set(so);
    full.bytes = larger;
    full.at = so.length;
    full.limit = larger.length;
  });
  if (isTaken) writer.entries = new EntryReplies(memory, workspaceAt, writer);
  const cursor = new Listpack().point(bytes, start);
  cursor.seek(from);
  cursor.each(count, (text, at, length) => writer.bulk(text, at, length), writer.entries);
  for (let at = REPLIES_AT + room; at < REPLIES_AT + room + 64; at += 1) {
    assert.is(memory.bytes[at], UNTOUCHED, 'nothing is written behind the limit');
  }
  const begin = writer.bytes === memory.bytes ? REPLIES_AT : 0;
  return latin1(writer.bytes, begin, writer.at - begin);
}

replies(
  'they are the same, wherever the room ends',
  withRandom((random) => {
    let mostBytes = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const elements = Array.from({ length: random.integer(1, 60) }, () => anElement(random));
      const entries = new ListpackEntries();
      for (const element of elements) entries.add(fromLatin1(element));
      const listpack = entries.toListpack();
      // As in memory of the store: anywhere.
      const start = random.integer(0, 40);
      const bytes = new Uint8Array(start + listpack.length + 40).fill(0xff);
      bytes.set(listpack, start);
      const from = random.integer(0, elements.length - 1);
      const count = random.integer(1, elements.length - from);
      const cursor = new Listpack().point(bytes, start);
      const model = elements
        .slice(from, from + count)
        .map((element) => `$${element.length}\r\n${element}\r\n`)
        .join('');
      const room = random.integer(0, random.chance(0.5) ? model.length + 100 : 200_000);
      assert.is(written(cursor, from, count, room, true), model);
      assert.is(written(cursor, from, count, room, false), model);
      mostBytes = Math.max(mostBytes, model.length);
    }
    assert.ok(mostBytes > WORKSPACE_BYTES, 'some have not fitted the workspace');
  }),
);

replies('entries are taken, and not one by one', () => {
  const entries = new ListpackEntries();
  for (let nth = 0; nth < 100; nth += 1) entries.add(fromLatin1(`element ${nth}`));
  const bytes = entries.toListpack();
  const writer = new ReplyWriter(memory.bytes, REPLIES_AT, REPLIES_AT + 65_536, () => undefined);
  const taker = new EntryReplies(memory, workspaceAt, writer);
  assert.is(taker.take(bytes, 6, bytes.length, 100), 100);
  assert.is(taker.next, bytes.length - 1);
  assert.is(taker.take(bytes, 6, bytes.length, 3), 0, 'few are not worth it');
});

replies.run();
