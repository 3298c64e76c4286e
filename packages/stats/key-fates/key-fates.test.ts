import { type Bytes, KeyFate } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REMOVED_KEY_BYTES_MAX, RemovedKeys, type RemovedKeyHead } from './key-fates.ts';

const removedKeys = suite('RemovedKeys');

const ALL = { fromId: 0, count: Infinity };

function fixture(lengthMax = 4) {
  let id = 0;
  const log = new RemovedKeys(3, () => id++);
  log.lengthMax = lengthMax;
  const add = (key: Bytes | string, head: Partial<RemovedKeyHead> = {}): void => {
    const bytes = Buffer.from(key);
    log.add({ ...headOf(KeyFate.deleted), ...head }, bytes, 0, bytes.length);
  };
  const keys = (): string[] =>
    log.newest(ALL).map(({ key }) => Buffer.from(key).toString('latin1'));
  return { log, add, keys };
}

function headOf(fate: number): RemovedKeyHead {
  return { unixMs: 1_000, database: 0, fate, command: 7, client: null, keys: 1 };
}

removedKeys('keeps the newest, and shows them newest first', () => {
  const { log, add, keys } = fixture();
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) add(key);
  assert.equal(keys(), ['f', 'e', 'd', 'c']);
  assert.equal(
    log.newest({ fromId: 4, count: 1 }).map(({ id }) => id),
    [5],
  );
});

removedKeys('tells all that it was told', () => {
  const { log } = fixture();
  const client = { id: 9, address: '1.2.3.4:5', name: 'me', user: 'default' };
  const head = { ...headOf(KeyFate.moved), unixMs: 12.5, database: 2, client };
  log.add(head, Buffer.from('xkeyx'), 1, 3);
  const key = new Uint8Array(Buffer.from('key'));
  assert.equal(log.newest(ALL), [{ ...head, id: 0, shard: 3, key, keyBytes: 3 }]);
});

removedKeys('cuts long keys, and still knows one from another', () => {
  const { log, add } = fixture();
  const long = Buffer.alloc(REMOVED_KEY_BYTES_MAX + 1, 0xff);
  const other = Buffer.from(long);
  other[REMOVED_KEY_BYTES_MAX] = 0;
  add(long);
  const [entry] = log.newest({ ...ALL, of: { database: 0, key: long } });
  assert.is(entry!.key.length, REMOVED_KEY_BYTES_MAX);
  assert.is(entry!.keyBytes, REMOVED_KEY_BYTES_MAX + 1);
  assert.equal(log.newest({ ...ALL, of: { database: 0, key: other } }), []);
  const start = long.subarray(0, REMOVED_KEY_BYTES_MAX);
  assert.equal(log.newest({ ...ALL, of: { database: 0, key: start } }), []);
});

removedKeys('a longest key that fits is whole', () => {
  const { log, add } = fixture();
  const key = Buffer.alloc(REMOVED_KEY_BYTES_MAX, 1);
  add(key);
  assert.is(log.newest({ ...ALL, of: { database: 0, key } }).length, 1);
});

removedKeys('of a name are those in its database, and the emptying of that', () => {
  const { log, add } = fixture(8);
  add('a');
  add('a', { database: 1 });
  add('b');
  log.addFlush({ ...headOf(KeyFate.flushed), keys: 5 });
  log.addFlush({ ...headOf(KeyFate.flushed), database: 1 });
  const found = log.newest({ ...ALL, of: { database: 0, key: Buffer.from('a') } });
  assert.equal(
    found.map(({ fate, keys, keyBytes }) => [fate, keys, keyBytes]),
    [
      [KeyFate.flushed, 5, 0],
      [KeyFate.deleted, 1, 1],
    ],
  );
});

removedKeys('a shorter log keeps the newest, and grows again', () => {
  const { log, add, keys } = fixture();
  for (const key of ['a', 'b', 'c', 'd', 'e']) add(key);
  log.lengthMax = 2;
  assert.equal(keys(), ['e', 'd']);
  log.lengthMax = 3;
  add('f');
  assert.equal(keys(), ['f', 'e', 'd']);
  log.lengthMax = 0;
  assert.not(log.isOn);
  assert.equal(keys(), []);
});

removedKeys('RESET forgets what has a lower id', () => {
  const { log, add, keys } = fixture();
  for (const key of ['a', 'b', 'c']) add(key);
  log.reset(2);
  assert.equal(keys(), ['c']);
  add('d');
  assert.equal(keys(), ['d', 'c']);
});

removedKeys.run();
