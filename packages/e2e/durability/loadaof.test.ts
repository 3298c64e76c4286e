/** DEBUG LOADAOF: what is on disk is what is in memory, and what cannot be read changes nothing. */
// test-tier: long
import { ReplyError, type RespClient, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IN_FIRST_BLOCK, segmentsOf, turnBit } from '../damage/data-files.ts';
import { differences, keptServers, stateOf } from './kept-server.ts';

const loading = suite('DEBUG LOADAOF');

const newServer = keptServers(loading);

async function fill(client: RespClient, prefix: string): Promise<void> {
  const lines = [
    ...['SET string x', 'SETEX later 1000 x', 'INCRBYFLOAT float 1.5', 'HSET hash f v g w'],
    ...['HPEXPIRE hash 100000 FIELDS 1 f', 'RPUSH list a b c', 'SADD set 1 2 3', 'ZADD zset 1 a'],
    ...['XADD stream 1-1 f v', 'XGROUP CREATE stream group 0', 'SETBIT bits 900 1'],
  ];
  for (const line of lines) {
    const [name, key, ...rest] = line.split(' ') as [string, string, ...string[]];
    const isGroup = name === 'XGROUP';
    const words = isGroup
      ? [key, `${prefix}:${rest[0]!}`, ...rest.slice(1)]
      : [`${prefix}:${key}`, ...rest];
    await client.call(name, ...words);
  }
  await client.call('COPY', `${prefix}:list`, `${prefix}:there`);
  await client.pipeline([['MULTI'], ['INCR', `${prefix}:a`], ['INCR', `${prefix}:b`], ['EXEC']]);
}

for (const mode of ['sync', 'periodic', 'async']) {
  loading(`${mode}: all that was done is read, from a snapshot and the log behind it`, async () => {
    const server = newServer();
    const client = await server.start({ args: ['--set', `persistence.durability-mode=${mode}`] });
    for (const prefix of ['one', 'two', 'three']) {
      await fill(client, prefix);
      if (prefix === 'one') await client.call('SAVE');
      const before = await stateOf(client);
      assert.is(await client.call('DEBUG', 'LOADAOF'), 'OK');
      assert.equal(differences(before, await stateOf(client)), []);
    }
    assert.is(await client.call('DBSIZE'), 3 * 12);
    const before = await stateOf(client);
    await server.stop();
    assert.equal(differences(before, await stateOf(await server.start())), []);
    await server.kill();
  });
}

loading('what was refused when it had changed something is read', async () => {
  const server = newServer();
  const client = await server.start({ args: ['--set', 'persistence.durability-mode=sync'] });
  // A HyperLogLog's code that names 9,000 registers of 16,384.
  const code = Buffer.from(`HYLL\u0001${'\0'.repeat(10)}\u0080\u0063\u0027`, 'latin1');
  await client.call('SET', 'code', code, 'EX', 1_000);
  const elements = Array.from({ length: 40 }, (_, nth) => `e${nth}`);
  const reply = await client.reply('PFADD', 'code', ...elements);
  assert.is(textOf(reply), 'INVALIDOBJ Corrupted HLL object detected');
  const before = await stateOf(client);
  assert.is(await client.call('DEBUG', 'LOADAOF'), 'OK');
  assert.equal(differences(before, await stateOf(client)), []);
  assert.ok(((await client.call('TTL', 'code')) as number) > 900);
  await server.kill();
});

loading('a snapshot that becomes whole meanwhile takes no files away from it', async () => {
  const server = newServer();
  const client = await server.start({ args: ['--set', 'persistence.durability-mode=sync'] });
  await fill(client, 'kept');
  const before = await stateOf(client);
  for (let nth = 0; nth < 20; nth++) {
    const loads = Array.from({ length: 30 }, () => ['DEBUG', 'LOADAOF']);
    const [, ...loaded] = await client.pipeline([['BGSAVE'], ...loads]);
    assert.equal([...new Set(loaded.map(textOf))], ['OK']);
  }
  assert.equal(differences(before, await stateOf(client)), []);
  await server.kill();
});

loading('what is damaged is an error that says where, and all keys stay', async () => {
  const server = newServer();
  const client = await server.start({ args: ['--set', 'persistence.durability-mode=sync'] });
  await fill(client, 'kept');
  const before = await stateOf(client);
  turnBit(segmentsOf(server.data, 0).at(-1)!, IN_FIRST_BLOCK);
  const reply = await client.reply('DEBUG', 'LOADAOF');
  assert.instance(reply, ReplyError);
  assert.match(
    textOf(reply),
    /^ERR the log cannot be read, and all keys stay as they are: .*is damaged at offset \d+/,
  );
  assert.equal(differences(before, await stateOf(client)), []);
  await server.kill();
});

loading('a server that keeps nothing on disk says so', async () => {
  const server = await startServer({ args: ['--set', 'persistence.enabled=no'] });
  const client = await server.client();
  await client.call('SET', 'key', 'x');
  const reply = await client.reply('DEBUG', 'LOADAOF');
  assert.match(textOf(reply), 'ERR nothing is kept on disk: persistence.enabled is no');
  assert.is(await client.call('DBSIZE'), 1);
  await server.stop();
});

loading.run();
