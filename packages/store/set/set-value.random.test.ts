import { fromLatin1, latin1 } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Encoding } from '../values/encodings.ts';
import { bytesOf, refOf, removeKey, seededRandom, testStore } from '../store.test-helper.ts';
import { SetValue, type SetLimits } from './set-value.ts';

const sets = suite('set, at random');

function contents(set: SetValue): string[] {
  const found: string[] = [];
  for (let more = set.first(); more; more = set.next()) {
    set.read();
    found.push(latin1(set.bytes, set.at, set.length));
  }
  return found.sort();
}

const large = 9_223_372_036_854_775_807n;
const small: SetLimits = { entries: 10, valueBytes: 20, intsetEntries: 30 };

/** Limits of a set, and the members that it is given. */
const shapes: readonly (readonly [
  string,
  SetLimits,
  (draw: (below: number) => number) => string,
])[] = [
  [
    'of integers of all sizes',
    { ...small, intsetEntries: 1000 },
    (draw) => {
      const power = BigInt(draw(64));
      const value = draw(2) === 0 ? 2n ** power : -(2n ** power);
      return (value > large ? large - BigInt(draw(3)) : value).toString();
    },
  ],
  ['of integers that grows', small, (draw) => `${draw(100) - 50}`],
  ['in a listpack', { ...small, entries: 500 }, (draw) => `${draw(2) === 0 ? 'm' : ''}${draw(50)}`],
  ['that changes its form', small, (draw) => `${draw(30) === 0 ? 'x'.repeat(draw(40)) : draw(60)}`],
];

for (const [name, limits, memberOf] of shapes) {
  for (let seed = 1; seed <= 3; seed += 1) {
    sets(`a set ${name} is what a set is (seed ${seed})`, () => {
      const random = seededRandom(seed);
      const draw = (below: number): number => Math.floor(random() * below);
      const store = testStore();
      const keyspace = store.databases[0]!;
      const used = store.memory.usedBytes;
      const set = new SetValue();
      const model = new Set<string>();
      const key = { bytes: bytesOf('key'), at: 0, length: 3 };
      for (let round = 0; round < 3000; round += 1) {
        const member = memberOf(draw);
        const bytes = fromLatin1(member);
        if (model.size === 0) {
          removeKey(keyspace, 'key');
          set.create(keyspace, key, limits, { bytes, at: 0, length: bytes.length }, 1);
        } else {
          set.open(keyspace, refOf(keyspace, 'key'), limits);
        }
        assert.is(set.has(bytes, 0, bytes.length), model.has(member), member);
        if (draw(3) === 0) {
          assert.is(set.delete(bytes, 0, bytes.length), model.delete(member), member);
        } else if (draw(20) === 0 && model.size > 0) {
          set.draw(random);
          set.read();
          const drawn = latin1(set.bytes, set.at, set.length);
          assert.ok(model.delete(drawn), drawn);
          set.remove();
        } else {
          assert.is(set.add(bytes, 0, bytes.length), !model.has(member), member);
          model.add(member);
        }
        assert.is(set.count, model.size);
        if (round % 20 === 0) assert.equal(contents(set), [...model].sort());
      }
      removeKey(keyspace, 'key');
      assert.is(store.memory.usedBytes, used);
    });
  }
}

sets('an intset of all widths has its members in order', () => {
  const keyspace = testStore().databases[0]!;
  const members = ['5', '-40000', '70000', '-3000000000', '9007199254740993', '-1', '0'];
  const first = { bytes: bytesOf('5'), at: 0, length: 1 };
  const key = { bytes: bytesOf('key'), at: 0, length: 3 };
  const set = new SetValue().create(keyspace, key, small, first, 1);
  for (const member of members) set.add(bytesOf(member), 0, member.length);
  assert.is(keyspace.encoding(set.ref), Encoding.intset);
  const found: string[] = [];
  for (let more = set.first(); more; more = set.next()) {
    set.read();
    found.push(latin1(set.bytes, set.at, set.length));
  }
  assert.equal(found, ['-3000000000', '-40000', '-1', '0', '5', '70000', '9007199254740993']);
  const { bytes, at } = keyspace.value(set.ref);
  // Eight bytes for each integer, of which there are seven.
  assert.equal([...bytes.slice(at, at + 8)], [8, 0, 0, 0, 7, 0, 0, 0]);
});

sets.run();
