/** States that are longer than a block of the log or a piece of a snapshot: they are there as a whole, or not at all. */
// test-tier: long
import fs from 'node:fs';
import { keysOnShard, type RespClient } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { digestOf } from '../large/long-values.ts';
import { blocksIn, loseBlocks, segmentsOf } from '../damage/data-files.ts';
import { keptServers, type KeptServer } from './kept-server.ts';

const long = suite('long records of the log, and long states of a snapshot');

const SHARDS = 3;
const OPTIONS = {
  shards: SHARDS,
  args: [
    ...['--set', 'persistence.durability-mode=sync'],
    ...['--set', 'snapshot.interval-secs=0'],
    ...['--set', 'snapshot.log-growth-min-size=10gb'],
    ...['--set', 'security.enable-debug-command=yes'],
  ],
};
const [first = ''] = keysOnShard(0, SHARDS, 1, 'key');
const [second = '', from = ''] = keysOnShard(1, SHARDS, 2, 'key');
const [to = '', exclusive = ''] = keysOnShard(2, SHARDS, 2, 'key');
const FIELD_BYTES = 1024 * 1024;
const FIELDS = 70;
/**
 * Parts of the record of the move: the head of the state, two pieces of 64 MiB at most, and the removal of the other
 * key.
 */
const PARTS = 4;

const newServer = keptServers(long);

/** A hash of more than 64 MiB. */
async function fill(client: RespClient): Promise<string> {
  for (let nth = 0; nth < FIELDS; nth += 1) {
    await client.call('HSET', from, `field:${nth}`, String(nth % 10).repeat(FIELD_BYTES));
  }
  return await digestOf(client, from);
}

/** Moves it to another shard; reading it waits until both logs have that. */
async function move(client: RespClient): Promise<void> {
  await client.call('RENAME', from, to);
  assert.is(await client.call('EXISTS', from), 0);
  assert.is(await client.call('EXISTS', to), 1);
}

interface Moved {
  readonly server: KeptServer;
  readonly digest: string;
}

/** A server that was killed after the hash was moved, and its contents; it is not started again. */
let killedAfterMove: Moved;

long.before(async () => {
  const server = newServer();
  const client = await server.start(OPTIONS);
  const digest = await fill(client);
  await move(client);
  await server.kill();
  killedAfterMove = { server, digest };
});

/** A server on a copy of what that one has left. */
function copyOfMoved(): Moved {
  const server = newServer();
  fs.cpSync(killedAfterMove.server.folder, server.folder, { recursive: true });
  return { server, digest: killedAfterMove.digest };
}

function blocksOf(server: KeptServer): readonly number[] {
  return [1, 2].map((shard) => blocksIn(segmentsOf(server.data, shard).at(-1)!).blocks);
}

long('a move of a long value to another shard is kept', async () => {
  const { server, digest } = copyOfMoved();
  assert.equal(blocksOf(server), [FIELDS + PARTS, PARTS], 'the move is in parts');
  assert.is(await digestOf(await server.start(OPTIONS), to), digest);
});

long('what one log has in part is given by the other', async () => {
  const { server, digest } = copyOfMoved();
  loseBlocks(server.data, [0, 0, 1]);
  const again = await server.start(OPTIONS);
  await server.reported('transactions-completed');
  assert.is(await digestOf(again, to), digest);
  await again.call('SET', exclusive, 'later');
  await server.kill();
  const last = await server.start(OPTIONS);
  assert.is(await digestOf(last, to), digest);
  assert.is(await last.call('GET', exclusive), 'later');
});

long('what both have in part was never done', async () => {
  const { server, digest } = copyOfMoved();
  loseBlocks(server.data, [0, 1, 2]);
  const again = await server.start(OPTIONS);
  assert.is(await digestOf(again, from), digest);
  assert.is(await again.call('EXISTS', to), 0);
});

long('a log ends before a long record that rests on what is on no disk', async () => {
  const server = newServer();
  const client = await server.start(OPTIONS);
  const digest = await fill(client);
  await client.pipeline([['MULTI'], ['INCR', first], ['INCR', second], ['EXEC']]);
  await client.call('MGET', first, second);
  await move(client);
  await client.call('SET', exclusive, 'later');
  await server.kill();
  loseBlocks(server.data, [1, 1 + PARTS, 0]);
  const again = await server.start(OPTIONS);
  await server.reported(/is valid up to offset \d+: later records depend on/);
  assert.is(await digestOf(again, from), digest);
  assert.equal(await again.call('MGET', first, second, to, exclusive), [null, null, null, null]);
});

long('a long state is in a snapshot in parts, among states of other keys', async () => {
  const server = newServer();
  const client = await server.start(OPTIONS);
  const digest = await fill(client);
  await client.call('SET', second, 'short');
  await client.call('BGSAVE');
  // It is written before it changes.
  await client.call('HSET', from, 'later', 'x');
  await client.call('COPY', from, to);
  await client.call('HDEL', from, 'later');
  await server.reported(/Snapshot \d+ finished: 2 keys/);
  await server.kill();
  const again = await server.start(OPTIONS);
  assert.is(await digestOf(again, from), digest);
  assert.is(await again.call('HLEN', to), FIELDS + 1);
  assert.is(await again.call('GET', second), 'short');
  await server.stop();
  // With another number of shards the data is rewritten.
  const fewer = await server.start({ ...OPTIONS, shards: 2 });
  assert.is(await digestOf(fewer, from), digest);
});

long.run();
