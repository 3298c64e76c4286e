import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVICTION_POLICIES, type EvictionPolicy } from '../records/access.ts';
import { refOf, setText, testStore, textOf } from '../store.test-helper.ts';
import type { Store } from '../store.ts';

const eviction = suite('eviction');

const MINUTE_MS = 60_000;

function storeWith(policy: EvictionPolicy): { store: Store; evicted: string[] } {
  const store = testStore(3);
  store.setPolicy(policy);
  const evicted: string[] = [];
  store.events.evicted = (database, key, at, length) => {
    evicted.push(`${database}/${Buffer.from(key.subarray(at, at + length)).toString()}`);
  };
  return { store, evicted };
}

/** Mean place of the evicted among `count` keys named by their rank, from 0 up to 1. */
function meanRank(evicted: readonly string[], count: number): number {
  let sum = 0;
  for (const name of evicted) sum += Number(name.split(/[/:]/)[2]) / count;
  return sum / evicted.length;
}

eviction('evicts nothing when told not to, or when nothing is there', () => {
  for (const policy of EVICTION_POLICIES) {
    const { store } = storeWith(policy);
    assert.is(store.evictOne(), 0, policy);
    setText(store.databases[0]!, 'k', 'v');
    // Without a tier there is nowhere to spill to.
    const mayGo = /^(allkeys|tiered)/.test(policy);
    assert.is(store.evictOne() > 0, mayGo, policy);
    assert.is(store.stats.evicted, mayGo ? 1 : 0);
    assert.is(store.databases[0]!.size, mayGo ? 0 : 1);
  }
});

eviction('answers the bytes that it freed, and goes on until all is gone', () => {
  for (const policy of EVICTION_POLICIES.filter((each) => each !== 'noeviction')) {
    const { store, evicted } = storeWith(policy);
    const empty = store.memory.usedBytes;
    for (let i = 0; i < 3000; i += 1) {
      const keyspace = store.databases[i % 4]!;
      keyspace.setExpireAt(
        setText(keyspace, `k:${i}`, 'v'.repeat(i % 400)),
        store.nowMs + 1000 + i,
      );
    }
    let freed = 0;
    const filled = store.memory.usedBytes;
    for (let bytes = store.evictOne(); bytes > 0; bytes = store.evictOne()) freed += bytes;
    assert.is(evicted.length, 3000, policy);
    assert.is(new Set(evicted).size, 3000);
    assert.is(freed, filled - empty);
  }
});

eviction('takes the least recently used', () => {
  for (const policy of ['allkeys-lru', 'volatile-lru'] as const) {
    const { store, evicted } = storeWith(policy);
    for (let i = 0; i < 2000; i += 1) {
      store.clock = 1000 + i;
      const keyspace = store.databases[i & 1]!;
      keyspace.setExpireAt(setText(keyspace, `k:${i}`, 'v'), store.nowMs + 1e9);
    }
    for (let i = 0; i < 400; i += 1) store.evictOne();
    assert.ok(
      meanRank(evicted, 2000) < 0.16,
      `${policy}: ${meanRank(evicted, 2000)} of 0.1 at best`,
    );
  }
});

eviction('takes the least recently changed, however often it was read', () => {
  for (const policy of ['allkeys-lrm', 'volatile-lrm'] as const) {
    const { store, evicted } = storeWith(policy);
    const keyspace = store.databases[0]!;
    store.samples = 64;
    for (let i = 0; i < 64; i += 1) {
      store.clock = 1000 + i;
      keyspace.setExpireAt(setText(keyspace, `k:${i}`, 'v'), store.nowMs + 1e9);
    }
    store.clock = 5000;
    for (let i = 0; i < 16; i += 1) refOf(keyspace, `k:${i}`);
    for (let i = 16; i < 32; i += 1) {
      const key = Buffer.from(`k:${i}`);
      keyspace.noteChange(key, 0, key.length);
    }
    const idle = (name: string): number => keyspace.idleSeconds(refOf(keyspace, name));
    assert.equal([idle('k:0'), idle('k:16'), idle('k:63')], [4000, 0, 5000 - 1063], policy);
    for (let i = 0; i < 32; i += 1) store.evictOne();
    const ranks = evicted.map((name) => Number(name.slice(4)));
    assert.ok(
      ranks.filter((rank) => rank < 16).length > 12,
      `${policy}: reading kept ${ranks.filter((rank) => rank < 16).length} of 16`,
    );
    assert.is(ranks.filter((rank) => rank >= 16 && rank < 32).length, 0, policy);
  }
});

eviction('spares a candidate that was used after it was sampled', () => {
  const { store, evicted } = storeWith('allkeys-lru');
  const keyspace = store.databases[0]!;
  for (let i = 0; i < 16; i += 1) setText(keyspace, `k:${i}`, 'v');
  store.samples = 64;
  store.clock = 100;
  setText(keyspace, 'k:new', 'v');
  store.evictOne();
  const kept = Array.from({ length: 16 }, (_, i) => `k:${i}`).filter(
    (key) => evicted[0] !== `0/${key}`,
  );
  store.clock = 200;
  for (const key of kept) refOf(keyspace, key);
  store.evictOne();
  assert.is(evicted[1], '0/k:new');
});

