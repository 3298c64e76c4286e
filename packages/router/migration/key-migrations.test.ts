/** Keys that are to be moved: all owners are asked at once, values are put together of their pieces, holds end on all. */

import { type Bytes, joined } from '#base';
import { commandTable } from '#commands';
import {
  decodeMessage,
  encodeMessage,
  FrameKind,
  type KeysFound,
  type KeysMoved,
  type KeysWanted,
  ReplyFlag,
} from '#link';
import { keyPerShard, keysOnShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RouterFixture } from '../router.test-helper.ts';

const migrations = suite('migrations of keys');

const [first = '', second = ''] = keyPerShard(2);
const [, alsoFirst = ''] = keysOnShard(0, 2, 2);
const KEYS = [second, first, alsoFirst];

const text = (bytes: Bytes): string => Buffer.from(bytes).toString('latin1');

function fixture(holds = true) {
  const all = new RouterFixture(2);
  const player = all.newClient();
  const entry = commandTable.byName('MIGRATE')!;
  const taken = all.router.keyMigrations.take({
    client: player.client,
    entry,
    keys: KEYS.map((key) => Buffer.from(key)),
    holds,
    isForOld: false,
  });
  const asked = all.sent();
  const [frame] = asked[0]!;
  const head = { slot: player.client.slot, sequence: frame!.sequence };
  const give = (shard: number, value: string): void => {
    all.shards[shard]!.send(FrameKind.migrate, head, Buffer.from(value));
  };
  const found = (shard: number, keys: KeysFound): void => {
    all.shards[shard]!.send(FrameKind.found, head, encodeMessage(keys));
    all.turn();
  };
  const gone = (shard: number, flags = 0): void => {
    all.shards[shard]!.send(FrameKind.migrated, { ...head, flags }, new Uint8Array(0));
    all.turn();
  };
  return { all, player, taken, asked, give, found, gone };
}

/** Replies of both shards: each key exists, with its name's number as value. */
function answerAll({ give, found }: ReturnType<typeof fixture>): void {
  // Pieces know nothing of where a value ends.
  give(0, 'on');
  give(0, 'etwo');
  found(0, [
    { nth: 0, expireAt: -1, bytes: 3 },
    { nth: 1, expireAt: 7, bytes: 3 },
  ]);
  give(1, 'zero');
  found(1, [{ nth: 0, expireAt: -1, bytes: 4 }]);
}

/** Indexes of moved keys sent to a shard. */
function reportedMoved(all: RouterFixture): (readonly number[])[] {
  return all
    .sent()
    .flat()
    .map(({ kind, body }) => {
      assert.is(kind, 'migrated');
      return decodeMessage(Buffer.from(body, 'latin1')) as KeysMoved;
    });
}

migrations('each shard is asked for its keys, in one turn', () => {
  const { asked, player } = fixture();
  const wanted = asked.map(([frame]) => {
    assert.is(frame!.slot, player.client.slot);
    return (decodeMessage(Buffer.from(frame!.body, 'latin1')) as KeysWanted).keys.map(text);
  });
  assert.equal(wanted, [[first, alsoFirst], [second]]);
});

migrations('values are put together, in the order of the keys', async () => {
  const shards = fixture();
  answerAll(shards);
  const { keys, isRefused } = await shards.taken;
  assert.is(isRefused, false);
  assert.equal(
    keys.map(({ index, expireAt, value }) => [index, expireAt, text(joined(value!))]),
    [
      [0, -1, 'zero'],
      [1, -1, 'one'],
      [2, 7, 'two'],
    ],
  );
});

migrations(
  'each shard is told which of its keys have moved, and all of them have to say so',
  async () => {
    const shards = fixture();
    answerAll(shards);
    const { end } = await shards.taken;
    let isOver = false;
    const ended = end([0, 2]).then((isSafe) => {
      isOver = true;
      return isSafe;
    });
    assert.equal(reportedMoved(shards.all), [[1], [0]]);
    shards.gone(0);
    await Promise.resolve();
    assert.is(isOver, false);
    shards.gone(1);
    assert.is(await ended, true);
  },
);

migrations('what could not be logged is not safe', async () => {
  const shards = fixture();
  answerAll(shards);
  const { end } = await shards.taken;
  const ended = end([0]);
  shards.all.sent();
  shards.gone(0);
  shards.gone(1, ReplyFlag.unsafe);
  assert.is(await ended, false);
});

migrations('a shard that has none of the keys holds none', async () => {
  const shards = fixture();
  shards.found(0, []);
  shards.give(1, 'zero');
  shards.found(1, [{ nth: 0, expireAt: -1, bytes: 4 }]);
  const { keys, end } = await shards.taken;
  assert.equal(
    keys.map(({ index }) => index),
    [0],
  );
  const ended = end([0]);
  const [toFirst, toSecond] = shards.all.sent();
  assert.equal([toFirst!.length, toSecond!.length], [0, 1]);
  shards.gone(1);
  assert.is(await ended, true);
});

migrations('where one has no room, the other lets its keys go', async () => {
  const shards = fixture();
  shards.give(0, 'onetwo');
  shards.found(0, [{ nth: 0, expireAt: -1, bytes: 6 }]);
  shards.found(1, 'refused');
  const { isRefused, keys } = await shards.taken;
  assert.equal([isRefused, keys], [true, []]);
  assert.equal(reportedMoved(shards.all), [[]]);
});

migrations('a copy ends nothing', async () => {
  const shards = fixture(false);
  answerAll(shards);
  const { end } = await shards.taken;
  assert.is(await end([]), true);
  assert.equal(shards.all.sent().flat(), []);
});

migrations('a client that has left is named no more', async () => {
  const shards = fixture();
  answerAll(shards);
  const { end } = await shards.taken;
  shards.player.leave();
  void end([0, 1, 2]);
  assert.equal(
    shards.all
      .sent()
      .flat()
      .map(({ slot }) => slot),
    [-1, -1],
  );
});

migrations.run();
