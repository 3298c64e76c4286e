import { keySlot, shardOfSlot } from '#base';
import { call, CallContext } from '../../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const scan = suite('scan');

type Page = readonly [cursor: string, keys: readonly string[]];

/** Walks all shards as a client does that knows nothing of them. */
function scanAll(shards: readonly CallContext[], options = ''): string[] {
  const found: string[] = [];
  let cursor = '0';
  for (let calls = 0; calls < 10_000; calls += 1) {
    const [next, keys] = call(shards[0]!, `SCAN ${cursor} ${options}`, shards) as Page;
    found.push(...keys);
    cursor = next;
    if (cursor === '0') return found;
  }
  throw new Error('the scan does not end');
}

function shardsWith(shardCount: number, keyCount: number): CallContext[] {
  const shards = Array.from({ length: shardCount }, (_, shardIndex) => {
    return new CallContext({ shardIndex, shardCount });
  });
  for (let nth = 0; nth < keyCount; nth += 1) {
    const key = Buffer.from(`key:${nth}`);
    call(shards[shardOfSlot(keySlot(key, 0, key.length), shardCount)]!, `SET key:${nth} v`);
  }
  return shards;
}

for (const shardCount of [1, 2, 3, 7]) {
  for (const keyCount of [0, 1, 2000]) {
    scan(`finds each of ${keyCount} keys on ${shardCount} shards`, () => {
      const shards = shardsWith(shardCount, keyCount);
      for (const options of ['', 'COUNT 1', 'COUNT 100000', 'MATCH * TYPE string']) {
        assert.is(new Set(scanAll(shards, options)).size, keyCount, options);
      }
    });
  }
}

/** Returns the number of keys that each call of a walk answers, by cursor. */
function walk(shards: readonly CallContext[], options = ''): Map<string, number> {
  const calls = new Map<string, number>();
  let cursor = '0';
  do {
    const [next, keys] = call(shards[0]!, `SCAN ${cursor} ${options}`, shards) as Page;
    calls.set(cursor, keys.length);
    cursor = next;
  } while (cursor !== '0');
  return calls;
}

scan('walks a small database in one call, however many shards it is on', () => {
  for (const keyCount of [0, 1, 9, 10]) {
    assert.equal([...walk(shardsWith(3, keyCount))], [['0', keyCount]]);
  }
  assert.equal([...walk(shardsWith(4, 200), 'COUNT 200')], [['0', 200]]);
  assert.equal([...walk(shardsWith(4, 200), 'COUNT 1000 MATCH none*')], [['0', 0]]);
  assert.equal([...walk(shardsWith(4, 200), 'COUNT 1000 TYPE list')], [['0', 0]]);
});

scan('takes no shard that does not fit in whole with those before it', () => {
  const shards = shardsWith(3, 300);
  const sizes = shards.map((shard) => Number(call(shard, 'DBSIZE')));
  const [a = 0, b = 0, c = 0] = sizes;
  assert.is(a + b + c, 300);
  const most = Math.max(a, b, c);
  // One shard after the other, since no two fit.
  assert.equal(
    [...walk(shards, `COUNT ${most}`)],
    [
      ['0', a],
      ['1', b],
      ['2', c],
    ],
  );
  const firstTwo = walk(shards, `COUNT ${a + b}`);
  assert.equal([...firstTwo][0], ['0', a + b]);
  assert.equal([...firstTwo][1], ['2', c]);
  const all = walk(shards, 'COUNT 299');
  assert.is(
    [...all.values()].reduce((sum, count) => sum + count),
    300,
  );
  assert.is(all.size, 2);
});

scan('counts what it looks at, not what it answers', () => {
  const shards = shardsWith(2, 40);
  const sizes = shards.map((shard) => Number(call(shard, 'DBSIZE')));
  assert.ok(sizes.every((size) => size < 39));
  assert.is(walk(shards, 'COUNT 39 MATCH key:1').size, 2);
});

scan('filters by pattern and type', () => {
  const shards = shardsWith(2, 200);
  assert.equal(scanAll(shards, 'MATCH key:15').sort(), ['key:15']);
  assert.is(scanAll(shards, 'MATCH key:1??').length, 100);
  assert.equal(scanAll(shards, 'TYPE list'), []);
  assert.equal(scanAll(shards, 'TYPE nonsense'), []);
  assert.is(scanAll(shards, 'type STRING').length, 200);
});

scan('leaves out ended keys, and removes them', () => {
  const context = new CallContext();
  call(context, 'MSET a 1 b 2');
  call(context, 'SET gone 1 PX 1');
  context.nowMs += 5;
  assert.is(call(context, 'DBSIZE'), 3);
  assert.equal((call(context, 'SCAN 0') as Page)[1].toSorted(), ['a', 'b']);
  assert.is(call(context, 'DBSIZE'), 2);
});

scan('answers long keys whole', () => {
  const context = new CallContext();
  const long = 'x'.repeat(10_000);
  call(context, ['SET', long, '1']);
  assert.equal(call(context, 'SCAN 0'), ['0', [long]]);
});

const errors: readonly (readonly [line: string, reply: string])[] = [
  ['SCAN x', '-ERR invalid cursor'],
  ['SCAN -1', '-ERR invalid cursor'],
  ['SCAN 1.5', '-ERR invalid cursor'],
  ['SCAN ""', '-ERR invalid cursor'],
  ['SCAN 18446744073709551616', '-ERR invalid cursor'],
  ['SCAN x COUNT', '-ERR invalid cursor'],
  ['SCAN 0 COUNT', '-ERR syntax error'],
  ['SCAN 0 COUNT 0', '-ERR syntax error'],
  ['SCAN 0 COUNT -1', '-ERR syntax error'],
  ['SCAN 0 COUNT x', '-ERR value is not an integer or out of range'],
  ['SCAN 0 MATCH', '-ERR syntax error'],
  ['SCAN 0 TYPE', '-ERR syntax error'],
  ['SCAN 0 FOO', '-ERR syntax error'],
  ['SCAN 0 NOVALUES', '-ERR NOVALUES option can only be used in HSCAN'],
];

for (const [line, reply] of errors) {
  scan(line, () => assert.is(call(new CallContext(), line), reply));
}

const strangers = [
  '1',
  '12345',
  '4294967295',
  '4294967296',
  '9007199254740991',
  '9007199254740993',
  '18446744073709551615',
  '007',
  '+5',
];

for (const cursor of strangers) {
  scan(`takes the stranger ${cursor}`, () => {
    const [context] = shardsWith(1, 500);
    const [next, keys] = call(context!, ['SCAN', cursor]) as Page;
    assert.match(next, /^\d+$/);
    assert.ok(Array.isArray(keys));
  });
}

scan.run();
