/** Keys that MIGRATE moves to another server: values sent to main, locks meanwhile, and keys left here. */

import { joined } from '#base';
import { commandTable } from '#commands';
import { decodeMessage, encodeMessage, FrameKind, type KeysFound } from '#link';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ShardsFixture, textsOf, WATCHING, type ShardFrame } from '../machine.test-helper.ts';

const moving = suite('keys that are moved away');

const TRANSACTION = 9;
const CLIENT = 4;

interface Wish {
  readonly holds?: boolean;
  readonly isForOld?: boolean;
}

function fixture(isDurable = false) {
  const all = new ShardsFixture(1, isDurable);
  const [shard] = all.shards as [(typeof all.shards)[0]];
  const head = { sequence: TRANSACTION, slot: CLIENT };
  const ask = (names: readonly string[], wish: Wish = {}): void => {
    const keys = names.map((name) => Buffer.from(name));
    const command = commandTable.byName('MIGRATE')!.id;
    const wanted = { command, keys, holds: true, isForOld: false, ...wish };
    shard.report({ ...head, kind: FrameKind.migrate }, encodeMessage(wanted));
  };
  const moved = (indexes: readonly number[]): void => {
    shard.report({ ...head, kind: FrameKind.migrated }, encodeMessage(indexes));
  };
  return { all, shard, ask, moved };
}

/** Keys that were found, each with its value as it is dumped. */
function foundIn(frames: readonly ShardFrame[]): readonly { nth: number; bytes: number }[] {
  const [last] = frames.filter(({ kind }) => kind === 'found');
  const found = decodeMessage(last!.body) as KeysFound;
  if (found === 'refused') throw new Error('there was no room');
  return found.map(({ nth, bytes }) => ({ nth, bytes }));
}

moving('main is given the values of those that are here, in their order', () => {
  const { shard, ask } = fixture();
  shard.call('SET a first');
  shard.call('RPUSH c 1 2 3');
  const dumps = ['a', 'c'].map((key) => shard.call(`DUMP ${key}`).replace(/^\$\d+\r\n|\r\n$/g, ''));
  ask(['a', 'b', 'c']);
  const frames = shard.run();
  assert.equal(foundIn(frames), [
    { nth: 0, bytes: dumps[0]!.length },
    { nth: 2, bytes: dumps[1]!.length },
  ]);
  const pieces = frames.filter(({ kind }) => kind === 'migrate').map(({ body }) => body);
  assert.is(Buffer.from(joined(pieces)).toString('latin1'), dumps.join(''));
  assert.ok(frames.every(({ slot, sequence }) => slot === CLIENT && sequence === TRANSACTION));
  assert.equal([shard.page.get('hits'), shard.page.get('misses')], [4, 1]);
});

moving('nobody else uses them until it is known which have moved; other keys go on', () => {
  const { shard, ask, moved } = fixture();
  shard.call('MSET a 1 b 2 free 3');
  ask(['a', 'b', 'none']);
  shard.run();
  shard.send('GET a', { slot: 1 });
  shard.send('APPEND b +', { slot: 2 });
  assert.is(shard.call('GET free', { slot: 3 }), '$1\r\n3\r\n');
  moved([0]);
  const frames = shard.run();
  assert.is(textsOf(frames), '$-1\r\n:2\r\n');
  assert.equal(
    frames.filter(({ kind }) => kind === 'migrated').map(({ slot, sequence }) => [slot, sequence]),
    [[CLIENT, TRANSACTION]],
  );
  assert.is(shard.call('GET b'), '$2\r\n2+\r\n');
});

moving('who only looks at all keys does not wait, but behind one who waits', () => {
  const { shard, ask, moved } = fixture();
  shard.call('MSET a 1 b 2');
  ask(['a']);
  shard.run();
  shard.send('DBSIZE', { kind: FrameKind.part, slot: 1 });
  assert.equal(
    shard.run().map(({ kind, slot }) => [kind, slot]),
    [['part', 1]],
  );
  shard.send('DEL a', { kind: FrameKind.part, slot: 1 });
  shard.send('DBSIZE', { kind: FrameKind.part, slot: 1 });
  assert.equal(shard.run(), []);
  moved([]);
  assert.equal(
    shard.run().map(({ kind }) => kind),
    ['part', 'part', 'migrated'],
  );
});

moving('what empties everything waits', () => {
  const { shard, ask, moved } = fixture();
  shard.call('MSET a 1 b 2');
  ask(['a']);
  shard.run();
  shard.send('FLUSHALL', { kind: FrameKind.part, slot: 1 });
  assert.equal(shard.run(), []);
  assert.is(shard.keyCount, 2);
  moved([0]);
  shard.run();
  assert.is(shard.keyCount, 0);
});

moving('what is only copied is free again at once', () => {
  const { shard, ask } = fixture();
  shard.call('SET a 1');
  ask(['a'], { holds: false });
  assert.equal(foundIn(shard.run()).length, 1);
  assert.is(shard.call('APPEND a +'), ':2\r\n');
});

moving('where none is here, nothing is held', () => {
  const { shard, ask } = fixture();
  ask(['a', 'b']);
  assert.equal(foundIn(shard.run()), []);
  assert.is(shard.call('SET a 1'), '+OK\r\n');
});

moving('a hash with fields that end has no form for old servers', () => {
  const { shard, ask } = fixture();
  shard.call('HSET a f v');
  shard.call('HSET b f v');
  shard.call('HEXPIRE b 100 FIELDS 1 f');
  ask(['a', 'b'], { isForOld: true });
  const [a, b] = foundIn(shard.run());
  assert.ok(a!.bytes > 0);
  assert.is(b!.bytes, -1);
});

moving('many are moved in slices, and a watch is broken by it', () => {
  const { shard, ask, moved } = fixture();
  const names = Array.from({ length: 300 }, (_, nth) => `k${nth}`);
  for (let from = 0; from < names.length; from += 100) {
    shard.call(['MSET', ...names.slice(from, from + 100).flatMap((name) => [name, 'v'])]);
  }
  shard.call(`WATCH ${names[299]!}`, { slot: 7 });
  ask(names);
  assert.is(foundIn(shard.run()).length, names.length);
  moved([...names.keys()]);
  shard.run();
  assert.is(shard.keyCount, 0);
  assert.is(shard.page.get('fateMoved'), names.length);
  shard.exec(['PING'], { slot: 7, flags: WATCHING });
  assert.is(textsOf(shard.run()), '*-1\r\n');
});

moving('the log has a deletion of what was moved, and nothing else', () => {
  const { shard, ask, moved } = fixture(true);
  shard.call('MSET a 1 b 2');
  shard.takeLog();
  ask(['a', 'b']);
  shard.run();
  assert.equal(shard.takeLog(), []);
  moved([1]);
  shard.run();
  const [record, ...more] = shard.takeLog();
  assert.equal(more, []);
  const text = record!.toString('latin1');
  assert.ok(text.includes('DELb'), text);
});

moving.run();
