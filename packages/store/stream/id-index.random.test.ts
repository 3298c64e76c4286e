/** The index of ids against a sorted array. */

import { type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IdIndex, IdPlace } from './id-index.ts';
import { MemoryTally } from './memory-tally.ts';
import { StreamId } from './stream-id.ts';

const indexes = suite('id index, at random');

/** An id of both parts that sorts as the number does. */
function idOf(number: number): StreamId {
  return new StreamId().setWords(number % 3 === 0 ? -1 : 0, number, -5, number * 7);
}

const order = (a: number, b: number): number => idOf(a).compare(idOf(b));

class Model {
  numbers: number[] = [];

  /** Counts the numbers that come before. */
  rank(number: number): number {
    let low = 0;
    let high = this.numbers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (order(this.numbers[middle]!, number) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  has(number: number): boolean {
    return this.numbers[this.rank(number)] === number;
  }
}

function numbersOf(index: IdIndex): number[] {
  const place = new IdPlace();
  const id = new StreamId();
  const found: number[] = [];
  for (let more = index.first(place); more; more = index.next(place)) {
    index.readId(place, id);
    found.push(index.word(place, 1));
    assert.is(id.compare(idOf(index.word(place, 1))), 0);
    assert.is(index.word(place, 0), -index.word(place, 1));
  }
  return found;
}

function compare(index: IdIndex, model: Model): void {
  assert.is(index.count, model.numbers.length);
  assert.equal(numbersOf(index), model.numbers);
  const back: number[] = [];
  const place = new IdPlace();
  for (let more = index.last(place); more; more = index.prev(place)) {
    back.push(index.word(place, 1));
  }
  assert.equal(back.reverse(), model.numbers);
}

function look(index: IdIndex, model: Model, number: number): void {
  const place = new IdPlace();
  const id = idOf(number);
  const rank = model.rank(number);
  const { numbers } = model;
  assert.is(index.find(id, place), model.has(number));
  assert.is(index.seek(id, place), rank < numbers.length);
  if (rank < numbers.length) assert.is(index.word(place, 1), numbers[rank]);
  const before = model.has(number) ? rank : rank - 1;
  assert.is(index.seekBack(id, place), before >= 0);
  if (before >= 0) assert.is(index.word(place, 1), numbers[before]);
}

function put(index: IdIndex, model: Model, number: number): void {
  if (model.has(number)) return;
  const place = new IdPlace();
  index.insert(idOf(number), place);
  index.setWord(place, 0, -number);
  index.setWord(place, 1, number);
  model.numbers.splice(model.rank(number), 0, number);
}

/** Takes out a few in a row from a rank on. */
function drop(index: IdIndex, model: Model, rank: number, count: number): void {
  const place = new IdPlace();
  assert.ok(index.find(idOf(model.numbers[rank]!), place));
  for (let left = Math.min(count, model.numbers.length - rank); left > 0; left -= 1) {
    model.numbers.splice(rank, 1);
    const more = index.remove(place);
    assert.is(more, rank < model.numbers.length);
    if (more) assert.is(index.word(place, 1), model.numbers[rank]);
  }
}

function step(random: Random, index: IdIndex, model: Model, growth: number): void {
  const { length } = model.numbers;
  if (length === 0 || random.chance(growth)) {
    put(index, model, random.integer(1, 30_000));
    return;
  }
  const fromFront = random.chance(0.5);
  drop(index, model, fromFront ? 0 : random.integer(0, length - 1), random.integer(1, 4));
}

indexes(
  'agrees with a sorted array while it grows and shrinks',
  withRandom((random) => {
    const tally = new MemoryTally();
    const index = new IdIndex(2, tally);
    const model = new Model();
    for (const growth of [0.95, 0.3, 0.9, 0.5, 0.2]) {
      for (let nth = 0; nth < 6000; nth += 1) {
        step(random, index, model, growth);
        look(index, model, random.integer(0, 30_001));
        if (nth % 1000 === 0) compare(index, model);
      }
      compare(index, model);
    }
    while (model.numbers.length > 0) drop(index, model, 0, 1000);
    compare(index, model);
    assert.is(tally.bytes, 0);
  }),
);

indexes('ids in order fill their memory, and those that go from the front give it back', () => {
  const tally = new MemoryTally();
  const index = new IdIndex(0, tally);
  const place = new IdPlace();
  const id = new StreamId();
  const count = 100_000;
  for (let nth = 1; nth <= count; nth += 1) index.insert(id.setMs(nth), place);
  assert.ok(tally.bytes / count < 17, `${tally.bytes / count} bytes for each`);
  index.first(place);
  for (let nth = 1; nth <= count - 600; nth += 1) index.remove(place);
  assert.ok(tally.bytes < 600 * 40, `${tally.bytes} bytes for 600`);
  index.readId(place, id);
  assert.is(String(id), `${count - 599}-0`);
  index.clear();
  assert.is(tally.bytes, 0);
});

indexes.run();
