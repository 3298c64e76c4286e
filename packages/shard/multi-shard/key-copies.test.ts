/** Keys on their way between shards arrive as they left. */
import { type Bytes, finish, fromLatin1, latin1 } from '#base';
import { SetValue, Span, Store, ValueType } from '#store';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  copyOf,
  decodeCopies,
  encodeCopies,
  MessagePieces,
  install,
  KeyState,
  sameState,
  unpack,
  type KeyCopy,
} from './key-copies.ts';

const copies = suite('key copies');

const NOW_MS = 1_700_000_000_000;

function newStore(): Store {
  const store = new Store({ databases: 2, seed: Buffer.alloc(16, 1), random: () => 0.5 });
  store.nowMs = NOW_MS;
  return store;
}

function set(store: Store, database: number, name: string, text: string, expireAt = -1): void {
  const key = fromLatin1(name);
  const value = fromLatin1(text);
  const keyspace = store.databases[database]!;
  const ref = keyspace.set(new Span(key), new Span(value));
  if (expireAt >= 0) keyspace.setExpireAt(ref, expireAt);
}

function get(store: Store, database: number, name: string): string | undefined {
  const keyspace = store.databases[database]!;
  const ref = keyspace.peek(fromLatin1(name), 0, name.length);
  if (ref === 0) return undefined;
  const { bytes, at, length } = keyspace.value(ref);
  return latin1(bytes, at, length);
}

/** Short, so that pieces end within heads, keys and values. */
const PIECE_BYTES = 61;

function nthOf(name: string): number {
  return Number(name.slice(3));
}

/** Returns the bytes within a larger buffer. */
function padded(bytes: Bytes): Bytes {
  const all = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('behind')]);
  return new Uint8Array(all).subarray(6, 6 + bytes.length);
}

/** The message with these copies. */
function wireOf(sent: readonly KeyCopy[]): Bytes[] {
  const from = { transaction: 1, shard: 0, isBroken: false, transactions: 0 };
  return finish(encodeCopies({ ...from, copies: sent }));
}

const values: readonly (readonly [what: string, text: string])[] = [
  ['an empty string', ''],
  ['a small integer', '12'],
  ['the least integer of 64 bits', '-9223372036854775808'],
  ['a short string', 'abc'],
  ['any bytes', String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))],
  ['a large string', 'x'.repeat(3_000_000)],
];

for (const [what, text] of values) {
  copies(`${what} arrives with its type, encoding, clock and expiry`, () => {
    const from = newStore();
    const to = newStore();
    set(from, 1, 'key', text, NOW_MS + 5_000);
    const sent = copyOf(from.databases[1]!, 1, fromLatin1('key'), true);
    const wire = finish(
      encodeCopies({
        transaction: 2 ** 32 - 1,
        shard: 30,
        isBroken: false,
        transactions: 0,
        copies: [sent],
      }),
    );
    const message = decodeCopies(wire.map(padded));
    assert.is(message.transaction, 2 ** 32 - 1);
    assert.is(message.shard, 30);
    const [received] = message.copies;
    assert.is(received!.database, 1);
    assert.is(received!.writable, true);
    finish(unpack(received!));
    assert.ok(sameState(sent, received!));
    install(to.databases[1]!, received!);
    assert.is(get(to, 1, 'key'), text);
    assert.is(get(to, 0, 'key'), undefined);
    const keyspace = to.databases[1]!;
    const ref = keyspace.peek(fromLatin1('key'), 0, 3);
    assert.is(keyspace.expireAt(ref), NOW_MS + 5_000);
    assert.is(keyspace.type(ref), sent.type);
    assert.is(keyspace.encoding(ref), sent.encoding);
    assert.is(keyspace.access(ref), sent.access);
  });
}

copies('a copy is not changed by what becomes of the key', () => {
  const store = newStore();
  set(store, 0, 'key', 'before');
  const copy = copyOf(store.databases[0]!, 0, fromLatin1('key'), false);
  set(store, 0, 'key', 'behind');
  assert.is(latin1(copy.value), 'before');
});

copies('a key that is not there takes away the one that is', () => {
  const store = newStore();
  set(store, 0, 'key', 'x');
  const nowhere = copyOf(store.databases[1]!, 0, fromLatin1('key'), true);
  assert.is(nowhere.state, KeyState.absent);
  install(store.databases[0]!, nowhere);
  assert.is(get(store, 0, 'key'), undefined);
  install(store.databases[0]!, nowhere);
  assert.is(store.databases[0]!.size, 0);
});

copies('an unchanged key is left alone', () => {
  const store = newStore();
  set(store, 0, 'key', 'x');
  const copy = copyOf(store.databases[0]!, 0, fromLatin1('key'), true);
  set(store, 0, 'key', 'newer');
  install(store.databases[0]!, { ...copy, state: KeyState.unchanged });
  assert.is(get(store, 0, 'key'), 'newer');
});

