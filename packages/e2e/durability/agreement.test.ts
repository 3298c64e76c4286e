/** Logs that have ended at several moments: transactions are there on all shards, or on none. */
// test-tier: long
import fs from 'node:fs';
import { keysOnShard, type RespClient } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loseBlocks, segmentsOf } from '../damage/data-files.ts';
import { keptServers, type KeptServer } from './kept-server.ts';

const agreement = suite('logs that end at several moments');

const SHARDS = 3;
/** Each command is in a block of its own. */
const OPTIONS = {
  shards: SHARDS,
  args: [
    ...['--set', 'persistence.durability-mode=sync'],
    ...['--set', 'snapshot.interval-secs=0'],
  ],
};
const [first = '', own = ''] = keysOnShard(0, SHARDS, 2, 'key');
const [second = ''] = keysOnShard(1, SHARDS, 1, 'key');
const [third = '', exclusive = ''] = keysOnShard(2, SHARDS, 2, 'key');
const KEYS = [first, second, third, own, exclusive];

const newServer = keptServers(agreement);

/** A transaction that is in the logs of all that took part: who lent a key has it back when it can be read. */
async function multi(client: RespClient, ...commands: (readonly string[])[]): Promise<void> {
  await client.pipeline([['MULTI'], ...commands, ['EXEC']]);
  for (const key of KEYS) await client.call('GET', key);
}

/** Runs the commands, kills the server, and truncates each shard's log by a number of blocks. */
async function lose(
  doing: (client: RespClient) => Promise<void>,
  blocks: readonly number[],
): Promise<KeptServer> {
  const server = newServer();
  const client = await server.start(OPTIONS);
  await client.call('MSET', first, '0', second, '0', third, '0');
  await doing(client);
  await server.kill();
  loseBlocks(server.data, blocks);
  return server;
}

async function valuesOf(client: RespClient): Promise<unknown> {
  return await client.call('MGET', ...KEYS);
}

/** Writes transactions of shards 0 and 1, then of 1 and 2; and a key on the third alone. */
async function chain(client: RespClient): Promise<void> {
  await multi(client, ['INCR', first], ['INCR', second]);
  await multi(client, ['INCR', second], ['INCR', third]);
  await client.call('SET', exclusive, 'later');
}

agreement('what one log has is given to those that lack it', async () => {
  const server = await lose(chain, [1, 1, 0]);
  const client = await server.start(OPTIONS);
  assert.equal(await valuesOf(client), ['1', '2', '1', null, 'later']);
  await server.reported('transactions-completed');
  await server.kill();
  assert.equal(await valuesOf(await server.start(OPTIONS)), ['1', '2', '1', null, 'later']);
});

agreement('what rests on a transaction that is on no disk does not count', async () => {
  const server = await lose(chain, [1, 2, 0]);
  const client = await server.start(OPTIONS);
  assert.equal(await valuesOf(client), ['0', '0', '0', null, null]);
  await server.reported(/is valid up to offset \d+: later records depend on/);
  await multi(client, ['INCR', second], ['INCR', third]);
  await client.call('SET', own, 'again');
  await server.kill();
  assert.equal(await valuesOf(await server.start(OPTIONS)), ['0', '1', '1', 'again', null]);
});

agreement('the same with another number of shards, and for --check-data', async () => {
  const server = await lose(chain, [1, 2, 0]);
  const before = segmentsOf(server.data, 2).map((file) => fs.readFileSync(file));
  const { exitCode, stdout } = await server.main('--check-data');
  assert.is(exitCode, 0);
  assert.match(stdout, /is valid up to offset \d+: later records depend on/);
  assert.equal(
    segmentsOf(server.data, 2).map((file) => fs.readFileSync(file)),
    before,
    'checking changes nothing',
  );
  const client = await server.start({ ...OPTIONS, shards: 2 });
  assert.equal(await valuesOf(client), ['0', '0', '0', null, null]);
});

agreement(
  'a transaction for which all shards stood still counts where all have its end',
  async () => {
    const conducted = async (client: RespClient): Promise<void> => {
      await multi(client, ['INCR', first], ['INCR', second], ['DBSIZE'], ['INCR', third]);
      await client.call('SET', own, 'later');
    };
    const server = await lose(conducted, [0, 0, 1]);
    const client = await server.start(OPTIONS);
    assert.equal(await valuesOf(client), ['0', '0', '0', null, null]);
    await multi(client, ['INCR', first], ['INCR', second], ['DBSIZE'], ['INCR', third]);
    await server.kill();
    const again = await server.start(OPTIONS);
    assert.equal(await valuesOf(again), ['1', '1', '1', null, null]);
  },
);

agreement('what was left of a group is not ended by a later one', async () => {
  const conducted = async (client: RespClient): Promise<void> => {
    await multi(client, ['SET', first, 'half'], ['DBSIZE']);
  };
  const server = await lose(conducted, [1, 0, 0]);
  const client = await server.start(OPTIONS);
  await multi(client, ['INCR', own], ['INCR', first]);
  await server.kill();
  assert.equal(await valuesOf(await server.start(OPTIONS)), ['1', '0', '0', '1', null]);
});

agreement.run();
