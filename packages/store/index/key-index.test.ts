import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyIndex, type KeyedRecords } from './key-index.ts';
import { BLOCK_BITS } from '../memory/limits.ts';
import { Ledger, MemoryCount } from '../memory/memory-count.ts';
import { seededRandom } from '../store.test-helper.ts';

const index = suite('key-index');

/** Records that are only a number, which is their key. */
const numbers: KeyedRecords = {
  keyEquals: (ref, key) => new DataView(key.buffer).getInt32(0) === ref,
};

const scratch = new Uint8Array(4);
function keyOf(ref: number): Uint8Array {
  new DataView(scratch.buffer).setInt32(0, ref);
  return scratch;
}

function spread(ref: number): number {
  let word = Math.imul(ref ^ (ref >>> 16), 0x45d9f3b);
  word = Math.imul(word ^ (word >>> 16), 0x45d9f3b);
  return word ^ (word >>> 16) || 1;
}

function makeIndex(): { keys: KeyIndex; memory: MemoryCount } {
  const memory = new MemoryCount();
  return { keys: new KeyIndex(numbers, new Ledger(memory)), memory };
}

function scanAll(keys: KeyIndex, count: number): number[] {
  const found: number[] = [];
  let cursor = 0;
  do {
    cursor = keys.scan(cursor, count, (ref) => found.push(ref));
    assert.ok(cursor >= 0 && cursor < 2 ** 32 && Number.isInteger(cursor), 'a cursor of 32 bits');
  } while (cursor !== 0);
  return found;
}

index('finds what was inserted, through all sizes, and nothing else', () => {
  const { keys } = makeIndex();
  const count = 50_000;
  for (let ref = 1; ref <= count; ref += 1) keys.insert(spread(ref), ref);
  for (let ref = 1; ref <= count; ref += 1)
    assert.is(keys.find(spread(ref), keyOf(ref), 0, 4), ref);
  for (let ref = count + 1; ref <= 2 * count; ref += 1) {
    assert.is(keys.find(spread(ref), keyOf(ref), 0, 4), 0);
  }
});

index('touches the slots of one block at most when it grows', () => {
  const { keys } = makeIndex();
  for (let ref = 1; ref <= 1_000_000; ref += 1) keys.insert(spread(ref), ref);
  assert.ok(keys.movedMax <= 1 << BLOCK_BITS, `at most one block, not ${keys.movedMax}`);
  assert.ok(keys.depth <= 13, `a directory of 2^13, not 2^${keys.depth}`);
});

index('visits keys whose probing came round the end of a block', () => {
  const { keys } = makeIndex();
  const LAST_HOME = 0xffff;
  for (let ref = 1; ref <= 3; ref += 1) keys.insert((ref << 16) | LAST_HOME, ref);
  for (const count of [1, 2, 1000]) {
    assert.equal(scanAll(keys, count).sort(), [1, 2, 3], `by pages of ${count}`);
  }
});

index('goes back to the tiny table when it is emptied', () => {
  const { keys, memory } = makeIndex();
  const tiny = memory.usedBytes;
  for (let ref = 1; ref <= 20_000; ref += 1) keys.insert(spread(ref), ref);
  assert.ok(memory.usedBytes > tiny);
  for (let ref = 1; ref <= 20_000; ref += 1) keys.remove(spread(ref), ref);
  assert.is(memory.usedBytes, tiny);
  assert.is(
    keys.scan(123456, 10, () => assert.unreachable()),
    0,
  );
});

const floods: readonly (readonly [name: string, hash: (ref: number) => number])[] = [
  ['one hash', () => 0x5a5a5a5a],
  ['one hash of one', () => 1],
  ['one hash of ones', () => -1],
  ['one directory entry', (ref) => 0xabcde000 | (spread(ref) & 0xfff) | 0],
  ['one home', (ref) => (spread(ref) & ~0xffff) | 0x1234],
  ['two hashes that differ in the last top bit', (ref) => ((ref & 1) << 12) | 0x77],
];

for (const [name, hash] of floods) {
  index(`works when all keys have ${name}`, () => {
    const { keys } = makeIndex();
    const count = 4000;
    for (let ref = 1; ref <= count; ref += 1) keys.insert(hash(ref), ref);
    assert.ok(keys.depth <= 12, `a directory of 2^12 at most, not 2^${keys.depth}`);
    for (let ref = 1; ref <= count; ref += 7)
      assert.is(keys.find(hash(ref), keyOf(ref), 0, 4), ref);
    assert.is(new Set(scanAll(keys, 10)).size, count);
    for (let ref = 1; ref <= count; ref += 2) keys.remove(hash(ref), ref);
    assert.is(keys.count, count / 2);
    assert.is(scanAll(keys, 100).length, count / 2);
    for (let ref = 2; ref <= count; ref += 2) keys.remove(hash(ref), ref);
    assert.is(keys.count, 0);
  });
}

