/** Slots that the Redis Cluster specification, and Redis' CLUSTER KEYSLOT, give. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromLatin1 } from '../bytes/bytes.ts';
import { keySlot, shardOfSlot } from './crc16.ts';
import { SLOT_COUNT } from '../limits.ts';

const slots = suite('key slots');

const slotOf = (key: string): number => {
  const bytes = fromLatin1(`}{${key}}}`);
  return keySlot(bytes, 2, bytes.length - 4);
};

const known: readonly (readonly [key: string, slot: number])[] = [
  ['', 0],
  ['123456789', 0x31c3],
  ['foo', 12182],
  ['bar', 5061],
  ['hello', 866],
  ['user:1000', 1649],
];

for (const [key, slot] of known) slots(`of ${key}`, () => assert.is(slotOf(key), slot));

const tags: readonly (readonly [key: string, same: string])[] = [
  ['{user1000}.following', 'user1000'],
  ['a{foo}b{bar}', 'foo'],
  ['foo{{bar}}zap', '{bar'],
  ['{foo}', 'foo'],
];

for (const [key, same] of tags) {
  slots(`${key} goes with ${same}`, () => assert.is(slotOf(key), slotOf(same)));
}

// A table-free CRC16, to check the keys whose braces mean nothing.
const plainSlot = (key: string): number => {
  let crc = 0;
  for (const byte of fromLatin1(key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
      crc &= 0xffff;
    }
  }
  return crc % SLOT_COUNT;
};

for (const key of ['foo{}{bar}', 'a{b', 'a}b{', '}{', '{}', '{', 'x'.repeat(300)]) {
  slots(`counts all of ${key.slice(0, 20)}`, () => assert.is(slotOf(key), plainSlot(key)));
}

slots('looks at no byte behind the key', () => {
  const bytes = fromLatin1('{never closed');
  let furthest = 0;
  const watched = new Proxy(bytes, {
    get(target, property) {
      if (property === 'indexOf') throw new Error('a search without an end');
      furthest = Math.max(furthest, Number(property));
      return target[Number(property)];
    },
  });
  assert.is(keySlot(watched, 0, 5), plainSlot('{neve'));
  assert.is(furthest, 4);
});

slots('are shared out in equal ranges', () => {
  for (const shards of [1, 2, 3, 7, 31]) {
    const counts = new Array<number>(shards).fill(0);
    let before = 0;
    for (let slot = 0; slot < SLOT_COUNT; slot += 1) {
      const shard = shardOfSlot(slot, shards);
      assert.ok(shard === before || shard === before + 1, 'ranges are contiguous');
      before = shard;
      counts[shard]! += 1;
    }
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1);
  }
});

slots.run();
