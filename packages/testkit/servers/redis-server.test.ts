/**
 * The client and the launcher against a Redis that others have written.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChildServer } from './child-server.ts';
import { needs } from '../needs.ts';
import { startRedis } from './redis-server.ts';
import { talk } from '../clients/resp-client.ts';
import { Push, ReplyError } from '../clients/resp-parser.ts';

const redis = suite('client against redis');
let server: ChildServer;

redis.before(async () => {
  server = await startRedis();
});
redis.after(async () => {
  await server.stop();
});

redis('calls and pipelines', async () => {
  const client = await server.client();
  assert.is(await client.call('SET', 'k', 'v'), 'OK');
  const replies = await client.pipeline([
    ['GET', 'k'],
    ['INCR', 'k'],
    ['GET', 'none'],
  ]);
  assert.is(replies[0], 'v');
  assert.ok(replies[1] instanceof ReplyError);
  assert.is(replies[2], null);
  await client.end();
});

redis('throws an error reply from call, and hands it over from reply', async () => {
  const client = await server.client();
  const error = await client.call('NOSUCH').catch((reason: unknown) => reason);
  assert.ok(error instanceof ReplyError);
  assert.is(((await client.reply('NOSUCH')) as ReplyError).code, 'ERR');
});

redis('speaks RESP3 and receives pushes', async () => {
  const client = await server.client();
  assert.ok((await client.call('HELLO', 3)) instanceof Map);
  client.raw('SUBSCRIBE news\r\n');
  assert.equal(await client.nextPush(), new Push(['subscribe', 'news', 1]));
  const other = await server.client();
  await other.call('PUBLISH', 'news', 'hi');
  assert.equal(await client.nextPush(), new Push(['message', 'news', 'hi']));
});

redis('keeps binary values whole', async () => {
  const client = await server.client({ buffers: true });
  const value = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  await client.call('SET', 'bin', value);
  assert.ok(value.equals((await client.call('GET', 'bin')) as Buffer));
});

redis('fails a call whose connection is closed', async () => {
  const client = await server.client();
  const blocked = client.call('BLPOP', 'nothing', 0).catch((error: unknown) => error);
  await client.reset();
  assert.match(String(await blocked), /connection is closed/);
});

redis('talks bytes', async () => {
  assert.is(await talk(server, 'PING\r\n', 'PONG\r\n'), '+PONG\r\n');
  assert.is(await talk(server, 'QUIT\r\n'), '+OK\r\n');
});

redis('says what a server that does not start has printed', async () => {
  const error = await startRedis(['--no-such-option', 'x']).catch((reason: unknown) => reason);
  assert.match(String(error), /no-such-option/);
});

if (needs('redis-server')) redis.run();
