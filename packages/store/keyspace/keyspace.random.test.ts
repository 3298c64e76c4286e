import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Keyspace } from './keyspace.ts';
import {
  bytesOf,
  keyText,
  refOf,
  removeKey,
  scannedKeys,
  seededRandom,
  stoppedClock,
  testStore,
  valueText,
} from '../store.test-helper.ts';
import type { Store } from '../store.ts';
import { ValueType } from '../values/value-type.ts';
import { Span } from '../values/span.ts';
import { setOptions } from './set-options.ts';

const random = suite('keyspace against a Map, at random');

/** Key as the model knows it. */
interface Entry {
  value: string | object;
  expireAt: number;
}

/** A store and the Maps it must agree with. */
class Model {
  readonly store: Store;
  readonly #random: () => number;
  readonly #maps: Map<string, Entry>[];

  constructor(seed: number) {
    this.store = testStore(seed & 255);
    this.#random = seededRandom(seed);
    this.#maps = this.store.databases.map(() => new Map<string, Entry>());
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  text(): string {
    const kind = this.below(20);
    const length = kind < 12 ? this.below(90) : kind < 19 ? this.below(1500) : this.below(30_000);
    return String.fromCharCode(97 + this.below(26)).repeat(length);
  }

  key(): string {
    const id = this.below(3000);
    // A few are long enough to live outside their record.
    return id % 100 === 7 ? `${id}${'long'.repeat(600)}` : `key:${id}`;
  }

  step(): void {
    const database = this.below(10) < 8 ? 0 : this.below(4);
    const keyspace = this.store.databases[database]!;
    const map = this.#maps[database]!;
    const key = this.key();
    const entry = this.#live(map, key);
    const choice = this.below(1000);
    if (choice < 350) this.#set(keyspace, map, key, entry);
    else if (choice < 550) this.#remove(keyspace, map, key, entry);
    else if (choice < 650) this.#expire(keyspace, key, entry);
    else if (choice < 750) this.#resize(keyspace, key, entry);
    else if (choice < 800) this.#setObject(keyspace, map, key);
    else if (choice < 980) this.#compare(keyspace, key, entry);
    else this.#seldom(choice, database);
  }

  check(): void {
    for (const [database, map] of this.#maps.entries()) {
      const keyspace = this.store.databases[database]!;
      for (const key of map.keys()) this.#live(map, key);
      for (const [key, entry] of map) this.#compare(keyspace, key, entry);
      const scanned = [...scannedKeys(keyspace)].filter((key) => refOf(keyspace, key) !== 0);
      assert.equal(new Set(scanned), new Set(map.keys()));
      const expiries = [...map.values()].map(({ expireAt }) => expireAt).filter((at) => at >= 0);
      const mean = expiries.reduce((sum, at) => sum + at / expiries.length, 0);
      assert.is(keyspace.expires, expiries.length);
      assert.ok(Math.abs(keyspace.meanExpiry - mean) < 0.01, `${keyspace.meanExpiry} ${mean}`);
      this.store.expireSlice(stoppedClock, 1);
    }
  }

  empty(): void {
    for (const [database, map] of this.#maps.entries()) {
      for (const key of map.keys()) removeKey(this.store.databases[database]!, key);
      for (const key of scannedKeys(this.store.databases[database]!))
        refOf(this.store.databases[database]!, key);
      assert.is(this.store.databases[database]!.size, 0);
    }
  }

  /** The model's entry, unless it has expired, when it is forgotten. */
  #live(map: Map<string, Entry>, key: string): Entry | undefined {
    const entry = map.get(key);
    if (entry === undefined || entry.expireAt < 0 || entry.expireAt >= this.store.nowMs)
      return entry;
    map.delete(key);
    return undefined;
  }

  #set(keyspace: Keyspace, map: Map<string, Entry>, key: string, entry?: Entry): void {
    const keepTtl = this.below(3) === 0;
    const value = this.text();
    const expireAt = this.below(4) === 0 ? this.store.nowMs + this.below(5000) : -1;
    const keyBytes = bytesOf(key);
    const bytes = bytesOf(value);
    keyspace.set(new Span(keyBytes), new Span(bytes), setOptions({ keepTtl, expireAt }));
    const kept = keepTtl ? (entry?.expireAt ?? -1) : -1;
    map.set(key, { value, expireAt: expireAt >= 0 ? expireAt : kept });
  }

  #remove(keyspace: Keyspace, map: Map<string, Entry>, key: string, entry?: Entry): void {
    assert.is(removeKey(keyspace, key), entry !== undefined);
    map.delete(key);
  }

  #expire(keyspace: Keyspace, key: string, entry?: Entry): void {
    const ref = refOf(keyspace, key);
    assert.is(ref !== 0, entry !== undefined);
    if (entry === undefined) return;
    entry.expireAt = this.below(4) === 0 ? -1 : this.store.nowMs + this.below(5000);
    keyspace.setExpireAt(ref, entry.expireAt);
  }

  #resize(keyspace: Keyspace, key: string, entry?: Entry): void {
    if (entry === undefined || typeof entry.value !== 'string') return;
    const length = this.text().length;
    const ref = keyspace.resize(refOf(keyspace, key), length);
    entry.value = entry.value.slice(0, length).padEnd(length, '\0');
    assert.is(valueText(keyspace, ref), entry.value);
  }

  #setObject(keyspace: Keyspace, map: Map<string, Entry>, key: string): void {
    const value = { key };
    const options = setOptions({ type: ValueType.set, encoding: 1 });
    keyspace.setObject(new Span(bytesOf(key)), value, this.below(10_000), options);
    map.set(key, { value, expireAt: -1 });
  }

  #compare(keyspace: Keyspace, key: string, entry?: Entry): void {
    const ref = refOf(keyspace, key);
    if (entry === undefined) {
      assert.is(ref, 0);
      return;
    }
    assert.is.not(ref, 0);
    assert.is(keyText(keyspace, ref), key);
    assert.is(keyspace.expireAt(ref), entry.expireAt);
    if (typeof entry.value === 'string') assert.is(valueText(keyspace, ref), entry.value);
    else assert.is(keyspace.object(ref), entry.value);
  }

  #seldom(choice: number, database: number): void {
    const other = this.below(4);
    if (choice < 985) this.store.nowMs += this.below(200);
    else if (choice < 990) this.store.defragSlice(stoppedClock, this.below(2));
    else if (choice < 995) this.store.expireSlice(stoppedClock, 1);
    else if (choice < 998) {
      this.store.swap(database, other);
      const map = this.#maps[database]!;
      this.#maps[database] = this.#maps[other]!;
      this.#maps[other] = map;
    } else if (this.below(10) === 0) {
      this.store.flush(database);
      this.#maps[database]!.clear();
    }
  }
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
  random(`seed ${seed}`, () => {
    const model = new Model(seed);
    const empty = model.store.memory.usedBytes;
    for (let i = 0; i < 40_000; i += 1) {
      model.step();
      if (i % 10_000 === 9999) model.check();
    }
    model.empty();
    assert.is(model.store.memory.usedBytes, empty);
    assert.is(model.store.memory.objectBytes, 0);
    assert.is(model.store.memory.blobBytes, 0);
  });
}

random.run();