index('visits each key once when nothing changes, whatever the count', () => {
  for (const size of [0, 1, 13, 14, 60, 300, 900, 5000, 40_000]) {
    const { keys } = makeIndex();
    for (let ref = 1; ref <= size; ref += 1) keys.insert(spread(ref), ref);
    for (const count of [1, 10, 1000]) {
      const found = scanAll(keys, count);
      assert.is(found.length, size);
      assert.is(new Set(found).size, size);
    }
  }
});

index('loses no key that stays, whatever comes and goes during a scan', () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = seededRandom(seed);
    const { keys } = makeIndex();
    const present = new Set<number>();
    let next = 1;
    const add = (many: number): void => {
      for (let i = 0; i < many; i += 1, next += 1) {
        keys.insert(spread(next), next);
        present.add(next);
      }
    };
    const remove = (many: number): number[] => {
      const removed: number[] = [];
      for (const ref of present) {
        if (removed.length >= many) break;
        removed.push(ref);
        keys.remove(spread(ref), ref);
        present.delete(ref);
      }
      return removed;
    };
    add(Math.floor(random() * (seed % 4 === 0 ? 20_000 : 300)) + 1);
    const missing = new Set(present);
    let cursor = 0;
    do {
      cursor = keys.scan(cursor, 1 + Math.floor(random() * 20), (ref) => missing.delete(ref));
      add(Math.floor(random() * 60));
      for (const ref of remove(Math.floor(random() * 15))) missing.delete(ref);
    } while (cursor !== 0);
    assert.is(missing.size, 0, `seed ${seed}`);
  }
});

index('ends a scan over an index that was emptied meanwhile', () => {
  const { keys } = makeIndex();
  for (let ref = 1; ref <= 30_000; ref += 1) keys.insert(spread(ref), ref);
  let cursor = keys.scan(0, 5000, () => undefined);
  assert.ok(cursor > 0);
  for (let ref = 1; ref <= 30_000; ref += 1) keys.remove(spread(ref), ref);
  for (let ref = 1; ref <= 100; ref += 1) keys.insert(spread(ref), ref);
  let calls = 0;
  while (cursor !== 0) {
    cursor = keys.scan(cursor, 10, () => undefined);
    calls += 1;
    assert.ok(calls < 1000, 'an end');
  }
});

index('bounds the work of one call on a nearly empty index', () => {
  const { keys } = makeIndex();
  for (let ref = 1; ref <= 100_000; ref += 1) keys.insert(spread(ref), ref);
  for (let ref = 2; ref <= 100_000; ref += 1) keys.remove(spread(ref), ref);
  let calls = 0;
  let cursor = 0;
  do {
    cursor = keys.scan(cursor, 10, () => undefined);
    calls += 1;
  } while (cursor !== 0);
  assert.ok(calls > 1000, `calls of at most a hundred slots, not ${calls} calls`);
});

index('draws records about evenly', () => {
  for (const size of [5, 400, 6000]) {
    const { keys } = makeIndex();
    for (let ref = 1; ref <= size; ref += 1) keys.insert(spread(ref), ref);
    const random = seededRandom(size);
    const drawn = new Uint32Array(size + 1);
    const draws = size * 50;
    for (let i = 0; i < draws; i += 1) {
      const ref = keys.random(random);
      drawn[ref] = drawn[ref]! + 1;
    }
    const never = drawn.subarray(1).filter((times) => times === 0).length;
    assert.is(never, 0, `all of ${size} keys are drawn`);
    assert.ok(Math.max(...drawn) < 110, 'none more than twice its share');
  }
});

index('draws the last key of a large index, and none of an empty one', () => {
  const { keys } = makeIndex();
  const random = seededRandom(3);
  assert.is(keys.random(random), 0);
  for (let ref = 1; ref <= 50_000; ref += 1) keys.insert(spread(ref), ref);
  for (let ref = 2; ref <= 50_000; ref += 1) keys.remove(spread(ref), ref);
  for (let i = 0; i < 20; i += 1) assert.is(keys.random(random), 1);
});

index.run();
