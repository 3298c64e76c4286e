import { fromLatin1, latin1 } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ListpackEntries, spliced, spliceRecord } from './listpack-entries.ts';
import { Listpack } from './listpack.ts';
import { bytesOf, refOf, seededRandom, setText, testStore } from '../store.test-helper.ts';
import { Span } from '../values/span.ts';

const listpack = suite('listpack');

function entriesOf(texts: readonly string[]): ListpackEntries {
  const entries = new ListpackEntries();
  for (const text of texts) entries.add(fromLatin1(text));
  return entries;
}

function textsOf(cursor: Listpack): string[] {
  const texts: string[] = [];
  for (let more = cursor.first(); more; more = cursor.next()) texts.push(cursor.latin1());
  return texts;
}

function backwards(cursor: Listpack): string[] {
  const texts: string[] = [];
  for (let more = cursor.last(); more; more = cursor.prev()) texts.push(cursor.latin1());
  return texts.reverse();
}

/** The bytes that Redis 7.4 has for one entry of such a listpack, its back length included. */
const forms: readonly (readonly [text: string, hex: string])[] = [
  ['0', '0001'],
  ['127', '7f01'],
  ['128', 'c08002'],
  ['-1', 'dfff02'],
  ['4095', 'cfff02'],
  ['-4096', 'd00002'],
  ['4096', 'f1001003'],
  ['-32768', 'f1008003'],
  ['32768', 'f200800004'],
  ['-8388608', 'f200008004'],
  ['8388608', 'f30000800005'],
  ['-2147483648', 'f30000008005'],
  ['2147483648', 'f4000000800000000009'],
  ['-2147483649', 'f4ffffff7fffffffff09'],
  ['9223372036854775807', 'f4ffffffffffffff7f09'],
  ['-9223372036854775808', 'f4000000000000008009'],
  ['9007199254740993', 'f4010000000000200009'],
  ['9223372036854775808', '933932323333373230333638353437373538303814'],
  ['', '8001'],
  ['a', '816102'],
  ['01', '82303103'],
  ['-0', '822d3003'],
  ['+1', '822b3103'],
];

for (const [text, hex] of forms) {
  listpack(`has the bytes of ${JSON.stringify(text)}`, () => {
    const bytes = entriesOf([text]).toListpack();
    assert.is(Buffer.from(bytes.subarray(6, -1)).toString('hex'), hex);
    const cursor = new Listpack().point(bytes, 0);
    assert.equal(textsOf(cursor), [text]);
    assert.equal(backwards(cursor), [text]);
  });
}

listpack('holds strings of every size of head and back length', () => {
  const lengths = [63, 64, 126, 127, 128, 4095, 4096, 16_380, 16_383, 16_384, 2_097_150, 2_097_152];
  const texts = lengths.map((length) => 'x'.repeat(length));
  const cursor = new Listpack().point(entriesOf(texts).toListpack(), 0);
  assert.equal(
    textsOf(cursor).map((text) => text.length),
    lengths,
  );
  assert.equal(
    backwards(cursor).map((text) => text.length),
    lengths,
  );
});

listpack('counts more entries than its header can say', () => {
  const texts = Array.from({ length: 70_000 }, (_, index) => `${index}`);
  const bytes = entriesOf(texts).toListpack();
  const cursor = new Listpack().point(bytes, 0);
  assert.is(cursor.count, 70_000);
  assert.ok(cursor.seek(69_999));
  assert.is(cursor.latin1(), '69999');
  assert.ok(cursor.seek(-70_000));
  assert.is(cursor.latin1(), '0');
  assert.not.ok(cursor.seek(70_000));
});

listpack('finds an entry among others', () => {
  const cursor = new Listpack().point(entriesOf(['a', '1', 'b', 'a', '1', 'c']).toListpack(), 0);
  const find = (text: string, stride: number): number => {
    cursor.first();
    return cursor.find(fromLatin1(text), 0, text.length, stride) ? cursor.offset : -1;
  };
  assert.is(find('1', 1), 9);
  assert.is(find('1', 2), 17);
  assert.is(find('b', 2), 11);
  assert.is(find('a', 1), 6);
  assert.is(find('aa', 1), -1);
  assert.is(find('', 1), -1);
});

listpack('is spliced like an array, in a record and alone', () => {
  const random = seededRandom(7);
  const draw = (below: number): number => Math.floor(random() * below);
  const words = [
    '',
    'a',
    '5',
    '-77',
    '70000',
    'word',
    'x'.repeat(100),
    '12345678901',
    'y'.repeat(5000),
  ];
  const { databases } = testStore();
  const keyspace = databases[0]!;
  setText(keyspace, 'key', '');
  const empty = new ListpackEntries().toListpack();
  const key = bytesOf('key');
  keyspace.set(new Span(key), new Span(empty));
  let exclusive = empty;
  const model: string[] = [];
  const cursor = new Listpack();
  for (let round = 0; round < 2000; round += 1) {
    const from = draw(model.length + 1);
    const removed = Math.min(draw(model.length > 40 ? 10 : 3), model.length - from);
    const added = Array.from({ length: draw(4) }, () => words[draw(words.length)]!);
    const ref = refOf(keyspace, 'key');
    cursor.pointAt(keyspace.value(ref));
    const offsetOf = (index: number): number =>
      cursor.seek(index) ? cursor.offset : cursor.endOffset;
    const offset = offsetOf(from);
    const stretch = { offset, bytes: offsetOf(from + removed) - offset, count: removed };
    spliceRecord(keyspace, ref, stretch, entriesOf(added));
    exclusive = spliced(exclusive, stretch, entriesOf(added));
    model.splice(from, removed, ...added);
    const view = keyspace.value(refOf(keyspace, 'key'));
    assert.is(latin1(view.bytes, view.at, view.length), latin1(exclusive));
    cursor.pointAt(view);
    assert.equal(textsOf(cursor), model);
    assert.equal(backwards(cursor), model);
    assert.is(cursor.count, model.length);
    assert.is(cursor.totalBytes, exclusive.length);
  }
});

listpack.run();
