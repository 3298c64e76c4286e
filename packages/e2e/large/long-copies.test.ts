/** COPY of values so large that others are served meanwhile: what is copied, what waits, and who does not. */
// test-tier: long
import { encodeCommand, type Reply, type RespClient, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptServers, type KeptServer } from '../durability/kept-server.ts';
import { digestOf, ELEMENTS, longValues } from './long-values.ts';

const copies = suite('COPY of large values');

const newServer = keptServers(copies);
let server: KeptServer;
let client: RespClient;

copies.before(async () => {
  server = newServer();
  const sync = ['--set', 'persistence.durability-mode=sync'];
  client = await server.start({ shards: 1, args: sync });
});
copies.after(() => server.kill());
copies.before.each(async () => {
  await client.call('FLUSHALL');
  await client.call('CONFIG', 'RESETSTAT');
});

async function timesCalled(): Promise<number> {
  const statistics = textOf(await client.call('INFO', 'commandstats'));
  return Number(/cmdstat_copy:calls=(\d+)/.exec(statistics)?.[1] ?? 0);
}

for (const [type, make] of Object.entries(longValues)) {
  copies(`a ${type} is what it was, and its own`, async () => {
    await make(client, 'from');
    await client.call('PEXPIREAT', 'from', '4000000000000');
    const before = await digestOf(client, 'from');
    assert.is(await client.call('COPY', 'from', 'to'), 1);
    assert.is(await digestOf(client, 'to'), before);
    assert.is(await timesCalled(), 1);
    await client.call('DEL', 'from');
    assert.is(await digestOf(client, 'to'), before);
    assert.is(await client.call('RENAME', 'to', 'other'), 'OK');
    assert.is(await digestOf(client, 'other'), before);
    await client.call('MOVE', 'other', '1');
    await client.call('SELECT', '1');
    assert.is(await digestOf(client, 'other'), before);
    await client.call('DEL', 'other');
    await client.call('SELECT', '0');
  });
}

copies('what wants its keys comes after it, in order', async () => {
  await longValues.hash(client, 'from');
  const lines = [
    'COPY from to',
    'HSET from field:1 other',
    'HGET to field:1',
    'HSET to field:2 other',
    'HGET from field:2',
    'COPY to from',
    'COPY to from REPLACE',
    'HMGET from field:1 field:2',
    'DBSIZE',
    'FLUSHALL',
    'EXISTS from to',
  ];
  const replies = await client.pipeline(lines.map((line) => line.split(' ')));
  const [copied, , old, , still, refused, replaced, both, size, , left] = replies;
  assert.equal([copied, refused, replaced, size, left], [1, 0, 1, 2, 0]);
  assert.equal([textOf(old), textOf(still)], ['value:1', 'value:2']);
  assert.equal((both as Reply[]).map(textOf), ['value:1', 'other']);
});

copies('others are served meanwhile', async () => {
  const other = await server.server.client();
  await client.call('SETRANGE', 'from', '60000000', 'end');
  let isMeanwhile = false;
  // A machine under load may give this process both replies at once.
  for (let attempt = 0; attempt < 10 && !isMeanwhile; attempt += 1) {
    let isCopied = false;
    const copying = client.call('COPY', 'from', 'to', 'REPLACE').then(() => (isCopied = true));
    await other.call('SET', 'beside', 'x');
    await other.call('GET', 'beside');
    isMeanwhile = !isCopied;
    await copying;
  }
  assert.ok(isMeanwhile);
});

copies('a transaction has it at its place', async () => {
  await longValues.list(client, 'from');
  const lines = ['MULTI', 'COPY from to', 'LPOP from', 'LLEN to', 'EXEC'];
  const replies = await client.pipeline(lines.map((line) => line.split(' ')));
  const [copied, , length] = replies.at(-1) as Reply[];
  assert.equal([copied, length], [1, ELEMENTS]);
});

copies('who watches or waits for the key is told when it is there', async () => {
  await longValues.list(client, 'from');
  const watcher = await server.server.client();
  const waiter = await server.server.client();
  await watcher.call('WATCH', 'to');
  const waited = waiter.call('BLPOP', 'to', '0');
  await until(async () => {
    return textOf(await client.call('INFO', 'clients')).includes('blocked_clients:1');
  }, 'the client waits');
  assert.is(await client.call('COPY', 'from', 'to'), 1);
  const [key] = (await waited) as Reply[];
  assert.is(textOf(key), 'to');
  assert.is(await client.call('LLEN', 'to'), ELEMENTS - 1);
  await watcher.call('MULTI');
  await watcher.call('PING');
  assert.is(await watcher.call('EXEC'), null);
});

copies('a client that goes leaves it to be done', async () => {
  await longValues.set(client, 'from');
  const other = await server.server.client();
  other.raw(encodeCommand(['COPY', 'from', 'to']));
  await other.end();
  assert.is(await client.call('SCARD', 'to'), ELEMENTS);
});

copies('fields that are due stay until it is made, and go from both', async () => {
  await longValues.hash(client, 'from');
  await client.call('HPEXPIRE', 'from', '1', 'FIELDS', '1', 'field:1');
  await client.call('COPY', 'from', 'to');
  const lengths = [
    await client.call('HGET', 'from', 'field:1'),
    await client.call('HGET', 'to', 'field:1'),
  ];
  assert.equal(lengths, [null, null]);
});

copies('a copy is there after a kill', async () => {
  await longValues.zset(client, 'from');
  await client.call('COPY', 'from', 'to');
  const before = await digestOf(client, 'to');
  await server.kill();
  client = await server.start({ shards: 1 });
  assert.is(await digestOf(client, 'to'), before);
});

copies.run();
