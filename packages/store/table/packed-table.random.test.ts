// test-tier: long
import { finish, fromLatin1, latin1 } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom, thereAndBack } from '../store.test-helper.ts';
import { PackedTable } from './packed-table.ts';
import { tableCodec } from './table-codec.ts';

const table = suite('packed table, at random');

const secrets = { secret0: 123, secret1: 456 };

interface Held {
  value: string;
  expiry: number;
}

function put(packed: PackedTable, field: string, value: string, keepsExpiry: boolean): void {
  const key = fromLatin1(field);
  let ref = packed.find(key, 0, key.length);
  if (ref === 0) ref = packed.addMissed(key, 0, key.length, value.length);
  else ref = packed.resizeValue(ref, value.length, keepsExpiry);
  const { bytes, valueAt } = packed.read(ref);
  bytes.set(fromLatin1(value), valueAt);
}

function contents(packed: PackedTable): Map<string, Held> {
  const found = new Map<string, Held>();
  for (let ref = packed.first(); ref !== 0; ref = packed.next(ref)) {
    const entry = packed.read(ref);
    const field = latin1(entry.bytes, entry.fieldAt, entry.fieldLength);
    const value = latin1(entry.bytes, entry.valueAt, entry.valueLength);
    assert.not.ok(found.has(field), 'each entry is met once');
    found.set(field, { value, expiry: entry.expiry });
  }
  return found;
}

function compare(packed: PackedTable, model: Map<string, Held>): void {
  assert.is(packed.count, model.size);
  const found = contents(packed);
  assert.is(found.size, model.size);
  for (const [field, held] of model) {
    assert.equal(found.get(field), held, field);
    const key = fromLatin1(field);
    assert.is.not(packed.find(key, 0, key.length), 0);
  }
  let expiring = 0;
  let soonest = Infinity;
  for (const { expiry } of model.values()) {
    if (expiry < 0) continue;
    expiring += 1;
    soonest = Math.min(soonest, expiry);
  }
  assert.is(packed.expiringCount, expiring);
  if (expiring > 0) assert.is(packed.expiry(packed.soonest), soonest);
}

for (const [seed, fieldCount, hasValues] of [
  [1, 30, true],
  [2, 3000, true],
  [3, 20_000, true],
  [4, 3000, false],
] as const) {
  table(`is what a map is (seed ${seed}, ${fieldCount} fields)`, () => {
    const random = seededRandom(seed);
    const draw = (below: number): number => Math.floor(random() * below);
    let packed = new PackedTable(secrets, hasValues);
    const model = new Map<string, Held>();
    const fieldOf = (): string => {
      const number = draw(fieldCount);
      return `f${number}${'x'.repeat(number % 97 === 0 ? 200 : 0)}`;
    };
    const valueOf = (): string => {
      if (!hasValues) return '';
      return String.fromCharCode(97 + draw(26)).repeat(draw(50) === 0 ? draw(30_000) : draw(150));
    };
    // It grows, shrinks and grows again.
    const rounds = fieldCount * 12;
    for (let round = 0; round < rounds; round += 1) {
      const isShrinking = Math.floor((round * 6) / rounds) % 2 === 1;
      const field = fieldOf();
      const key = fromLatin1(field);
      const old = model.get(field);
      const ref = packed.find(key, 0, key.length);
      assert.is(ref !== 0, old !== undefined);
      const choice = draw(10);
      if (choice < (isShrinking ? 8 : 2)) {
        if (ref !== 0) packed.remove(ref);
        model.delete(field);
      } else if (choice === 9 && ref !== 0) {
        const expiry = draw(4) === 0 ? -1 : 1_700_000_000_000 + draw(1e9);
        packed.setExpiry(ref, expiry);
        old!.expiry = expiry;
      } else {
        const value = valueOf();
        const keeps = draw(2) === 0;
        put(packed, field, value, keeps);
        model.set(field, { value, expiry: keeps ? (old?.expiry ?? -1) : -1 });
      }
      if (round % Math.floor(rounds / 12) === 0) {
        compare(packed, model);
        const copy = finish(packed.copy());
        const decoded = thereAndBack(tableCodec, packed) as PackedTable;
        for (const other of [copy, decoded]) compare(other, model);
        packed = round % 2 === 0 ? decoded : copy;
      }
    }
    compare(packed, model);
    assert.ok(packed.bytes > 0);
  });
}

