/** The shared page: every number has a place of its own, and what a reset clears is agreed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bucketOf, HISTOGRAM_BUCKETS, totalCount } from './histogram.ts';
import { KEY_QUANTITIES, QUANTITIES } from '#quantities';
import { AT, COUNTERS } from './counters.ts';
import { BAND_ROWS_MAX, KEY_SIZES_ROWS, KEY_SIZES_TYPES, Page, type PageShape } from './page.ts';
import { beginPrefixes, setPrefixKeySizes } from './prefix-counts.ts';
import { PREFIX_ROWS, PrefixField } from './prefix-rows.ts';

const prefix = (page: Page, row: number, field: number): number =>
  page.values[page.prefixCell(row) + field]!;

const pages = suite('statistics page');

const shape: PageShape = { databases: 3, commands: 4, errorCodes: 5 };
const emptyPage = (): Page => new Page(shape, new ArrayBuffer(Page.bytes(shape)));

/** Every way to write one place, and to read it back. */
function* places(page: Page): Generator<readonly [name: string, write: () => void]> {
  for (const counter of COUNTERS) yield [counter, () => page.add(counter, 1)];
  for (let database = 0; database < shape.databases; database += 1) {
    const set = (keys: number, expires: number, fields: number, mean = 0): void =>
      page.setDatabase(database, keys, expires, fields, mean);
    yield [`keys of ${database}`, () => set(1, 0, 0)];
    yield [`expires of ${database}`, () => set(page.keys(database), 1, 0)];
    yield [`fields of ${database}`, () => set(page.keys(database), page.expires(database), 1)];
    yield [
      `mean expiry of ${database}`,
      () => set(page.keys(database), page.expires(database), page.fieldExpires(database), 1),
    ];
    yield [`index of ${database}`, () => page.setIndexBytes(database, 1, 0)];
    yield [`index of expiries of ${database}`, () => page.setIndexBytes(database, 1, 1)];
  }
  for (let command = 0; command < shape.commands; command += 1) {
    yield [`failed ${command}`, () => page.failed(command)];
    yield [`rejected ${command}`, () => page.rejected(command)];
  }
  for (let code = 0; code < shape.errorCodes; code += 1) {
    yield [`error ${code}`, () => page.countError(code)];
  }
  for (let row = 0; row < BAND_ROWS_MAX; row += 1) yield [`band ${row}`, () => page.countBand(row)];
  for (let row = 0; row < PREFIX_ROWS; row += 1) {
    for (const field of Object.values(PrefixField)) {
      yield [`prefix ${row}, ${field}`, () => (page.values[page.prefixCell(row) + field] = 1)];
    }
  }
  yield ['first of the queue', () => page.queued(0)];
  yield ['last of the queue', () => page.queued(Infinity)];
  yield ['first of the loop', () => page.looped(0)];
  yield ['first of scatter', () => page.gathered(0)];
}

pages('gives every number a place that no other has', () => {
  const page = emptyPage();
  let written = 0;
  for (const [name, write] of places(page)) {
    const before = page.values.slice();
    write();
    written += 1;
    const changed = [...page.values.keys()].filter((index) => page.values[index] !== before[index]);
    assert.is(changed.length, 1, `${name} changes one place`);
    assert.is(before[changed[0]!], 0, `${name} has its place to itself`);
  }
  assert.is(page.values.filter((value) => value !== 0).length, written);
});

pages('has the counters of key fates one after the other, as shards count them', () => {
  const { fates } = KEY_QUANTITIES;
  for (const [fate, { counter }] of fates.entries()) {
    assert.is(AT[counter], AT[fates[0].counter] + fate);
  }
});

pages('keeps key sizes by database, type and size', () => {
  const page = emptyPage();
  const cells = KEY_SIZES_TYPES * KEY_SIZES_ROWS;
  const counts = Float64Array.from({ length: cells * shape.databases }, (_, index) => index + 1);
  page.setKeySizes(counts);
  assert.is(page.keySizes(0, 1, 0), 1);
  assert.is(page.keySizes(1, 2, 3), cells + KEY_SIZES_ROWS + 4);
  assert.is(page.keySizes(2, KEY_SIZES_TYPES, KEY_SIZES_ROWS - 1), counts.length);
  assert.is(page.keyMemorySizes(1, 1, 0), cells + 6 * KEY_SIZES_ROWS + 1);
  assert.is(page.values.filter((value) => value !== 0).length, counts.length);
});

