/** A file that comes in pieces is the same keys however it was cut, or an error, and never more work or memory than it has. */
// test-tier: long
import type { Bytes } from '#base';
import { withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accessOfUse } from '../../records/access.ts';
import { testStore } from '../../store.test-helper.ts';
import type { Store } from '../../store.ts';
import { MalformedValueError, RdbFileError } from '../format/malformed.ts';
import {
  contentsOf,
  counted,
  everyOperation,
  fileOf,
  keyOf,
  limits,
  loadWhole,
  valuesOfEveryType,
  writtenBy,
} from '../rdb-file.test-helper.ts';
import { RdbSplitter, type RdbSplitTarget } from './rdb-splitter.ts';
import { RDB_VERSION, RdbOp, RdbType } from '../format/rdb-type.ts';
import { layoutOf } from './skip-value.ts';
import { SplitKeyLoader } from './split-key.ts';

const splitting = suite('rdb splitter');

const EVERYTHING = fileOf(everyOperation());
const HUGE_BYTES = 64 * 1024 * 1024;
const FLIPS = [0x01, 0x80, 0xff, 0x40];

/** A target that loads keys into a store and notes the rest. */
function loading(): { target: RdbSplitTarget; store: Store; notes: string[] } {
  const store = testStore();
  const notes: string[] = [];
  const loader = new SplitKeyLoader({
    limits,
    nowMs: store.nowMs,
    accessOf: (use) => accessOfUse(use, store),
  });
  const target: RdbSplitTarget = {
    key(split) {
      const keyspace = store.databases[split.database];
      if (keyspace !== undefined) loader.load(keyspace, split);
    },
    library: (code) => notes.push(`library ${Buffer.from(code).toString()}`),
    field: (name, value) => notes.push(`${name} ${value}`),
    sizes: (...sizes) => notes.push(sizes.join(' ')),
  };
  return { target, store, notes };
}

const ignoring: RdbSplitTarget = {
  key: () => undefined,
  library: () => undefined,
  field: () => undefined,
};

/** Feeds a file in pieces; returns how many bytes were taken. */
function feed(splitter: RdbSplitter, file: Bytes, lengthOf: () => number): number {
  let taken = 0;
  for (let at = 0; at < file.length && !splitter.isEnded;) {
    // Memory of its own, which is written over once it was taken.
    const piece = Uint8Array.from(file.subarray(at, at + lengthOf()));
    taken += splitter.take(piece);
    at += piece.length;
    piece.fill(0xee);
  }
  return taken;
}

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    const isExpected = error instanceof RdbFileError || error instanceof MalformedValueError;
    assert.ok(isExpected, String(error));
    return error.message;
  }
  return 'none';
}

splitting('every operation and type loads as a file that is read as a whole', () => {
  const whole = contentsOf(loadWhole(EVERYTHING));
  assert.is(whole.size, valuesOfEveryType.length - 1, 'the time of one is over');
  for (const length of [1, 2, 3, 7, 64, 1_000, EVERYTHING.length]) {
    const { target, store, notes } = loading();
    const splitter = new RdbSplitter(target);
    assert.is(
      feed(splitter, EVERYTHING, () => length),
      EVERYTHING.length,
    );
    assert.ok(splitter.isEnded);
    assert.equal(contentsOf(store), whole, `pieces of ${length}`);
    const reported = ['redis-ver 7.4.1', 'repl-stream-db 0', 'library #!lua name=one', '0 33 2'];
    assert.equal(notes, reported);
    assert.is(splitter.keys, valuesOfEveryType.length);
    assert.is(splitter.bytes, EVERYTHING.length);
    assert.is(splitter.version, RDB_VERSION);
  }
});

splitting('types that can be read can be stepped over, and no others', () => {
  const types = new Set<number>(Object.values(RdbType));
  for (let type = 0; type < RdbOp.slotInfo; type += 1) {
    assert.is(layoutOf(type) !== undefined, types.has(type), `type ${type}`);
  }
  assert.equal(new Set(valuesOfEveryType.map(([type]) => type)), types);
});

