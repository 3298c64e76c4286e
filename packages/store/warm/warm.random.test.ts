import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keyScratch } from '../values/span.ts';
import { seededRandom, setText, testStore, valueText } from '../store.test-helper.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { settleLoans } from '../timed/settle.ts';
import { withTier, type MemoryDisk } from './warm.test-helper.ts';
import type { Ref } from '../memory/segment.ts';
import type { Store } from '../store.ts';

const warmModel = suite('warm values against a model');

const SEEDS = 8;
const STEPS = 3_000;
const KEYS = 300;

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

/** A store with a tier beside a model of it, and what is done to both. */
class Played {
  readonly store: Store;
  readonly disk: MemoryDisk;
  readonly #random: () => number;
  models: [Map<string, string>, Map<string, string>] = [
    new Map<string, string>(),
    new Map<string, string>(),
  ];

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.store = testStore(seed, 2);
    this.disk = withTier(this.store, seed % 2 === 0 ? 'tiered-lru' : 'tiered-lfu');
  }

  upTo(count: number): number {
    return Math.floor(this.#random() * count);
  }

  /** A database, its model, and the name of a key that may be there. */
  draw(): { keyspace: Keyspace; model: Map<string, string>; name: string; ref: Ref } {
    const database = this.upTo(2);
    const name = `key:${this.upTo(KEYS)}`;
    const keyspace = this.store.databases[database]!;
    const ref = keyspace.find(bytesOf(name), 0, name.length);
    return { keyspace, model: this.models[database]!, name, ref };
  }

  set(): void {
    const { keyspace, model, name } = this.draw();
    const letter = String.fromCharCode(97 + this.upTo(26));
    const value = letter.repeat(this.upTo(8) === 0 ? this.upTo(20_000) : this.upTo(300));
    setText(keyspace, name, value);
    model.set(name, value);
  }

  get(): void {
    const { keyspace, model, name, ref } = this.draw();
    assert.is(ref === 0 ? undefined : valueText(keyspace, ref), model.get(name), name);
  }

  remove(): void {
    const { keyspace, model, name } = this.draw();
    keyspace.remove(bytesOf(name), 0, name.length);
    model.delete(name);
  }

  /** As RENAME does where the key is warm. */
  rename(): void {
    const { keyspace, model, name, ref } = this.draw();
    const other = `key:${this.upTo(KEYS)}`;
    const isFree = keyspace.lookUp(bytesOf(other), other.length) === 0;
    if (ref === 0 || !keyspace.isWarm(ref) || !isFree) return;
    keyspace.renameWarm(ref, keyScratch.all(bytesOf(other)));
    model.set(other, model.get(name)!);
    model.delete(name);
  }

  expire(): void {
    const { keyspace, ref } = this.draw();
    if (ref !== 0) keyspace.setExpireAt(ref, this.upTo(2) === 0 ? -1 : this.store.nowMs + 1e9);
  }

  /** As APPEND does. */
  append(): void {
    const { keyspace, model, name, ref } = this.draw();
    if (ref === 0) return;
    this.store.tier.isWriting = () => true;
    const { length } = keyspace.value(ref);
    const view = keyspace.value(keyspace.resize(ref, length + 3));
    view.bytes.set(bytesOf('xyz'), view.at + length);
    this.store.tier.isWriting = () => false;
    model.set(name, `${model.get(name)!}xyz`);
  }

  spill(): void {
    for (let count = this.upTo(20); count > 0 && this.store.spillOne() > 0; count -= 1);
  }

  flush(): void {
    if (this.upTo(20) > 0) return;
    const database = this.upTo(2);
    this.store.flush(database);
    this.models[database]!.clear();
  }

  swap(): void {
    this.store.swap(0, 1);
    this.models = [this.models[1], this.models[0]];
  }

  settle(): void {
    settleLoans(this.store, this.upTo(2) === 0);
  }

  /** Actions by how often of a hundred steps. */
  readonly actions: readonly (readonly [share: number, act: () => void])[] = [
    [25, () => this.set()],
    [20, () => this.get()],
    [7, () => this.remove()],
    [8, () => this.rename()],
    [6, () => this.expire()],
    [6, () => this.append()],
    [18, () => this.spill()],
    [3, () => this.disk.compact(this.store)],
    [2, () => (this.disk.isBusy = !this.disk.isBusy)],
    [1, () => (this.disk.isFailing = !this.disk.isFailing)],
    [1, () => this.flush()],
    [1, () => this.swap()],
    [2, () => this.settle()],
  ];

  step(): void {
    let left = this.upTo(100);
    for (const [share, act] of this.actions) {
      left -= share;
      if (left >= 0) continue;
      act();
      return;
    }
  }

  /** Compares all keys. */
  compare(): void {
    settleLoans(this.store, false);
    for (const [database, model] of this.models.entries()) {
      const keyspace = this.store.databases[database]!;
      assert.is(keyspace.size, model.size);
      for (const [name, value] of model) {
        const ref = keyspace.find(bytesOf(name), 0, name.length);
        assert.ok(ref !== 0, name);
        assert.is(valueText(keyspace, ref), value, name);
      }
    }
  }
}

for (let seed = 1; seed <= SEEDS; seed += 1) {
  warmModel(`says what the model says, seed ${seed}`, () => {
    const played = new Played(seed);
    const { store, disk } = played;
    const empty = store.memory.usedBytes;
    for (let step = 0; step < STEPS; step += 1) played.step();
    played.compare();
    assert.ok(store.stats.get('tierSpills') > 0);
    store.flush();
    settleLoans(store, false);
    assert.is(store.tier.keyCount, 0);
    assert.is(store.memory.usedBytes, empty);
    assert.is(store.tier.extents.byteCount, 0);
    assert.is(disk.extents.size, 0);
  });
}

warmModel('keeps records of warm keys small', () => {
  const store = testStore(1, 1);
  withTier(store);
  const keyspace = store.databases[0]!;
  for (let nth = 0; nth < 20_000; nth += 1) {
    setText(keyspace, `key:${String(nth).padStart(12, '0')}`, 'v'.repeat(1_024));
  }
  const empty = testStore(1, 1).memory.usedBytes;
  while (store.spillOne() > 0);
  assert.ok(store.tier.keyCount > 19_800, String(store.tier.keyCount));
  const { usedBytes } = store.memory;
  const each = (usedBytes - empty - (20_000 - store.tier.keyCount) * 1_100) / 20_000;
  assert.ok(each <= 56, `${each} bytes`);
});

warmModel('a key is evicted only when all keys were searched for a value to spill', () => {
  const store = testStore(1, 2);
  withTier(store);
  store.tier.evictsWhenFull = true;
  const keyspace = store.databases[0]!;
  const count = 20_000;
  for (let nth = 0; nth < count; nth += 1) setText(keyspace, `key:${nth}`, 'v'.repeat(1_024));
  while (store.tier.keyCount < count) {
    assert.ok(store.evictOne() !== 0, `${store.tier.keyCount} are warm`);
    assert.is(store.stats.evicted, 0);
  }
  setText(keyspace, 'one more', 'v'.repeat(1_024));
  while (store.tier.keyCount === count) assert.ok(store.evictOne() !== 0);
  assert.is(store.stats.evicted, 0);
  // Now there is none, which one search is enough to know for a while.
  let calls = 0;
  while (store.stats.evicted < 100) {
    store.evictOne();
    calls += 1;
  }
  assert.ok(calls < 200, String(calls));
});

warmModel.run();
