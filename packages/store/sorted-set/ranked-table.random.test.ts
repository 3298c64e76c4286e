/** Ranked tables against sorted arrays: what is in them, in which order, at which rank. */
import { finish, fromLatin1, latin1, type SpanTaker } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom, testStore, thereAndBack } from '../store.test-helper.ts';
import { rankedTableCodec } from './ranked-table-codec.ts';
import { RankedTable } from './ranked-table.ts';

const ranked = suite('ranked table, at random');

type Model = Map<string, number>;

const newTable = (): RankedTable => new RankedTable(testStore().databases[0]!.createTable(true));

function put(table: RankedTable, model: Model, name: string, score: number): void {
  const bytes = fromLatin1(name);
  const entry = table.find(bytes, 0, bytes.length);
  if (entry === 0) table.addMissed(bytes, 0, bytes.length, score);
  else table.update(entry, score);
  model.set(name, score);
}

function removeAt(table: RankedTable, model: Model, rank: number): void {
  table.seek(rank);
  table.read();
  model.delete(nameOf(table));
  table.remove(table.entry);
}

function nameOf(table: RankedTable): string {
  return latin1(table.bytes, table.at, table.length);
}

function sorted(model: Model): [name: string, score: number][] {
  return [...model].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
}

function compare(table: RankedTable, model: Model, random: () => number): void {
  const expected = sorted(model);
  assert.is(table.count, expected.length);
  const up: [string, number][] = [];
  for (let more = table.seek(0); more; more = table.next()) {
    table.read();
    up.push([nameOf(table), table.score]);
  }
  assert.equal(up, expected);
  const down: string[] = [];
  for (let more = table.seek(table.count - 1); more; more = table.prev()) {
    table.read();
    down.push(nameOf(table));
  }
  assert.equal(
    down.reverse(),
    expected.map(([name]) => name),
  );
  for (let nth = 0; nth < 20 && expected.length > 0; nth += 1) {
    const rank = Math.floor(random() * expected.length);
    const [name, score] = expected[rank]!;
    const entry = table.find(fromLatin1(name), 0, name.length);
    assert.is(table.rankOf(entry), rank);
    assert.is(table.scoreOf(entry), score);
    assert.is(table.countBelow(score, false), expected.filter(([, each]) => each < score).length);
    assert.is(table.countBelow(score, true), expected.filter(([, each]) => each <= score).length);
  }
  for (const isDown of [false, true]) {
    for (let nth = 0; nth < 5 && expected.length > 0; nth += 1) {
      const rank = Math.floor(random() * expected.length);
      const most = isDown ? rank + 1 : expected.length - rank;
      const count = Math.floor(random() * (most + 1));
      const members: string[] = [];
      table.seek(rank);
      table.each(count, isDown, taking(members));
      const [from, to] = isDown ? [rank + 1 - count, rank + 1] : [rank, rank + count];
      const names = expected.slice(from, to).map(([name]) => name);
      assert.equal(members, isDown ? names.reverse() : names);
    }
  }
  assert.not.ok(table.seek(expected.length));
  assert.not.ok(table.seek(-1));
}

/** Puts what is given into an array. */
function taking(members: string[]): SpanTaker {
  return {
    bulk: (bytes, at, length) => members.push(latin1(bytes, at, length)),
    bulks({ memory, places, ats, lengths, count }) {
      for (let nth = 0; nth < count; nth += 1) {
        this.bulk(memory[places[nth]!]!.bytes, ats[nth]!, lengths[nth]!);
      }
    },
  };
}

const runs: readonly (readonly [seed: number, names: number, scores: number, tail: string])[] = [
  [1, 40, 5, ''],
  [2, 1500, 1, ''],
  [3, 1500, 1e9, ''],
  [4, 8000, 1000, 'x'.repeat(40)],
  [7, 300, 1000, 'x'.repeat(90)],
];

for (const [seed, names, scores, tail] of runs) {
  ranked(`${names} names with ${scores} scores agree with a sorted array`, () => {
    const random = seededRandom(seed);
    let table = newTable();
    const model: Model = new Map();
    const steps = names * 5;
    for (let step = 0; step < steps; step += 1) {
      // Grows, shrinks and grows again.
      const growth = [0.9, 0.4, 0.1, 0.7, 0.5][Math.floor(step / names)]!;
      if (random() < growth) {
        const name = `m${Math.floor(random() * names)}${tail}`;
        put(table, model, name, Math.floor(random() * scores));
      } else if (model.size > 0) {
        removeAt(table, model, Math.floor(random() * model.size));
      }
      if (step % Math.ceil(steps / 12) !== 0) continue;
      compare(table, model, random);
      const other = random() < 0.5 ? finish(table.copy()) : thereAndBack(rankedTableCodec, table);
      table = other as RankedTable;
      compare(table, model, random);
    }
    while (model.size > 0) removeAt(table, model, random() < 0.5 ? 0 : model.size - 1);
    compare(table, model, random);
    put(table, model, 'again', 1);
    compare(table, model, random);
  });
}

for (const [name, step] of [
  ['ascending', 1],
  ['descending', -1],
] as const) {
  ranked(`${name} scores leave nodes full`, () => {
    const table = newTable();
    const model: Model = new Map();
    for (let nth = 0; nth < 5000; nth += 1) put(table, model, `m${nth}`, nth * step);
    compare(table, model, seededRandom(5));
    assert.ok(table.tree.leaves.used <= Math.ceil(5000 / 64) + 1);
  });
}

ranked('members of one score are found by their bytes', () => {
  const table = newTable();
  const model: Model = new Map();
  for (let nth = 0; nth < 500; nth += 1) put(table, model, `m${nth * 2}`, 7);
  const names = sorted(model).map(([name]) => name);
  for (const bound of ['', 'm', 'm1', 'm10', 'm11', 'm500', 'm998', 'm9981', 'z']) {
    const before = names.filter((name) => name < bound).length;
    assert.is(table.countBefore(fromLatin1(bound), false), before);
    const withEqual = names.filter((name) => name <= bound).length;
    assert.is(table.countBefore(fromLatin1(bound), true), withEqual);
  }
});

ranked('gives its memory back', () => {
  const table = newTable();
  const model: Model = new Map();
  const empty = table.totalBytes;
  const random = seededRandom(6);
  for (let nth = 0; nth < 20_000; nth += 1) put(table, model, `member:${nth}`, random());
  const full = table.totalBytes;
  assert.ok(full / 20_000 < 70, `${full / 20_000} bytes for each member`);
  while (model.size > 200) removeAt(table, model, Math.floor(random() * model.size));
  assert.ok(table.totalBytes < full / 10, `${table.totalBytes} of ${full} bytes are left`);
  while (model.size > 0) removeAt(table, model, 0);
  assert.ok(table.totalBytes < empty + 100_000);
});

ranked.run();
