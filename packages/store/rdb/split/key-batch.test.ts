/** Keys that cross to another thread in batches are there what they were in the file. */
import type { Bytes } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accessOfUse } from '../../records/access.ts';
import { bytesOf, textOf, testStore } from '../../store.test-helper.ts';
import {
  KeyBatchWriter,
  MalformedValueError,
  RdbSplitter,
  readKeyBatch,
  SplitKeyLoader,
  type RdbSplitTarget,
  type SplitKey,
} from '../index.ts';
import { contentsOf, everyOperation, fileOf, limits, loadWhole } from '../rdb-file.test-helper.ts';
import { RdbType } from '../format/rdb-type.ts';
import { KEY_BATCH_BYTES } from './key-batch.ts';
import { SplitKeyView } from './split-key.ts';

const batches = suite('key batches');

function batchesOf(file: Bytes, batchBytes?: number): Uint8Array<ArrayBuffer>[] {
  const writer = new KeyBatchWriter(batchBytes);
  const made: Uint8Array<ArrayBuffer>[] = [];
  const target: RdbSplitTarget = {
    key(split) {
      if (!writer.hasRoomFor(split)) made.push(writer.take());
      writer.add(split);
    },
    library: () => undefined,
    field: () => undefined,
  };
  const splitter = new RdbSplitter(target);
  splitter.take(file);
  assert.ok(splitter.isEnded);
  made.push(writer.take());
  return made;
}

function stringKey(key: string, value: Bytes): SplitKey {
  const split = new SplitKeyView();
  split.type = RdbType.string;
  split.key.all(bytesOf(key));
  split.value.all(value);
  return split;
}

for (const batchBytes of [1, 1_000, undefined]) {
  batches(`of ${batchBytes ?? 'the usual'} bytes hold every type of key`, () => {
    const file = fileOf(everyOperation());
    const store = testStore();
    const made = batchesOf(file, batchBytes);
    for (const batch of made) {
      // Only what has its own memory can be moved.
      const moved = structuredClone(batch, { transfer: [batch.buffer] });
      assert.is(batch.length, 0);
      const loader = new SplitKeyLoader({
        limits,
        nowMs: store.nowMs,
        accessOf: (use) => accessOfUse(use, store),
      });
      readKeyBatch(moved, (split) => loader.load(store.databases[split.database]!, split));
    }
    assert.ok(batchBytes !== 1 || made.length > 20);
    assert.equal(contentsOf(store), contentsOf(loadWhole(file)));
  });
}

batches('a long value is a batch of its own, in memory of its length', () => {
  const writer = new KeyBatchWriter();
  assert.is(writer.bytes, 0);
  assert.is(writer.take().length, 0);
  const long = stringKey('long', new Uint8Array(2 * KEY_BATCH_BYTES));
  const short = stringKey('short', bytesOf('\u0005value'));
  writer.add(short);
  assert.ok(writer.hasRoomFor(short));
  assert.not(writer.hasRoomFor(long));
  writer.take();
  assert.ok(writer.hasRoomFor(long));
  writer.add(long);
  assert.not(writer.hasRoomFor(short));
  assert.is(writer.count, 1);
  const { bytes } = writer;
  const batch = writer.take();
  assert.is(batch.length, bytes);
  assert.ok(batch.buffer.byteLength < 2 * KEY_BATCH_BYTES + 200);
});

batches('keys whose time is over are stored where they are kept', () => {
  for (const keepsExpired of [false, true]) {
    const store = testStore();
    const [keyspace] = store.databases;
    const loader = new SplitKeyLoader({
      limits,
      nowMs: store.nowMs,
      keepsExpired,
      accessOf: () => undefined,
    });
    const split = Object.assign(stringKey('k', bytesOf('\u0001v')), { expireAt: store.nowMs });
    assert.is(loader.load(keyspace!, split), keepsExpired);
    assert.is(textOf(keyspace!, 'k'), keepsExpired ? 'v' : undefined);
  }
});

batches('a value that is malformed, or shorter than it was said to be, changes nothing', () => {
  const store = testStore();
  const [keyspace] = store.databases;
  const loader = new SplitKeyLoader({
    limits,
    nowMs: store.nowMs,
    accessOf: () => undefined,
  });
  for (const value of ['\u0005val', '\u0001vv', '\u00c5', '']) {
    const isRefused = (error: unknown): boolean => error instanceof MalformedValueError;
    assert.throws(() => loader.load(keyspace!, stringKey('k', bytesOf(value))), isRefused, value);
    assert.is(textOf(keyspace!, 'k'), undefined);
  }
});

batches('memory of a batch that is done with is that of a later one', () => {
  const writer = new KeyBatchWriter(1_000);
  writer.add(stringKey('first', bytesOf('\u0005value')));
  const first = writer.take();
  const long = bytesOf('x'.repeat(5_000));
  writer.add(stringKey('long', long));
  const { buffer: longMemory } = writer.take();
  writer.giveBack(first.buffer);
  // What is longer than usual is not kept.
  writer.giveBack(longMemory);
  writer.add(stringKey('second', bytesOf('\u0005other')));
  const second = writer.take();
  assert.is(second.buffer, first.buffer);
  const keys: string[] = [];
  readKeyBatch(second, ({ key }) =>
    keys.push(Buffer.from(key.bytes).toString('latin1', key.at, key.at + key.length)),
  );
  assert.equal(keys, ['second']);
  writer.add(stringKey('third', bytesOf('\u0005third')));
  assert.is.not(writer.take().buffer, longMemory);
});

batches('a batch that is cut off is an error', () => {
  const writer = new KeyBatchWriter();
  writer.add(stringKey('key', bytesOf('\u0005value')));
  const batch = writer.take();
  for (let end = 1; end < batch.length; end += 1) {
    assert.throws(
      () => {
        readKeyBatch(batch.subarray(0, end), () => undefined);
      },
      (error: unknown) => error instanceof MalformedValueError,
    );
  }
});

batches.run();
