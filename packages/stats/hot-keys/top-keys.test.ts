/** The sketch against a plain one that looks through all keys for the lightest, and against the true counts. */
import { type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TopKeys, type TopKey } from './top-keys.ts';

const topKeys = suite('top keys');

interface Use {
  readonly key: string;
  readonly weight: number;
  readonly amounts: readonly number[];
}

/** Space-saving as its paper has it. */
class PlainTopKeys {
  readonly #capacity: number;
  readonly #known = new Map<string, TopKey>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add({ key, weight, amounts }: Use): void {
    const before = this.#known.get(key) ?? this.#place(key, amounts.length);
    const sums = before.sums.map((sum, nth) => sum + amounts[nth]!);
    this.#known.set(key, { ...before, weight: before.weight + weight, sums });
  }

  get lightest(): number {
    return this.#known.size < this.#capacity ? 0 : this.#ranked().at(-1)!.weight;
  }

  heaviest(count: number): readonly TopKey[] {
    return this.#ranked().slice(0, count);
  }

  #place(key: string, width: number): TopKey {
    const error = this.lightest;
    if (this.#known.size === this.#capacity) this.#known.delete(this.#ranked().at(-1)!.key);
    return { key, weight: error, error, sums: Array.from({ length: width }, () => 0) };
  }

  #ranked(): readonly TopKey[] {
    return [...this.#known.values()].sort((a, b) => b.weight - a.weight);
  }
}

const WIDTH = 3;
const USES = 4_000;
/** Number of weights for which all sums are distinct and exact. */
const WEIGHTS = 2 ** 32;

type Draw = (random: Random) => number;
const uniform =
  (keys: number): Draw =>
  (random) =>
    random.integer(0, keys - 1);
/** Keys in proportion to about 1 / n. */
const zipf =
  (keys: number): Draw =>
  (random) =>
    Math.floor(keys ** random.fraction()) - 1;

type Weigh = (random: Random) => number;
const alike: Weigh = () => 1;
const distinct: Weigh = (random) => random.integer(1, WEIGHTS);
/** Now and then one that outweighs all before. */
const heavy: Weigh = (random) => distinct(random) * (random.chance(0.01) ? 2 ** 10 : 1);
const oftenNothing: Weigh = (random) => random.integer(0, 2);

/** The empty key, some that are too long to be hashed in place, and bytes that are no ASCII. */
const nameOf = (key: number): string =>
  key === 0 ? '' : `\xff${key}\0`.repeat(key % 100 === 7 ? 100 : 1);

function stream(random: Random, draw: Draw, weigh: Weigh): readonly Use[] {
  return Array.from({ length: USES }, () => ({
    key: nameOf(draw(random)),
    weight: weigh(random),
    amounts: Array.from({ length: WIDTH }, () => random.integer(0, 1_000)),
  }));
}

const streams: readonly (readonly [name: string, draw: Draw, weigh: Weigh])[] = [
  ['uniform keys', uniform(300), alike],
  ['uniform keys of distinct weights', uniform(300), distinct],
  ['Zipf keys', zipf(1_000), alike],
  ['Zipf keys of distinct weights', zipf(1_000), distinct],
  ['heavy weights', uniform(300), heavy],
  ['weights of nothing', zipf(1_000), oftenNothing],
  ['few keys', uniform(5), distinct],
];
/** Full and partly filled groups of the tree, one to four levels deep. */
const CAPACITIES = [1, 2, 3, 4, 5, 16, 17, 63, 100];

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

function checkBounds(top: TopKeys, uses: readonly Use[], capacity: number): void {
  const known = top.heaviest(Infinity);
  const total = sum(uses.map(({ weight }) => weight));
  const truth = new Map<string, number>();
  for (const { key, weight } of uses) truth.set(key, (truth.get(key) ?? 0) + weight);
  assert.is(sum(known.map(({ weight }) => weight)), total);
  assert.is(known.length, Math.min(capacity, truth.size));
  assert.is(top.lightest, truth.size < capacity ? 0 : known.at(-1)!.weight);
  for (const [nth, { key, weight, error }] of known.entries()) {
    assert.ok(weight <= (known[nth - 1]?.weight ?? Infinity), 'the heaviest come first');
    assert.ok(weight >= truth.get(key)!, 'no key is under-counted');
    assert.ok(weight - error <= truth.get(key)!, 'nor over-counted by more than is told');
    truth.delete(key);
  }
  for (const weight of truth.values()) {
    assert.ok(weight <= top.lightest && weight <= total / capacity, 'what is unknown is light');
  }
}

for (const [name, draw, weigh] of streams) {
  topKeys(
    `keeps its bounds: ${name}`,
    withRandom((random) => {
      for (const capacity of CAPACITIES) {
        const top = new TopKeys(capacity, WIDTH);
        const uses = stream(random, draw, weigh);
        for (const { key, weight, amounts } of uses) top.add(key, weight, amounts);
        checkBounds(top, uses, capacity);
      }
    }),
  );
}

function checkAgainstPlain(uses: readonly Use[], capacity: number): void {
  const top = new TopKeys(capacity, WIDTH);
  const plain = new PlainTopKeys(capacity);
  for (const [nth, use] of uses.entries()) {
    top.add(use.key, use.weight, use.amounts);
    plain.add(use);
    assert.is(top.lightest, plain.lightest);
    if (nth % 500 === 499) assert.equal(top.heaviest(Infinity), plain.heaviest(Infinity));
  }
  assert.equal(top.heaviest(3), plain.heaviest(3));
}

topKeys(
  'is the plain sketch where no two weights are alike',
  withRandom((random) => {
    for (const [, draw, weigh] of streams) {
      if (weigh !== distinct && weigh !== heavy) continue;
      for (const capacity of CAPACITIES) checkAgainstPlain(stream(random, draw, weigh), capacity);
    }
  }),
);

topKeys('tells keys apart whose hashes are the same', () => {
  // With this number, about ten pairs share their 32 bits.
  const keys = 300_000;
  const top = new TopKeys(keys, 1);
  for (let turn = 1; turn <= 2; turn += 1) {
    for (let key = 0; key < keys; key += 1) top.add(`key:${key}`, key + 1, [turn]);
  }
  const known = top.heaviest(keys);
  assert.is(known.length, keys);
  assert.ok(
    known.every(({ key, weight, error, sums }, nth) => {
      const expected = keys - nth;
      const isRight = key === `key:${expected - 1}` && weight === 2 * expected;
      return isRight && error === 0 && sums[0] === 3;
    }),
  );
});

topKeys('refuses a weight that is no number', () => {
  const top = new TopKeys(2, 1);
  assert.throws(() => top.add('a', NaN, [1]));
});

topKeys.run();