pages('ends exactly where its last histogram ends', () => {
  const page = emptyPage();
  page.executed(shape.commands - 1, Infinity);
  assert.is(page.values.at(-1), 1);
  assert.is(Page.bytes(shape), page.values.byteLength);
});

pages('counts an execution in its row and its histogram', () => {
  const page = emptyPage();
  page.executed(2, 100);
  page.executed(2, 50);
  page.failed(2);
  assert.is(page.command(2, 'calls'), 2);
  assert.is(page.command(2, 'ticks'), 150);
  assert.is(page.command(2, 'failed'), 1);
  assert.is(page.command(2, 'rejected'), 0);
  assert.is(page.histogram(2)[bucketOf(100)], 1);
  assert.is(totalCount(page.histogram(2)), 2);
  for (const other of [0, 1, 3]) {
    assert.is(page.command(other, 'calls'), 0);
    assert.is(totalCount(page.histogram(other)), 0);
  }
  assert.is(totalCount(page.queueHistogram), 0);
});

pages('is seen by whoever shares the memory', () => {
  const memory = new SharedArrayBuffer(Page.bytes(shape));
  const writer = new Page(shape, memory);
  const reader = new Page(shape, memory);
  writer.set('usedBytes', 12_345);
  writer.queued(64);
  assert.is(reader.get('usedBytes'), 12_345);
  assert.is(reader.queueHistogram.length, HISTOGRAM_BUCKETS);
  assert.is(reader.queueHistogram[bucketOf(64)], 1);
});

pages('forgets on reset what happened, and keeps how things are', () => {
  const page = emptyPage();
  for (const [, write] of places(page)) write();
  page.executed(0, 10);
  page.resetStatistics();
  const kept = COUNTERS.filter((counter) => page.get(counter) !== 0);
  assert.equal(
    QUANTITIES.filter(({ counter, resets }) => kept.includes(counter) === (resets === true)),
    [],
  );
  for (const counter of ['usedBytes', 'connections', 'changes', 'saves'] as const) {
    assert.ok(kept.includes(counter), counter);
  }
  for (const counter of ['hits', 'expired', 'fateFlushed', 'gcUsMax'] as const) {
    assert.not(kept.includes(counter), counter);
  }
  assert.is(prefix(page, PREFIX_ROWS - 1, PrefixField.outputBytes), 0);
  assert.is(prefix(page, PREFIX_ROWS - 1, PrefixField.memoryBytes), 1);
  assert.is(page.keys(1), 1);
  assert.is(page.band(0), 1, 'bands are reset by their own command');
  assert.is(page.errorCount(0), 0);
  assert.is(page.command(0, 'calls'), 0);
  assert.is(totalCount(page.histogram(0)) + totalCount(page.queueHistogram), 0);
});

pages('begins with other prefixes at zero, and says when a walk has counted them', () => {
  const page = emptyPage();
  for (const [, write] of places(page)) write();
  beginPrefixes(page, 7);
  assert.is(page.get('prefixesId'), 7);
  assert.is(page.get('prefixesWalkedId'), 0);
  for (let row = 0; row < PREFIX_ROWS; row += 1) {
    for (const field of Object.values(PrefixField)) assert.is(prefix(page, row, field), 0);
  }
  const keys = Float64Array.from({ length: PREFIX_ROWS }, (_, row) => row + 1);
  setPrefixKeySizes(
    page,
    keys,
    keys.map((count) => 100 * count),
  );
  assert.is(page.get('prefixesWalkedId'), 7);
  assert.is(prefix(page, 2, PrefixField.keys), 3);
  assert.is(prefix(page, PREFIX_ROWS - 1, PrefixField.memoryBytes), 100 * PREFIX_ROWS);
  assert.is(totalCount(page.queueHistogram), 2, 'nothing else is touched');
});

pages('clears the bands alone', () => {
  const page = emptyPage();
  for (const [, write] of places(page)) write();
  const before = page.values.filter((value) => value !== 0).length;
  page.clearBands(1);
  for (let row = 0; row < BAND_ROWS_MAX; row += 1) assert.is(page.band(row), 0);
  assert.is(page.values.filter((value) => value !== 0).length, before - BAND_ROWS_MAX);
});

pages.run();