copies('an expiry that was set or taken away is a change', () => {
  const store = newStore();
  set(store, 0, 'key', 'x');
  const before = copyOf(store.databases[0]!, 0, fromLatin1('key'), true);
  set(store, 0, 'key', 'x', NOW_MS + 1);
  const after = copyOf(store.databases[0]!, 0, fromLatin1('key'), true);
  assert.not.ok(sameState(before, after));
  assert.ok(sameState(after, { ...after, access: after.access + 1 }), 'the clock does not count');
});

copies('a message of many keys keeps their order', () => {
  const store = newStore();
  const names = Array.from({ length: 100 }, (_, nth) => `key${nth}`);
  for (const name of names) set(store, 0, name, `of ${name}`);
  const all = names.map((name) => copyOf(store.databases[0]!, 0, fromLatin1(name), false));
  const wire = wireOf(all);
  const read = decodeCopies(wire).copies;
  assert.equal(
    read.map(({ key }) => latin1(key)),
    names,
  );
  assert.equal(
    read.map(({ value }) => latin1(value)),
    names.map((name) => `of ${name}`),
  );
});

copies('half a message is our own mistake', () => {
  const store = newStore();
  set(store, 0, 'key', 'value');
  const copy = copyOf(store.databases[0]!, 0, fromLatin1('key'), false);
  const wire = wireOf([copy]);
  assert.throws(() => decodeCopies(wire.map((piece) => piece.subarray(0, piece.length - 1))));
});

copies('a message in many pieces is put together, among the pieces of others', () => {
  const store = newStore();
  const names = Array.from({ length: 40 }, (_, nth) => `key${nth}`);
  for (const name of names) set(store, 0, name, `of ${name}`.repeat(nthOf(name)));
  const all = names.map((name) => copyOf(store.databases[0]!, 0, fromLatin1(name), false));
  const changes = [fromLatin1('first'), fromLatin1('second')];
  const from = { isBroken: true, transactions: 7, copies: all, changes };
  const two = [3, 4].map((shard) =>
    finish(encodeCopies({ ...from, transaction: 5, shard }, { pieceBytes: PIECE_BYTES })),
  );
  const received = new MessagePieces();
  const read = two[0]!.flatMap((piece, nth) =>
    [piece, two[1]![nth]!].map((each) => received.take(each)),
  );
  assert.is(read.filter((each) => each !== undefined).length, 2);
  for (const [nth, pieces] of read.slice(-2).entries()) {
    const message = decodeCopies(pieces!);
    assert.is(message.shard, [3, 4][nth]);
    assert.is(message.transactions, 7);
    assert.ok(message.isBroken);
    assert.equal(
      message.copies.map(({ value }) => latin1(value)),
      names.map((name) => `of ${name}`.repeat(nthOf(name))),
    );
    assert.equal(
      message.changes!.map((change) => latin1(change)),
      ['first', 'second'],
    );
  }
});

/** Types of values travel as numbers, between threads and one day to disk. */
copies('the numbers of types and states are frozen', () => {
  assert.equal(
    { ...ValueType },
    { none: 0, string: 1, list: 2, set: 3, zset: 4, hash: 5, stream: 6 },
  );
  assert.equal({ ...KeyState }, { absent: 0, bytes: 1, unchanged: 2, object: 3, pushed: 4 });
});

copies('a value that is an object arrives whole, and another in its place is noticed', () => {
  const from = newStore();
  const to = newStore();
  const limits = { entries: 0, valueBytes: 0, intsetEntries: 0 };
  const name = { bytes: fromLatin1('key'), at: 0, length: 3 };
  const set = new SetValue().create(from.databases[0]!, name, limits, name, 1);
  for (let nth = 0; nth < 1000; nth += 1) set.add(fromLatin1(`m${nth}`), 0, `m${nth}`.length);
  const sent = copyOf(from.databases[0]!, 0, name.bytes, true);
  assert.is(sent.state, KeyState.object);
  const wire = wireOf([sent]);
  const [received] = decodeCopies(wire).copies;
  finish(unpack(received!));
  install(to.databases[0]!, received!);
  assert.ok(sameState(received!, copyOf(to.databases[0]!, 0, name.bytes, true)));
  const ref = to.databases[0]!.peek(name.bytes, 0, 3);
  const arrived = new SetValue().open(to.databases[0]!, ref, limits);
  assert.is(arrived.count, 1000);
  assert.ok(arrived.has(fromLatin1('m999'), 0, 4));
  const another = new SetValue().create(to.databases[0]!, name, limits, name, 1);
  for (let nth = 0; nth < 1000; nth += 1) another.add(fromLatin1(`m${nth}`), 0, `m${nth}`.length);
  assert.not.ok(sameState(received!, copyOf(to.databases[0]!, 0, name.bytes, true)));
});

copies.run();
