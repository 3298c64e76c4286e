/** Commands of a part of the stream, wherever that begins and ends. */

import { commandBytes } from '#resp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readDiscarded, type DiscardedCommands } from './discarded-commands.ts';

const commands = suite('discarded commands');

type Words = readonly string[];

function streamOf(...all: readonly Words[]): Buffer {
  return Buffer.concat(all.map((words) => commandBytes(words)));
}

function replayOf({ replay }: DiscardedCommands): string {
  return Buffer.concat(replay).toString();
}

const NO_DATABASE = { database: undefined, lastDatabase: undefined };

commands('are counted by their names, with keys that are listed once', async () => {
  const bytes = streamOf(
    ['SET', 'a', '1'],
    ['MSET', 'a', '2', 'b', '3'],
    ['MULTI'],
    ['SET', 'c', '1'],
    ['EXEC'],
  );
  const found = await readDiscarded({ bytes, beginsWhole: true, database: 3, lastDatabase: 3 });
  assert.is(found.writes, 3);
  assert.equal(found.byName, { SET: 2, MSET: 1 });
  assert.equal(found.keys, ['a', 'b', 'c']);
  assert.is(replayOf(found), streamOf(['SELECT', '3']).toString() + bytes.toString());
  assert.equal([found.skippedBytes, found.cutBytes, found.keysLeftOff], [0, 0, 0]);
});

commands('are kept without signs of life, questions and messages', async () => {
  const bytes = streamOf(
    ['PING'],
    ['SET', 'a', '1'],
    ['REPLCONF', 'GETACK', '1700000000000'],
    ['PUBLISH', 'channel', 'message'],
    ['SET', 'b', '2'],
    ['PING'],
  );
  const found = await readDiscarded({ bytes, beginsWhole: true, ...NO_DATABASE });
  assert.is(replayOf(found), streamOf(['SET', 'a', '1'], ['SET', 'b', '2']).toString());
  assert.equal([found.writes, found.cutBytes], [2, 0]);
});

commands('stand in the database of the end where that is never changed', async () => {
  const still = streamOf(['SET', 'a', '1']);
  const part = { beginsWhole: true, database: undefined, lastDatabase: 5 };
  const found = await readDiscarded({ bytes: still, ...part });
  assert.match(replayOf(found), /^\*2\r\n\$6\r\nSELECT\r\n\$1\r\n5\r\n/);
  const moved = streamOf(['SET', 'a', '1'], ['SELECT', '5'], ['SET', 'b', '1']);
  assert.is(replayOf(await readDiscarded({ bytes: moved, ...part })), moved.toString());
});

commands('begin behind the rest of one that is not there', async () => {
  // The rest looks like a command itself, and is none.
  const bytes = streamOf(['SET', 'old', '*1\r\n$4\r\nPIN'], ['SET', 'a', '1'], ['SET', 'b', '1']);
  const whole = streamOf(['SET', 'a', '1'], ['SET', 'b', '1']);
  const cut = bytes.subarray(20);
  const found = await readDiscarded({ bytes: cut, beginsWhole: false, ...NO_DATABASE });
  assert.is(replayOf(found), whole.toString());
  assert.equal([found.writes, found.skippedBytes], [2, cut.length - whole.length]);
});

commands('end before one that is not whole', async () => {
  const bytes = streamOf(['SET', 'a', '1'], ['SET', 'b', '1']);
  const cut = bytes.subarray(0, -3);
  const found = await readDiscarded({ bytes: cut, beginsWhole: true, ...NO_DATABASE });
  assert.equal([found.writes, found.keys], [1, ['a']]);
  assert.is(found.cutBytes, bytes.length / 2 - 3);
});

commands('more than a slice are read in turns', async () => {
  const bytes = streamOf(
    ...Array.from({ length: 3_000 }, (_, nth) => ['SET', `key ${nth}`, 'x'.repeat(1_000)]),
  );
  const found = await readDiscarded({ bytes, beginsWhole: true, ...NO_DATABASE });
  assert.equal([found.writes, found.keys.length, found.keysLeftOff], [3_000, 1_000, 2_000]);
});

commands.run();