/** Entries that come and go, numbered so that the last one goes first. */
class Crowd {
  readonly #packed: PackedTable;
  #count = 0;

  constructor(packed: PackedTable) {
    this.#packed = packed;
  }

  grow(): void {
    put(this.#packed, `other${this.#count}`, 'v', false);
    this.#count += 1;
  }

  shrink(): void {
    if (this.#count === 0) return;
    this.#count -= 1;
    const key = fromLatin1(`other${this.#count}`);
    this.#packed.remove(this.#packed.find(key, 0, key.length));
  }
}

for (let seed = 1; seed <= 10; seed += 1) {
  table(`scans what is there throughout, while it grows and shrinks (seed ${seed})`, () => {
    const random = seededRandom(seed);
    const packed = new PackedTable(secrets, true);
    const crowd = new Crowd(packed);
    for (let nth = 0; nth < 500; nth += 1) put(packed, `steady${nth}`, 'v', false);
    const seen = new Set<string>();
    let cursor = 0;
    do {
      cursor = packed.scan(cursor, 10, (ref) => {
        const { bytes, fieldAt, fieldLength } = packed.read(ref);
        seen.add(latin1(bytes, fieldAt, fieldLength));
      });
      const grows = random() < 0.5;
      for (let nth = 0; nth < 300; nth += 1) {
        if (grows) crowd.grow();
        else crowd.shrink();
      }
    } while (cursor !== 0);
    for (let nth = 0; nth < 500; nth += 1) assert.ok(seen.has(`steady${nth}`), `steady${nth}`);
  });
}

table('makes room for what is to come, and gives back what has not come', () => {
  const packed = new PackedTable(secrets, false);
  for (let nth = 0; nth < 10; nth += 1) put(packed, `m${nth}`, '', false);
  const before = packed.bytes;
  packed.expect(100_000);
  const after = packed.bytes;
  assert.ok(after > before + 400_000, 'a bucket for each');
  for (let nth = 10; nth < 50_000; nth += 1) put(packed, `m${nth}`, '', false);
  for (let nth = 0; nth < 50_000; nth += 1) {
    const field = fromLatin1(`m${nth}`);
    assert.is.not(packed.find(field, 0, field.length), 0);
  }
  const few = new PackedTable(secrets, false);
  put(few, 'one', '', false);
  const exclusive = few.bytes;
  few.expect(100_000);
  few.fit();
  assert.ok(
    few.bytes < exclusive + 40_000,
    'as if nothing had been expected, but for a piece or two',
  );
  const one = fromLatin1('one');
  assert.is.not(few.find(one, 0, one.length), 0);
});

table('draws each entry about as often', () => {
  const random = seededRandom(6);
  const packed = new PackedTable(secrets, false);
  const drawn = new Map<string, number>();
  for (let nth = 0; nth < 100; nth += 1) put(packed, `m${nth}`, '', false);
  for (let nth = 0; nth < 100_000; nth += 1) {
    const { bytes, fieldAt, fieldLength } = packed.read(packed.random(random));
    const field = latin1(bytes, fieldAt, fieldLength);
    drawn.set(field, (drawn.get(field) ?? 0) + 1);
  }
  assert.is(drawn.size, 100);
  for (const [field, times] of drawn) assert.ok(times > 850 && times < 1150, `${field}: ${times}`);
});

table('stays dense while values change their size', () => {
  const random = seededRandom(8);
  const packed = new PackedTable(secrets, true);
  let held = 0;
  const lengths = new Map<number, number>();
  for (let round = 0; round < 100_000; round += 1) {
    const nth = Math.floor(random() * 500);
    const length = Math.floor(random() * 300);
    put(packed, `f${nth}`, 'x'.repeat(length), false);
    held += length - (lengths.get(nth) ?? 0);
    lengths.set(nth, length);
  }
  assert.ok(packed.bytes < held * 1.8, `${packed.bytes} bytes for ${held}`);
});

table.run();
