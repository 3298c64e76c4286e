import { fromLatin1, latin1 } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Encoding } from '../values/encodings.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import {
  bytesOf,
  refOf,
  removeKey,
  seededRandom,
  stoppedClock,
  testStore,
  thereAndBack,
} from '../store.test-helper.ts';
import { codecAt } from '../keyspace/value-codec.ts';
import type { PackedLimits } from '../values/packed-limits.ts';
import type { Piece } from '../values/piece.ts';
import { HashValue } from './hash-value.ts';
import { Span } from '../values/span.ts';
import { setOptions } from '../keyspace/set-options.ts';

const hashes = suite('hash, at random');

interface Held {
  value: string;
  expiry: number;
}

function pieceOf(text: string): Piece {
  return { bytes: fromLatin1(text), at: 0, length: text.length };
}

function contents(hash: HashValue): Map<string, Held> {
  const found = new Map<string, Held>();
  for (let more = hash.first(); more; more = hash.next()) {
    const { expiry } = hash;
    hash.readField();
    const field = latin1(hash.bytes, hash.at, hash.length);
    hash.readValue();
    found.set(field, { value: latin1(hash.bytes, hash.at, hash.length), expiry });
  }
  return found;
}

function compare(keyspace: Keyspace, hash: HashValue, model: Map<string, Held>): void {
  assert.is(hash.count, model.size);
  assert.equal(
    [...contents(hash)].sort(([a], [b]) => (a < b ? -1 : 1)),
    [...model].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const ends = [...model.values()].map(({ expiry }) => expiry).filter((expiry) => expiry >= 0);
  assert.is(hash.soonest, ends.length === 0 ? -1 : Math.min(...ends));
  const tracked = ends.length > 0 ? 1 : 0;
  assert.is(keyspace.fieldExpires, tracked, 'the store knows which hashes have fields that end');
}

const shapes: readonly (readonly [name: string, limits: PackedLimits, fields: number])[] = [
  ['packed', { entries: 1000, valueBytes: 1000 }, 30],
  ['as a table', { entries: 0, valueBytes: 0 }, 300],
  ['that grows into a table', { entries: 20, valueBytes: 60 }, 60],
];

for (const [name, limits, fieldCount] of shapes) {
  for (let seed = 1; seed <= 3; seed += 1) {
    hashes(`a hash ${name} is what a map is (seed ${seed})`, () => {
      const random = seededRandom(seed);
      const draw = (below: number): number => Math.floor(random() * below);
      const store = testStore();
      const keyspace = store.databases[0]!;
      const used = store.memory.usedBytes;
      const hash = new HashValue();
      const model = new Map<string, Held>();
      const key = pieceOf('key');
      for (let round = 0; round < 3000; round += 1) {
        if (model.size === 0) {
          removeKey(keyspace, 'key');
          hash.create(keyspace, key, limits);
        } else {
          hash.open(keyspace, refOf(keyspace, 'key'), limits);
        }
        const field = draw(3) === 0 ? `${draw(fieldCount)}` : `field${draw(fieldCount)}`;
        const found = hash.find(fromLatin1(field), 0, field.length);
        const held = model.get(field);
        assert.is(found, held !== undefined);
        const choice = draw(10);
        if (choice < 2 && found) {
          hash.remove();
          model.delete(field);
        } else if (choice < 5 && found) {
          const expiry = draw(3) === 0 ? -1 : store.nowMs + draw(1000);
          hash.setExpiry(expiry);
          held!.expiry = expiry;
        } else if (choice < 9) {
          const value = draw(2) === 0 ? `${draw(1e6)}` : 'v'.repeat(draw(80));
          const keeps = draw(2) === 0;
          assert.is(hash.put(pieceOf(field), pieceOf(value), keeps), !found);
          model.set(field, { value, expiry: keeps ? (held?.expiry ?? -1) : -1 });
        } else {
          const now = store.nowMs + draw(200);
          const due = [...model].filter(([, { expiry }]) => expiry >= 0 && expiry < now);
          assert.is(hash.liveCount(now), model.size - due.length);
          assert.is(hash.removeEnded(now, Infinity), due.length);
          for (const [ended] of due) model.delete(ended);
        }
        if (round % 20 === 0) compare(keyspace, hash, model);
      }
      removeKey(keyspace, 'key');
      assert.is(keyspace.fieldExpires, 0);
      assert.is(store.memory.usedBytes, used);
    });
  }
}

/** Two hundred fields, of which all or half have an end. */
function fill(keyspace: Keyspace, name: string, limits: PackedLimits, nowMs: number): void {
  const hash = new HashValue().create(keyspace, pieceOf(name), limits);
  for (let nth = 0; nth < 200; nth += 1) {
    hash.put(pieceOf(`f${nth}`), pieceOf('v'));
    if (name === 'all' || nth % 2 === 0) hash.setExpiry(nowMs + nth);
  }
}

for (const [form, limits] of shapes.slice(0, 2)) {
  hashes(`active expiry takes fields out of a hash ${form}, and the key with the last`, () => {
    const store = testStore();
    const gone: string[] = [];
    store.events.fieldsExpired = (_database, bytes, at, length, { isKeyGone: isGone }) => {
      gone.push(`${latin1(bytes, at, length)} ${isGone ? 'gone' : 'there'}`);
    };
    const keyspace = store.databases[1]!;
    for (const name of ['all', 'some']) fill(keyspace, name, limits, store.nowMs);
    assert.is(keyspace.fieldExpires, 2);
    store.nowMs += 1000;
    assert.is(store.expireFieldsSlice(stoppedClock, 1000), 300);
    assert.equal(gone.sort(), ['all gone', 'some there']);
    assert.is(keyspace.fieldExpires, 0);
    assert.is(keyspace.size, 1);
    assert.is(store.stats.expiredFields, 300);
  });
}

hashes('what is done to a record keeps track of its fields', () => {
  const store = testStore();
  const [first, second] = store.databases;
  const key = bytesOf('key');
  const limits: PackedLimits = { entries: 10, valueBytes: 10 };
  const hash = new HashValue().create(first!, pieceOf('key'), limits);
  hash.put(pieceOf('f'), pieceOf('v'));
  hash.setExpiry(store.nowMs + 5);
  first!.setExpireAt(refOf(first!, 'key'), store.nowMs + 1000);
  first!.relocate(refOf(first!, 'key'));
  assert.is(first!.fieldExpires, 1);
  store.swap(0, 1);
  assert.equal([first!.fieldExpires, second!.fieldExpires], [0, 1]);
  second!.set(new Span(key), new Span(key));
  assert.is(second!.fieldExpires, 0);
});

hashes('a table crosses its codec', () => {
  const store = testStore();
  const keyspace = store.databases[0]!;
  const limits: PackedLimits = { entries: 0, valueBytes: 0 };
  const hash = new HashValue().create(keyspace, pieceOf('key'), limits);
  for (let nth = 0; nth < 5000; nth += 1) {
    hash.put(pieceOf(`f${nth}`), pieceOf('v'.repeat(nth % 100)));
    if (nth % 3 === 0) hash.setExpiry(store.nowMs + nth);
  }
  const ref = refOf(keyspace, 'key');
  assert.is(keyspace.encoding(ref), Encoding.hashtableEx);
  const codec = codecAt(keyspace, ref);
  const object = thereAndBack(codec, keyspace.object(ref));
  const copy = bytesOf('copy');
  const { hashtableEx } = Encoding;
  const type = keyspace.type(ref);
  keyspace.setObject(
    new Span(copy),
    object,
    codec.bytesOf(object),
    setOptions({ type, encoding: hashtableEx }),
  );
  const other = new HashValue().open(keyspace, refOf(keyspace, 'copy'), limits);
  assert.equal(contents(other), contents(hash.open(keyspace, refOf(keyspace, 'key'), limits)));
  assert.is(other.soonest, store.nowMs);
});

hashes.run();