eviction('takes the least frequently used', () => {
  for (const policy of ['allkeys-lfu', 'volatile-lfu'] as const) {
    const { store, evicted } = storeWith(policy);
    const keyspace = store.databases[0]!;
    for (let i = 0; i < 1000; i += 1) {
      keyspace.setExpireAt(setText(keyspace, `k:${i}`, 'v'), store.nowMs + 1e9);
    }
    for (let i = 500; i < 1000; i += 1) {
      for (let uses = 0; uses < 100; uses += 1) refOf(keyspace, `k:${i}`);
    }
    for (let i = 0; i < 400; i += 1) store.evictOne();
    const frequent = evicted.filter((name) => Number(name.slice(4)) >= 500).length;
    assert.ok(frequent < 8, `${policy}: ${frequent} of 400 were used often`);
  }
});

eviction('takes the nearest expiry', () => {
  const { store, evicted } = storeWith('volatile-ttl');
  const keyspace = store.databases[0]!;
  setText(keyspace, 'stays', 'v');
  for (let i = 0; i < 2000; i += 1) {
    keyspace.setExpireAt(setText(keyspace, `k:${i}`, 'v'), store.nowMs + 1000 * (i + 1));
  }
  for (let i = 0; i < 400; i += 1) store.evictOne();
  assert.ok(meanRank(evicted, 2000) < 0.16, `${meanRank(evicted, 2000)} of 0.1 at best`);
  while (store.evictOne() > 0);
  assert.is(textOf(keyspace, 'stays'), 'v');
});

eviction('takes any by turns under the random policies', () => {
  const { store, evicted } = storeWith('allkeys-random');
  for (let i = 0; i < 1000; i += 1) setText(store.databases[i & 1]!, `k:${i}`, 'v');
  for (let i = 0; i < 300; i += 1) store.evictOne();
  const first = evicted.filter((name) => name.startsWith('0/')).length;
  assert.is(first, 150);
  assert.ok(Math.abs(meanRank(evicted, 1000) - 0.5) < 0.08);
});

eviction('touches only keys with an expiry under the volatile policies', () => {
  for (const policy of EVICTION_POLICIES.filter((each) => each.startsWith('volatile'))) {
    const { store, evicted } = storeWith(policy);
    const keyspace = store.databases[0]!;
    for (let i = 0; i < 200; i += 1) {
      const ref = setText(keyspace, `k:${i}`, 'v');
      if (i % 10 === 0) keyspace.setExpireAt(ref, store.nowMs + 1e6);
    }
    while (store.evictOne() > 0);
    assert.is(evicted.length, 20, policy);
    assert.is(keyspace.size, 180);
    assert.is(keyspace.expires, 0);
  }
});

eviction('forgets candidates when databases are swapped or flushed', () => {
  const { store, evicted } = storeWith('allkeys-lru');
  for (let i = 0; i < 100; i += 1) setText(store.databases[0]!, `k:${i}`, 'v');
  store.evictOne();
  store.swap(0, 1);
  store.evictOne();
  assert.ok(evicted[1]!.startsWith('1/'));
  store.flush();
  assert.is(store.evictOne(), 0);
});

eviction('counts uses on a logarithmic scale, and lets them decay', () => {
  const { store } = storeWith('allkeys-lfu');
  const keyspace = store.databases[0]!;
  setText(keyspace, 'k', 'v');
  assert.is(keyspace.frequency(keyspace.peek(Buffer.from('k'), 0, 1)), 5);
  for (let i = 0; i < 100; i += 1) refOf(keyspace, 'k');
  const afterHundred = keyspace.frequency(refOf(keyspace, 'k'));
  assert.ok(
    afterHundred >= 8 && afterHundred <= 14,
    `about 10 after 100 uses, not ${afterHundred}`,
  );
  for (let i = 0; i < 100_000; i += 1) refOf(keyspace, 'k');
  const ref = refOf(keyspace, 'k');
  const many = keyspace.frequency(ref);
  assert.ok(many > 100 && many < 200, `about 142 after 100,000 uses, not ${many}`);
  store.nowMs += 30 * MINUTE_MS;
  assert.is(keyspace.frequency(ref), many - 30);
  store.lfuDecayMinutes = 10;
  assert.is(keyspace.frequency(ref), many - 3);
  store.lfuDecayMinutes = 0;
  assert.is(keyspace.frequency(ref), many);
  store.lfuDecayMinutes = 1;
  store.nowMs += 1000 * MINUTE_MS;
  assert.is(keyspace.frequency(ref), 0);
});

eviction('keeps the uses of a key that is overwritten', () => {
  const { store } = storeWith('allkeys-lfu');
  const keyspace = store.databases[0]!;
  setText(keyspace, 'k', 'v');
  for (let i = 0; i < 1000; i += 1) refOf(keyspace, 'k');
  const before = keyspace.frequency(refOf(keyspace, 'k'));
  assert.ok(keyspace.frequency(setText(keyspace, 'k', 'another and longer value')) >= before);
});

eviction('tells the time since the last access', () => {
  const { store } = storeWith('allkeys-lru');
  const keyspace = store.databases[0]!;
  store.clock = 2 ** 24 - 10;
  const ref = setText(keyspace, 'k', 'v');
  store.clock = 5;
  assert.is(keyspace.idleSeconds(ref), 15);
  store.noTouch = true;
  assert.is(keyspace.idleSeconds(refOf(keyspace, 'k')), 15);
  store.noTouch = false;
  assert.is(keyspace.idleSeconds(refOf(keyspace, 'k')), 0);
});

eviction.run();