splitting('a file may be cut at any place', () => {
  const operations = Buffer.concat(
    valuesOfEveryType
      .filter(([, value]) => writtenBy(value).length < 1_000)
      .map(([type, value], index) => keyOf(`key ${index}`, type, value)),
  );
  const file = fileOf(operations);
  const whole = contentsOf(loadWhole(file));
  for (let cut = 1; cut < file.length; cut += 1) {
    const isLoaded = cut % 16 === 0;
    const { target, store } = isLoaded ? loading() : { target: ignoring, store: undefined };
    const splitter = new RdbSplitter(target);
    assert.is(splitter.take(file.subarray(0, cut)), cut);
    assert.not(splitter.isEnded, 'a file that is cut off is no error, and not ended');
    assert.is(splitter.take(file.subarray(cut)), file.length - cut);
    assert.ok(splitter.isEnded, `cut at ${cut}`);
    if (store !== undefined) assert.equal(contentsOf(store), whole, `cut at ${cut}`);
  }
});

splitting(
  'a large file may be cut at random',
  withRandom((random) => {
    const keys: Bytes[] = [];
    for (let nth = 0; nth < 2_000; nth += 1) {
      const [type, value] = random.pick(valuesOfEveryType);
      keys.push(keyOf(`key ${nth}`, type, value));
    }
    const file = fileOf(Buffer.concat(keys));
    const { target, store } = loading();
    const splitter = new RdbSplitter(target);
    feed(splitter, file, () => random.integer(1, random.pick([10, 1_000, 200_000])));
    assert.ok(splitter.isEnded);
    assert.equal(contentsOf(store), contentsOf(loadWhole(file)));
  }),
);

splitting('bytes behind the end are left', () => {
  const behind = Buffer.concat([EVERYTHING, Buffer.from('*1\r\n$4\r\nPING\r\n')]);
  for (const length of [1, 5, 100, behind.length]) {
    const splitter = new RdbSplitter(ignoring);
    assert.is(
      feed(splitter, behind, () => length),
      EVERYTHING.length,
    );
    assert.is(splitter.take(Uint8Array.from(behind)), 0);
    assert.is(splitter.bytes, EVERYTHING.length);
  }
});

splitting('any byte that is changed is an error at the end at the latest', () => {
  for (let at = 0; at < EVERYTHING.length; at += 1) {
    // Within the long text one place is like the other.
    if (at > 1_500 && EVERYTHING[at] === 0x79 && at % 100 !== 0) continue;
    const harmed = Buffer.from(EVERYTHING);
    harmed[at]! ^= FLIPS[at % FLIPS.length]!;
    const splitter = new RdbSplitter(loading().target);
    const reason = reasonOf(() => {
      feed(splitter, harmed, () => 4_096);
    });
    assert.ok(reason !== 'none' || !splitter.isEnded, `${at}`);
    assert.ok(splitter.bufferBytes <= HUGE_BYTES, `${at}: ${splitter.bufferBytes} bytes`);
  }
});

splitting('a checksum of zero is none', () => {
  const splitter = new RdbSplitter(ignoring);
  splitter.take(fileOf(everyOperation(), RDB_VERSION, false));
  assert.ok(splitter.isEnded);
});

splitting('a checksum that is wrong is told', () => {
  const harmed = Buffer.from(EVERYTHING);
  harmed[harmed.length - 1]! ^= 1;
  const splitter = new RdbSplitter(ignoring);
  assert.match(
    reasonOf(() => splitter.take(harmed)),
    'its checksum is not that of its bytes',
  );
});

