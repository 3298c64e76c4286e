/** Messages between connections: who gets what, in which order, and what is left when somebody goes. */
import {
  type ChildServer,
  Push,
  type Reply,
  ReplyError,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const pubsub = suite('publish and subscribe');

let server: ChildServer;
let publisher: RespClient;

pubsub.before(async () => {
  server = await startServer({ shards: 2 });
  publisher = await server.client();
});
pubsub.after(async () => {
  await server.stop();
});

const info = async (name: string): Promise<number> => {
  const text = textOf(await publisher.call('INFO', 'clients', 'stats'));
  return Number(new RegExp(`${name}:(\\d+)`).exec(text)?.[1]);
};

/** Waits until there are no subscribers: the counts are those of all connections. */
function untilNobodyListens(): Promise<void> {
  return until(async () => (await info('pubsub_clients')) === 0, 'nobody listens');
}

/** A push as an array. */
async function pushed(client: RespClient): Promise<readonly Reply[]> {
  const push = await client.nextPush();
  assert.instance(push, Push);
  return (push as Push).items;
}

/** The next thing a RESP2 connection gets, whether it came already or not. */
async function next(client: RespClient): Promise<Reply> {
  return client.pushes.length > 0 ? client.pushes.shift()! : client.receive();
}

/** A RESP3 connection, whose messages are separated from its replies. */
async function listener(): Promise<RespClient> {
  const client = await server.client();
  await client.call('HELLO', '3');
  return client;
}

pubsub('RESP2: confirmations, messages, and the count of each', async () => {
  const client = await server.client();
  client.raw('SUBSCRIBE a b a\r\n');
  assert.equal(await next(client), ['subscribe', 'a', 1]);
  assert.equal(await next(client), ['subscribe', 'b', 2]);
  assert.equal(await next(client), ['subscribe', 'a', 2]);
  assert.equal(await client.call('PSUBSCRIBE', 'a*'), ['psubscribe', 'a*', 3]);
  assert.equal(await client.call('SSUBSCRIBE', 'a'), ['ssubscribe', 'a', 1]);
  assert.is(await publisher.call('PUBLISH', 'a', 'm'), 2);
  assert.equal(await next(client), ['message', 'a', 'm']);
  assert.equal(await next(client), ['pmessage', 'a*', 'a', 'm']);
  assert.is(await publisher.call('SPUBLISH', 'a', 's'), 1);
  assert.equal(await next(client), ['smessage', 'a', 's']);
  assert.is(await publisher.call('PUBLISH', 'nobody', 'm'), 0);
  assert.is(await publisher.call('SPUBLISH', 'b', 'm'), 0);
  client.raw('UNSUBSCRIBE\r\n');
  assert.equal(await next(client), ['unsubscribe', 'a', 2]);
  assert.equal(await next(client), ['unsubscribe', 'b', 1]);
  assert.equal(await client.call('PUNSUBSCRIBE', 'a*'), ['punsubscribe', 'a*', 0]);
  assert.equal(await client.call('SUNSUBSCRIBE'), ['sunsubscribe', 'a', 0]);
  assert.equal(await client.call('UNSUBSCRIBE'), ['unsubscribe', null, 0]);
  assert.equal(await client.call('PUNSUBSCRIBE', 'never'), ['punsubscribe', 'never', 0]);
  assert.is(await client.call('ECHO', 'an ordinary client again'), 'an ordinary client again');
  await client.end();
});

pubsub('RESP2: only some commands while listening, and PING looks like a message', async () => {
  const client = await server.client();
  await client.call('SUBSCRIBE', 'c');
  const refusal =
    "ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context";
  assert.is(((await client.reply('GET', 'k')) as Error).message, refusal);
  assert.match(textOf(await client.reply('CLIENT', 'LIST')), /execute 'client\|list'/);
  assert.match(textOf(await client.reply('PUBLISH', 'c', 'm')), /execute 'publish'/);
  assert.equal(await client.call('PING'), ['pong', '']);
  assert.equal(await client.call('PING', 'hi'), ['pong', 'hi']);
  assert.is(await client.call('RESET'), 'RESET');
  assert.is(await client.call('PING'), 'PONG');
  assert.is(await publisher.call('PUBLISH', 'c', 'm'), 0);
  await client.end();
});

pubsub('RESP3: pushes beside ordinary commands, the own message behind its reply', async () => {
  const client = await listener();
  client.raw('SUBSCRIBE c\r\n');
  assert.equal(await pushed(client), ['subscribe', 'c', 1]);
  assert.is(await client.call('SET', 'k', 'v'), 'OK');
  assert.is(await client.call('PING'), 'PONG');
  assert.is(await client.call('PUBLISH', 'c', 'own'), 1);
  assert.equal(await pushed(client), ['message', 'c', 'own']);
  await client.end();
});

pubsub('a confirmation keeps its place behind commands that shards answer', async () => {
  for (let round = 0; round < 20; round += 1) {
    const client = await server.client();
    client.raw('SET a 1\r\nGET a\r\nDBSIZE\r\nSUBSCRIBE order\r\n');
    // Messages race with the confirmation, and must not overtake it.
    await publisher.pipeline(Array.from({ length: 20 }, (_, nth) => ['PUBLISH', 'order', nth]));
    assert.is(await next(client), 'OK');
    assert.is(await next(client), '1');
    assert.type(await next(client), 'number');
    assert.equal(await next(client), ['subscribe', 'order', 1]);
    const last = await publisher.call('PUBLISH', 'order', 'end');
    assert.is(last, 1);
    let previous = -1;
    for (;;) {
      const [, , text] = (await next(client)) as string[];
      if (text === 'end') break;
      assert.ok(Number(text) > previous);
      previous = Number(text);
    }
    await client.end();
    await untilNobodyListens();
  }
});

pubsub('a publisher gets its replies in order, and what it wrote can be read by then', async () => {
  const client = await listener();
  client.raw('SUBSCRIBE news\r\n');
  await pushed(client);
  const replies = await publisher.pipeline([
    ['SET', 'fact', 'new'],
    ['GET', 'fact'],
    ['PUBLISH', 'news', 'fact'],
    ['GET', 'fact'],
  ]);
  assert.equal(replies, ['OK', 'new', 1, 'new']);
  assert.equal(await pushed(client), ['message', 'news', 'fact']);
  assert.is(await client.call('GET', 'fact'), 'new');
  await client.end();
});

pubsub('messages are bytes of any kind and length', async () => {
  const client = await server.client({ buffers: true });
  const name = Buffer.from([0, 255, 13, 10, 42]);
  const large = Buffer.alloc(3_000_000, 7);
  await client.call('SUBSCRIBE', name);
  for (const message of [Buffer.alloc(0), Buffer.from([13, 10, 0]), large]) {
    assert.is(await publisher.call('PUBLISH', name, message), 1);
    const [, channel, got] = (await next(client)) as Buffer[];
    assert.ok(name.equals(channel!) && message.equals(got!));
  }
  await client.end();
});

pubsub('in a transaction confirmations are replies, and shard channels are refused', async () => {
  const client = await server.client();
  const names = ['SUBSCRIBE', 'PSUBSCRIBE', 'SSUBSCRIBE', 'SUNSUBSCRIBE', 'UNSUBSCRIBE'];
  const replies = await client.pipeline([['MULTI'], ...names.map((name) => [name, 'a']), ['EXEC']]);
  assert.equal(replies.at(-1), [
    ['subscribe', 'a', 1],
    ['psubscribe', 'a', 2],
    new ReplyError("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client"),
    ['sunsubscribe', 'a', 0],
    ['unsubscribe', 'a', 1],
  ]);
  await client.end();
});

pubsub('PUBSUB tells who listens', async () => {
  await untilNobodyListens();
  const client = await listener();
  client.raw('SUBSCRIBE ch:1 ch:2 other\r\nPSUBSCRIBE ch:* *\r\nSSUBSCRIBE sh:1 x\r\n');
  for (let nth = 0; nth < 7; nth += 1) await pushed(client);
  const other = await listener();
  other.raw('PSUBSCRIBE ch:*\r\nSUBSCRIBE ch:1\r\n');
  await pushed(other);
  await pushed(other);
  const all = async (...words: string[]): Promise<unknown> => await publisher.call(...words);
  assert.equal(await all('PUBSUB', 'CHANNELS'), ['ch:1', 'ch:2', 'other']);
  assert.equal(await all('PUBSUB', 'CHANNELS', 'ch:*'), ['ch:1', 'ch:2']);
  assert.equal(await all('PUBSUB', 'NUMSUB', 'ch:1', 'none'), ['ch:1', 2, 'none', 0]);
  assert.equal(await all('PUBSUB', 'NUMSUB'), []);
  assert.is(await all('PUBSUB', 'NUMPAT'), 2);
  assert.equal(await all('PUBSUB', 'SHARDCHANNELS', 'sh*'), ['sh:1']);
  assert.equal(await all('PUBSUB', 'SHARDNUMSUB', 'sh:1', 'ch:1'), ['sh:1', 1, 'ch:1', 0]);
  assert.match(String(await all('PUBSUB', 'HELP')), /NUMPAT/);
  assert.is(await publisher.call('PUBLISH', 'ch:1', 'm'), 5);
  assert.is(await info('pubsub_channels'), 3);
  assert.is(await info('pubsub_patterns'), 2);
  assert.is(await info('pubsubshard_channels'), 2);
  assert.is(await info('pubsub_clients'), 2);
  const lines = textOf(await publisher.call('CLIENT', 'LIST', 'TYPE', 'pubsub'))
    .trim()
    .split('\n');
  assert.is(lines.length, 2);
  assert.match(lines[0]!, / flags=P .* sub=3 psub=2 ssub=2 /);
  await client.end();
  await other.end();
});

pubsub('mistakes are answered, and leave nothing', async () => {
  const cases: readonly (readonly [string[], RegExp])[] = [
    [['SUBSCRIBE'], /wrong number of arguments for 'subscribe'/],
    [['PSUBSCRIBE'], /wrong number of arguments/],
    [['PUBLISH', 'c'], /wrong number of arguments for 'publish'/],
    [['SPUBLISH', 'c', 'm', 'more'], /wrong number of arguments/],
    [['PUBSUB'], /wrong number of arguments for 'pubsub'/],
    [['PUBSUB', 'NOTHING'], /unknown subcommand 'NOTHING'. Try PUBSUB HELP/],
    [['PUBSUB', 'CHANNELS', 'a', 'b'], /wrong number of arguments for 'CHANNELS'/],
    [['PUBSUB', 'NUMPAT', 'a'], /wrong number of arguments for 'pubsub\|numpat'/],
  ];
  for (const [words, text] of cases) assert.match(textOf(await publisher.reply(...words)), text);
  await untilNobodyListens();
});

pubsub('nothing is left of who disconnects, resets, or is killed', async () => {
  const subscribe = 'SUBSCRIBE a b\r\nPSUBSCRIBE p*\r\nSSUBSCRIBE s\r\n';
  for (const leave of [
    (client: RespClient) => client.end(),
    (client: RespClient) => client.reset(),
    (client: RespClient) => client.call('RESET'),
    () => publisher.call('CLIENT', 'KILL', 'TYPE', 'pubsub'),
  ]) {
    const client = await listener();
    client.raw(subscribe);
    for (let nth = 0; nth < 4; nth += 1) await pushed(client);
    await leave(client);
    await untilNobodyListens();
    assert.equal(await publisher.call('PUBSUB', 'CHANNELS'), []);
    assert.equal(await publisher.call('PUBSUB', 'SHARDCHANNELS'), []);
    assert.is(await publisher.call('PUBSUB', 'NUMPAT'), 0);
    client.socket.destroy();
  }
});

pubsub('CLIENT REPLY OFF silences replies, but no messages', async () => {
  const client = await listener();
  client.raw('CLIENT REPLY OFF\r\nSUBSCRIBE quiet\r\nPING\r\n');
  assert.equal(await pushed(client), ['subscribe', 'quiet', 1]);
  await publisher.call('PUBLISH', 'quiet', 'm');
  assert.equal(await pushed(client), ['message', 'quiet', 'm']);
  assert.is(await client.call('CLIENT', 'REPLY', 'ON'), 'OK');
  await client.end();
});

pubsub('100,000 subscriptions of one client, and their end', async () => {
  const client = await listener();
  const names = Array.from({ length: 100_000 }, (_, nth) => `channel:${String(nth)}`);
  for (let at = 0; at < names.length; at += 10_000) {
    client.raw(`SUBSCRIBE ${names.slice(at, at + 1_000).join(' ')}\r\n`);
    for (let more = 1_000; more < 10_000; more += 1_000) {
      client.raw(`SUBSCRIBE ${names.slice(at + more, at + more + 1_000).join(' ')}\r\n`);
    }
  }
  for (let nth = 1; nth <= names.length; nth += 1) {
    assert.equal(await pushed(client), ['subscribe', names[nth - 1], nth]);
  }
  assert.is(await publisher.call('PUBLISH', 'channel:99999', 'm'), 1);
  assert.equal(await pushed(client), ['message', 'channel:99999', 'm']);
  await client.end();
  await untilNobodyListens();
  assert.is(await info('pubsub_channels'), 0);
});

pubsub('who reads too slowly is cut off by the limit for listeners', async () => {
  const before = await info('client_output_buffer_limit_disconnections');
  await publisher.call('CONFIG', 'SET', 'client-output-buffer-limit', 'pubsub 2mb 0 0');
  const slow = await server.client();
  await slow.call('SUBSCRIBE', 'flood');
  slow.socket.pause();
  const message = 'm'.repeat(100_000);
  while ((await publisher.call('PUBLISH', 'flood', message)) === 1);
  assert.is(await info('client_output_buffer_limit_disconnections'), before + 1);
  assert.is(await info('pubsub_clients'), 0);
  slow.socket.resume();
  await slow.closed;
  await publisher.call('CONFIG', 'SET', 'client-output-buffer-limit', 'pubsub 32mb 8mb 60');
});

pubsub('a channel gains and loses listeners one by one', async () => {
  const first = await server.client();
  const second = await server.client();
  const published = async (): Promise<unknown> => publisher.call('PUBLISH', 'changing', 'x');
  assert.is(await published(), 0);
  await first.call('SUBSCRIBE', 'changing');
  assert.is(await published(), 1);
  await second.call('SUBSCRIBE', 'changing');
  assert.is(await published(), 2);
  await first.end();
  await until(async () => (await published()) === 1, 'the first has left');
  await second.end();
  await until(async () => (await published()) === 0, 'both have left');
  assert.equal(await publisher.call('PUBSUB', 'CHANNELS', 'changing'), []);
});

pubsub.run();
