import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Bytes } from '#base';
import { FeedEnd, FeedFlag, SEGMENT_BYTES, SegmentAt } from '#link';
import { FeedReader } from './feed-reader.ts';

const readers = suite('reading feeds');

const CUT = 5;

interface Fields {
  readonly flags?: number;
  readonly database?: number;
  readonly count?: number;
  readonly group?: number;
  readonly parent?: number;
  readonly transaction?: number;
  readonly parts?: number;
}

/** A segment with some text in the place of commands. */
function segment(text: string, fields: Fields = {}): Buffer {
  const head = Buffer.alloc(SEGMENT_BYTES);
  head.writeUInt32LE(text.length, SegmentAt.bytes);
  const all = { count: text === '' ? 0 : 1, ...fields };
  for (const [name, value] of Object.entries(all)) {
    head.writeUInt32LE(value, SegmentAt[name as keyof typeof SegmentAt]);
  }
  return Buffer.concat([head, Buffer.from(text)]);
}

const cut = (number: number): Buffer =>
  segment('', { flags: FeedEnd.cut, transaction: number, parts: 2 });

/** A reader of two shards that have come to its first cut, and what came of it. */
function newReader(beginsTogether = true): {
  read: (shard: number, ...segments: Bytes[]) => void;
  units: string[];
  readers: number[];
  reader: FeedReader;
} {
  const units: string[] = [];
  const clients: number[] = [];
  const reader = new FeedReader(
    2,
    { cut: CUT, beginsTogether },
    {
      unit: (commands, isOne) => {
        const words = commands.map(
          ({ database, pieces }) => `${database}${Buffer.concat(pieces).toString()}`,
        );
        units.push(isOne ? `(${words.join(' ')})` : words.join(' '));
      },
      cut: (number) => units.push(`cut ${number}`),
      caused: (connection) => clients.push(connection),
    },
  );
  const read = (shard: number, ...segments: Bytes[]): void => {
    reader.take(shard, Buffer.concat(segments));
  };
  return { read, units, readers: clients, reader };
}

function begun(): ReturnType<typeof newReader> {
  const made = newReader();
  made.read(0, cut(CUT));
  made.read(1, cut(CUT));
  made.units.length = 0;
  return made;
}

readers('what comes before the first cut is of a feed that has ended', () => {
  const { read, units } = newReader();
  read(0, segment('old'), cut(CUT - 1), segment('older'), cut(CUT), segment('a'));
  assert.equal(units, []);
  read(1, cut(CUT));
  assert.equal(units, ['cut 5', '0a']);
});

readers('where nobody begins to read, no shard waits for another to have begun', () => {
  const { read, units } = newReader(false);
  read(0, segment('old'), cut(CUT), segment('a'));
  assert.equal(units, ['0a']);
  read(1, segment('old'), cut(CUT), segment('b'), cut(CUT + 1));
  read(0, cut(CUT + 1));
  assert.equal(units, ['0a', '0b', 'cut 6']);
});

readers('commands and groups of a shard', () => {
  const { read, units } = begun();
  read(0, segment('a', { database: 3 }), segment('b', { group: 1 }));
  read(0, segment('c', { group: 1, database: 2 }), segment('', { group: 1, flags: FeedEnd.local }));
  assert.equal(units, ['3a', '(0b 2c)']);
});

readers('a command in several segments is whole before it is told', () => {
  const { read, units } = begun();
  read(0, segment('a', { flags: FeedFlag.continued, count: 0 }));
  assert.equal(units, []);
  read(1, segment('other'));
  read(0, segment('b', { flags: FeedFlag.continued, count: 0 }));
  read(0, segment('c'), segment('d'));
  assert.equal(units, ['0other', '0abc', '0d']);
});

readers('shares of two shards are one', () => {
  const { read, units } = begun();
  const end = { flags: FeedEnd.share, transaction: 4, parts: 2 };
  read(0, segment('a', { group: 1 }), segment('', { ...end, group: 1 }), segment('behind'));
  assert.equal(units, []);
  read(1, segment('', { ...end, group: 9 }));
  assert.equal(units, ['(0a)', '0behind']);
});

readers('what is done while all stand still is one, in the order of what counts once', () => {
  const { read, units } = begun();
  const end = { flags: FeedEnd.barrier, transaction: 8, parts: 2 };
  const whole = { flags: FeedEnd.whole, transaction: 7, parts: 2 };
  // Shard 1 is ahead: its changes after FLUSHALL stay after it.
  read(
    1,
    segment('flush', { group: 6, parent: 5 }),
    segment('', { ...whole, group: 6, parent: 5 }),
    segment('b', { group: 5, parent: 5 }),
    segment('', { ...end, group: 5, parent: 5 }),
    segment('behind'),
  );
  read(0, segment('before'));
  read(
    0,
    segment('a', { group: 2, parent: 2 }),
    segment('flush', { group: 3, parent: 2 }),
    segment('', { ...whole, group: 3, parent: 2 }),
    segment('', { ...end, group: 2, parent: 2 }),
  );
  assert.equal(units, ['0before', '(0a 0flush 0b)', '0behind']);
});

readers('a barrier that has concerned one shard alone is its own', () => {
  const { read, units } = begun();
  read(0, segment('a', { group: 2, parent: 2 }));
  read(1, segment('other'));
  read(0, segment('', { group: 2, parent: 2, flags: FeedEnd.local }));
  assert.equal(units, ['0other', '(0a)']);
});

readers('nothing is settled before what was done while all stood still has ended', () => {
  const { read, reader } = begun();
  assert.ok(reader.isSettled);
  read(0, segment('a', { group: 2, parent: 2 }));
  const { arrivals } = reader;
  assert.not(reader.isSettled);
  assert.not(reader.hasHandedOn(arrivals));
  const end = { flags: FeedEnd.barrier, transaction: 8, parts: 2 };
  read(0, segment('', { ...end, group: 2, parent: 2 }));
  assert.not(reader.hasHandedOn(arrivals), 'the other shard has not come to the end');
  // A later writer does not delay earlier ones.
  read(1, segment('', { ...end, group: 4, parent: 4 }));
  read(0, segment('x', { group: 9 }));
  read(0, segment('', { flags: FeedEnd.share, transaction: 9, parts: 2, group: 9 }));
  assert.ok(reader.hasHandedOn(arrivals));
  assert.not(reader.isSettled);
  assert.not(reader.hasHandedOn(reader.arrivals));
});

readers('the client whose reading command has caused a change is named, in a group too', () => {
  const { read, units, readers: clients } = begun();
  read(0, segment('a', { group: 2 }), segment('', { flags: FeedEnd.reader, transaction: 7 }));
  read(0, segment('', { flags: FeedEnd.reader, transaction: 8, group: 2 }));
  read(0, segment('b', { group: 2 }), segment('', { flags: FeedEnd.local, group: 2 }));
  assert.equal(units, ['(0a 0b)']);
  assert.equal(clients, [7, 8]);
});

readers.run();