const LENGTH_64 = [0x81, 0x80, 0, 0, 0, 0, 0, 0, 0];
const PEBIBYTE = [0x81, 0, 4, 0, 0, 0, 0, 0, 0];
const refusals: readonly (readonly [what: string, file: Bytes, reason: string])[] = [
  ['another file', Buffer.from('RIDES0011.....'), 'it is no snapshot of Redis'],
  ['no version', fileOf(everyOperation(), 0), 'it has version 0; versions 1 to 12 can be read'],
  ['a later version', fileOf(everyOperation(), 13), 'it has version 13'],
  ['a module', fileOf(Buffer.from([247, 1])), 'it holds data of a module at offset 9,'],
  ['a value of a module', fileOf(Buffer.from([7, 1, 97, 1])), 'it holds a value of a module'],
  ['an unknown type', fileOf(Buffer.from([28, 1, 97, 1])), 'it holds a value of type 28'],
  ['an early function', fileOf(Buffer.from([246, 1])), 'it holds the operation 246 at offset 9'],
  ['a string of 2^63', Buffer.from([0, 1, 97].concat(LENGTH_64)), 'before offset 21 is invalid'],
  ['a list of 2^63', Buffer.from([1, 1, 97].concat(LENGTH_64)), 'before offset 21 is invalid'],
  ['a string of 2^50', Buffer.from([0, 1, 97].concat(PEBIBYTE)), 'more than 4 GiB at offset 9'],
  ['a set of 2^50', Buffer.from([2, 1, 97].concat(PEBIBYTE)), 'more than 4 GiB at offset 9'],
  ['a key of 2^50', Buffer.from([0].concat(PEBIBYTE)), 'more than 4 GiB at offset 9'],
];
for (const [what, bytes, reason] of refusals) {
  splitting(`${what} is refused`, () => {
    const isFile = Buffer.from(bytes.subarray(0, 2)).toString().startsWith('R');
    const file = isFile ? bytes : fileOf(bytes);
    const splitter = new RdbSplitter(ignoring);
    assert.match(
      reasonOf(() => {
        feed(splitter, file, () => 5);
      }),
      reason,
    );
    assert.ok(splitter.bufferBytes < HUGE_BYTES);
  });
}

splitting('a long list in small pieces is stepped over once', () => {
  const ELEMENTS = 300_000;
  const list = keyOf('list', RdbType.list, (writer) => {
    writer.length(ELEMENTS);
    for (let nth = 0; nth < ELEMENTS; nth += 1) writer.string(Buffer.from(`element ${nth}`));
  });
  const file = fileOf(list);
  const splitter = new RdbSplitter(ignoring);
  let pieces = 0;
  feed(splitter, file, () => {
    pieces += 1;
    return 1_024;
  });
  assert.ok(splitter.isEnded);
  assert.ok(splitter.steps <= ELEMENTS + 2 * pieces, `${splitter.steps} steps`);
});

splitting('a long string is tried when it is there, and its memory given back', () => {
  const LONG_BYTES = 20_000_000;
  const file = fileOf(
    Buffer.concat([
      keyOf('long', RdbType.string, counted(LONG_BYTES)),
      Buffer.alloc(LONG_BYTES, 'x'),
      keyOf('short', RdbType.string, (writer) => {
        writer.string(Buffer.from('value'));
      }),
    ]),
  );
  const lengths: number[] = [];
  const splitter = new RdbSplitter({
    key: ({ key, value }) => lengths.push(key.length, value.length),
    library: () => undefined,
    field: () => undefined,
  });
  feed(splitter, file.subarray(0, LONG_BYTES), () => 10_000);
  assert.ok(splitter.steps < 10, `${splitter.steps} steps`);
  assert.ok(splitter.bufferBytes <= 2 * LONG_BYTES + 200_000, `${splitter.bufferBytes} bytes`);
  feed(splitter, file.subarray(LONG_BYTES, -1), () => 10_000);
  assert.equal(lengths, [4, LONG_BYTES + 5, 5, 6]);
  splitter.take(file.subarray(-1));
  assert.ok(splitter.isEnded);
});

splitting('memory that a long value needed is not kept', () => {
  const small = keyOf('small', RdbType.string, counted(1_000));
  const operations: Bytes[] = [
    keyOf('long', RdbType.string, counted(9_000_000)),
    Buffer.alloc(9_000_000),
  ];
  for (let nth = 0; nth < 200; nth += 1) operations.push(small, Buffer.alloc(1_000));
  const splitter = new RdbSplitter(ignoring);
  feed(splitter, fileOf(Buffer.concat(operations)).subarray(0, -1), () => 10_000);
  assert.ok(splitter.bufferBytes < 1_000_000, `${splitter.bufferBytes} bytes`);
});

splitting('what is missing of a file that is cut off is told', () => {
  const cutOffAt = (length: number): string => {
    const splitter = new RdbSplitter(ignoring);
    splitter.take(EVERYTHING.subarray(0, length));
    return splitter.cutOff().message;
  };
  assert.is(cutOffAt(5), 'it is no snapshot of Redis');
  assert.match(cutOffAt(12), 'it ends at offset 12; the entry at offset 9 is longer than the file');
  assert.match(cutOffAt(EVERYTHING.length - 3), 'in its checksum');
});

splitting.run();
