/** Keys in pieces of RDB form: incremental output equals direct output, and contains the usage of the key. */
import { type Bytes, finish, fromLatin1, latin1 } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Span } from '../../values/span.ts';
import { SetValue } from '../../set/set-value.ts';
import { Store } from '../../store.ts';
import { RdbSplitter } from '../split/rdb-splitter.ts';
import { RdbPieceWriter } from './rdb-pieces.ts';

const pieces = suite('keys in pieces');

const LIMITS = { entries: 0, valueBytes: 0, intsetEntries: 0 };
const LONG_BYTES = 3_000_000;
const MEMBERS = 50_000;
const HEAD = fromLatin1('REDIS0010');
const END = Uint8Array.of(255, 0, 0, 0, 0, 0, 0, 0, 0);

function newStore(): Store {
  return new Store({ databases: 3, seed: Buffer.alloc(16, 3), random: () => 0.5 });
}

const name = (text: string): Span => new Span(fromLatin1(text));

pieces('a long value in steps is what it would be at once', () => {
  const store = newStore();
  const keyspace = store.databases[2]!;
  const text = keyspace.set(name('12'), new Span(new Uint8Array(LONG_BYTES).fill(7)));
  keyspace.setExpireAt(text, 4_102_444_800_123);
  const set = new SetValue().create(keyspace, name('set'), LIMITS, name('member'), 1);
  for (let nth = 0; nth < MEMBERS; nth += 1) {
    const member = fromLatin1(`member:${nth}`);
    set.add(member, 0, member.length);
  }
  for (const key of ['12', 'set']) {
    const ref = keyspace.peek(fromLatin1(key), 0, key.length);
    const writer = new RdbPieceWriter();
    writer.write(keyspace, ref, 2);
    const parts: Bytes[] = [];
    const steps = writer.inSteps(keyspace, ref, 2, (part) => parts.push(part));
    let stepCount = 0;
    while (steps.next().done !== true) stepCount += 1;
    assert.ok(stepCount > 10 && parts.length > 4, key);
    assert.ok(Math.max(...parts.map(({ length }) => length)) < 600_000, key);
    assert.ok(Buffer.concat(parts).equals(writer.written), key);
  }
});

/** Idle seconds and frequency of a key in a file; -1 if absent. */
function useOf(bytes: Bytes): [key: string, idleSeconds: number, frequency: number] {
  let use: ReturnType<typeof useOf> | undefined;
  const splitter = new RdbSplitter({
    key({ key, idleSeconds, frequency }) {
      use = [latin1(key.bytes, key.at, key.length), idleSeconds, frequency];
    },
    library: () => undefined,
    field: () => undefined,
  });
  splitter.take(Buffer.concat([HEAD, bytes, END]));
  return use!;
}

const uses = [
  ['noeviction', -1, -1],
  ['volatile-random', -1, -1],
  ['allkeys-lru', 77, -1],
  ['volatile-lru', 77, -1],
  ['allkeys-lfu', -1, 200],
  ['volatile-lfu', -1, 200],
] as const;

for (const [policy, idleSeconds, frequency] of uses) {
  pieces(`with ${policy} a key tells its use as Redis does`, () => {
    const store = newStore();
    store.nowMs = 60_000_000;
    store.clock = 1_000;
    store.lfuDecayMinutes = 0;
    store.setPolicy(policy);
    const keyspace = store.databases[0]!;
    const ref = keyspace.set(name('key'), name('value'));
    keyspace.setAccess(ref, frequency < 0 ? 1_000 - 77 : frequency);
    const writer = new RdbPieceWriter();
    writer.write(keyspace, ref, 0);
    assert.equal(useOf(writer.written), ['key', idleSeconds, frequency]);
    const parts: Bytes[] = [];
    finish(writer.inSteps(keyspace, ref, 0, (part) => parts.push(part)));
    assert.equal(useOf(Buffer.concat(parts)), ['key', idleSeconds, frequency]);
  });
}

pieces.run();
