/** CLIENT TRACKING: which clients receive invalidations for which keys, where and when. */
import { type ChildServer, Push, type Reply, type RespClient, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const tracking = suite('client tracking');

let server: ChildServer;
let writer: RespClient;
let reader: RespClient;

tracking.before(async () => {
  server = await startServer({ shards: 2 });
  writer = await server.client();
});
tracking.after(async () => {
  await server.stop();
});
tracking.before.each(async () => {
  reader = await server.client();
  await reader.call('HELLO', '3');
});
tracking.after.each(async () => {
  await reader.end();
});

const line = (client: RespClient, words: string): Promise<Reply> =>
  client.call(...words.split(' '));

async function pushed(client = reader): Promise<readonly Reply[]> {
  const push = await client.nextPush();
  assert.instance(push, Push);
  return (push as Push).items;
}

/** Takes the pushes received so far; those sent before the reply to a PING have come by then. */
async function pushedSoFar(): Promise<unknown[]> {
  await reader.call('PING');
  return reader.pushes.splice(0).map((push) => (push as Push).items);
}

const info = async (name: string): Promise<number> => {
  const text = textOf(await writer.call('INFO', 'clients', 'stats'));
  return Number(new RegExp(`${name}:(\\d+)`).exec(text)?.[1]);
};

tracking('a key that was read is reported once, when it changes', async () => {
  await line(writer, 'MSET a 1 b 2 c 3');
  await line(reader, 'CLIENT TRACKING ON');
  await line(reader, 'MGET a b none');
  assert.is(await info('tracking_total_keys'), 3);
  assert.is(await info('tracking_total_items'), 3);
  assert.is(await info('tracking_clients'), 1);
  await line(writer, 'SET a 2');
  await line(writer, 'SET a 3');
  await line(writer, 'SET c 3');
  await line(writer, 'SET none 1');
  assert.equal(await pushedSoFar(), [
    ['invalidate', ['a']],
    ['invalidate', ['none']],
  ]);
  await line(reader, 'CLIENT TRACKING OFF');
  await line(writer, 'SET b 3');
  assert.equal(await pushedSoFar(), []);
});

tracking(
  'the keys that a script reads are reported, not those that it declares or writes',
  async () => {
    await line(writer, 'MSET a 1 b 2 c 3 d 4');
    const reads =
      "redis.call('GET', 'a') redis.call('SET', 'c', 5) return redis.call('MGET', 'b', 'd')";
    const isOnOneShard = "return redis.call('GET', KEYS[1])";
    const change = async (): Promise<unknown[]> => {
      await line(writer, 'MSET a 1 b 2 c 3 d 4');
      return (await pushedSoFar()).flat(2).filter((each) => each !== 'invalidate');
    };
    await line(reader, 'CLIENT TRACKING ON NOLOOP');
    await reader.call('EVAL', reads, 1, 'c');
    assert.equal((await change()).sort(), ['a', 'b', 'd']);
    await reader.call('EVAL', isOnOneShard, 1, 'c');
    assert.equal(await change(), ['c']);
    await reader.call('EVAL_RO', "redis.call('GET', KEYS[2])", 2, 'a', 'b');
    assert.equal(await change(), ['b']);
    await line(reader, 'CLIENT TRACKING OFF');
    await line(reader, 'CLIENT TRACKING ON OPTIN');
    await reader.call('EVAL', isOnOneShard, 1, 'c');
    assert.equal(await change(), []);
    await line(reader, 'CLIENT CACHING YES');
    await reader.call('EVAL', isOnOneShard, 1, 'c');
    await reader.call('EVAL', isOnOneShard, 1, 'a');
    assert.equal(await change(), ['c']);
    await line(reader, 'CLIENT TRACKING OFF');
  },
);

tracking('what a command waits for is read when it is served', async () => {
  for (const streams of ['s $', 's{1} s $ $']) {
    await line(writer, 'DEL s');
    await line(reader, 'CLIENT TRACKING ON');
    const reply = line(reader, `XREAD BLOCK 0 STREAMS ${streams}`);
    while ((await info('blocked_clients')) === 0);
    await line(writer, 'XADD s 1-1 f v');
    assert.equal(await reply, new Map([['s', [['1-1', ['f', 'v']]]]]));
    assert.equal(await pushed(), ['invalidate', ['s']]);
    assert.is(await info('tracking_total_items'), streams.split(' ').length / 2);
    await line(writer, 'XADD s 2-1 f v');
    await line(writer, 'XADD s 3-1 f v');
    assert.equal(await pushedSoFar(), [['invalidate', ['s']]]);
    await line(reader, 'CLIENT TRACKING OFF');
  }
});

tracking('the own change is reported behind its reply, and with NOLOOP not at all', async () => {
  await line(reader, 'CLIENT TRACKING ON');
  await line(reader, 'GET own');
  assert.is(await line(reader, 'SET own 1'), 'OK');
  assert.equal(await pushedSoFar(), [['invalidate', ['own']]]);
  await line(reader, 'CLIENT TRACKING ON NOLOOP');
  await line(reader, 'GET own');
  await line(reader, 'SET own 2');
  assert.equal(await pushedSoFar(), []);
  // What is read behind the own change is tracked, though both were sent at once.
  for (let round = 0; round < 50; round += 1) {
    assert.equal(
      await reader.pipeline([
        ['SET', 'own', round],
        ['GET', 'own'],
      ]),
      ['OK', String(round)],
    );
    await line(writer, 'SET own other');
    assert.equal(await pushedSoFar(), [['invalidate', ['own']]]);
  }
});

tracking(
  'what was read before the own change is reported, though it is read again behind it',
  async () => {
    const ways = [
      [
        ['HSET', 'hash', 'f', '1'],
        ['HGET', 'hash', 'g'],
      ],
      [['MULTI'], ['HSET', 'hash', 'f', '2'], ['HGET', 'hash', 'g'], ['EXEC']],
    ];
    for (const way of ways) {
      await line(reader, 'CLIENT TRACKING ON');
      await line(reader, 'HGET hash f');
      await reader.pipeline(way);
      assert.equal(await pushedSoFar(), [['invalidate', ['hash']]]);
      // And what was read again is tracked.
      await line(writer, 'HSET hash f 3');
      assert.equal(await pushedSoFar(), [['invalidate', ['hash']]]);
      assert.is(await info('tracking_total_items'), 0);
      await line(reader, 'CLIENT TRACKING OFF');
    }
  },
);

tracking('expired, evicted, renamed and flushed keys are changed ones', async () => {
  await line(reader, 'CLIENT TRACKING ON');
  await line(writer, 'PSETEX brief 30 v');
  await line(reader, 'GET brief');
  assert.equal(await pushed(), ['invalidate', ['brief']]);
  await line(writer, 'SET from v');
  await line(reader, 'MGET from to');
  await line(writer, 'RENAME from to');
  const both = [await pushed(), await pushed()].map(([, keys]) => keys);
  assert.equal(both.flat().sort(), ['from', 'to']);
  await line(reader, 'GET to');
  await line(writer, 'FLUSHALL');
  assert.equal(await pushed(), ['invalidate', null]);
  assert.is(await info('tracking_total_keys'), 0);
  await line(reader, 'GET to');
  await line(writer, 'FLUSHDB');
  assert.equal(await pushed(), ['invalidate', null]);
});

tracking('what had to go for a write is reported before the next reply', async () => {
  await line(reader, 'CLIENT TRACKING ON');
  await line(writer, 'CONFIG SET maxmemory-policy volatile-random');
  for (let round = 0; round < 30; round += 1) {
    await line(reader, 'SET short{e} x EX 1000');
    await line(reader, 'GET short{e}');
    const used = Number(/used_memory:(\d+)/.exec(textOf(await line(writer, 'INFO memory')))?.[1]);
    await line(writer, `CONFIG SET maxmemory ${used + 100 * 1024}`);
    await line(reader, 'SETBIT long{e} 1600000 0');
    assert.is(await line(reader, 'GETBIT long{e} 0'), 0);
    const reported = reader.pushes.splice(0).map((push) => (push as Push).items);
    assert.equal(reported, [['invalidate', ['short{e}']]], `round ${round}`);
    await line(writer, 'CONFIG SET maxmemory 0');
    await line(writer, 'DEL long{e}');
    assert.equal(await pushedSoFar(), [['invalidate', ['long{e}']]]);
  }
});

tracking('OPTIN and OPTOUT with CLIENT CACHING', async () => {
  await line(reader, 'CLIENT TRACKING ON OPTIN');
  await line(reader, 'GET in:1');
  await line(reader, 'CLIENT CACHING YES');
  await line(reader, 'GET in:2');
  await line(reader, 'GET in:3');
  await line(writer, 'MSET in:1 1 in:2 2 in:3 3');
  assert.equal(await pushedSoFar(), [['invalidate', ['in:2']]]);
  await line(reader, 'CLIENT TRACKING OFF');
  await line(reader, 'CLIENT TRACKING ON OPTOUT');
  await line(reader, 'CLIENT CACHING NO');
  await line(reader, 'GET in:1');
  await line(reader, 'GET in:2');
  await line(writer, 'MSET in:1 1 in:2 2');
  assert.equal(await pushedSoFar(), [['invalidate', ['in:2']]]);
});

tracking('BCAST tells of all keys with a prefix, those of a turn together', async () => {
  await line(reader, 'CLIENT TRACKING ON BCAST PREFIX a: PREFIX b: NOLOOP');
  await writer.pipeline([
    ['SET', 'a:1', 1],
    ['SET', 'c:1', 1],
    ['SET', 'b:1', 1],
  ]);
  await line(reader, 'SET a:own 1');
  const reported = (await pushedSoFar()).map((push) => (push as [string, string[]])[1]);
  assert.equal(reported.flat().sort(), ['a:1', 'b:1']);
  assert.is(await info('tracking_total_prefixes'), 2);
  await line(reader, 'CLIENT TRACKING OFF');
  assert.is(await info('tracking_total_prefixes'), 0);
});

tracking('RESP2: told by another connection that listens; and when that is gone', async () => {
  const reported = await server.client();
  const id = Number(await reported.call('CLIENT', 'ID'));
  await line(reported, 'SUBSCRIBE __redis__:invalidate');
  const plain = await server.client();
  await line(plain, `CLIENT TRACKING ON REDIRECT ${String(id)}`);
  assert.is(await line(plain, 'CLIENT GETREDIR'), id);
  assert.match(
    textOf(await line(plain, 'CLIENT INFO')),
    new RegExp(` flags=t .* redir=${String(id)} `),
  );
  await line(plain, 'GET key');
  const message = reported.receive();
  await line(writer, 'SET key 1');
  assert.equal(await message, ['message', '__redis__:invalidate', ['key']]);
  await line(plain, 'HELLO 3');
  await line(plain, 'GET key');
  await reported.end();
  while (textOf(await writer.call('CLIENT', 'LIST', 'TYPE', 'pubsub')) !== '');
  await line(writer, 'SET key 2');
  assert.equal(await pushed(plain), ['tracking-redir-broken', id]);
  const shown = (await line(plain, 'CLIENT TRACKINGINFO')) as Map<string, unknown>;
  assert.equal(shown.get('flags'), new Set(['on', 'broken_redirect']));
  assert.match(textOf(await line(plain, 'CLIENT INFO')), / flags=tR /);
  await plain.end();
});

tracking('the table stays within its limit, and who is dropped is told', async () => {
  await line(reader, 'CLIENT TRACKING ON');
  await reader.pipeline(Array.from({ length: 500 }, (_, nth) => ['GET', `many:${String(nth)}`]));
  await line(writer, 'CONFIG SET tracking-table-max-keys 10');
  const reported = new Set<unknown>();
  while (reported.size < 490) reported.add(JSON.stringify((await pushed())[1]));
  assert.is(await info('tracking_total_keys'), 10);
  await line(writer, 'CONFIG SET tracking-table-max-keys 1000000');
});

tracking('mistakes', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['CLIENT TRACKING MAYBE', /syntax error/],
    ['CLIENT TRACKING ON WHAT', /syntax error/],
    ['CLIENT TRACKING ON REDIRECT', /syntax error/],
    ['CLIENT TRACKING ON REDIRECT x', /not an integer/],
    ['CLIENT TRACKING ON REDIRECT 999999', /client ID you want redirect to does not exist/],
    ['CLIENT TRACKING ON PREFIX a', /PREFIX option requires BCAST mode/],
    ['CLIENT TRACKING ON BCAST OPTIN', /not compatible with BCAST/],
    ['CLIENT TRACKING ON OPTIN OPTOUT', /both OPTIN mode and OPTOUT mode/],
    ['CLIENT TRACKING ON BCAST PREFIX ab PREFIX a', /Prefix 'ab' overlaps with another provided/],
    ['CLIENT CACHING YES', /can be called only when the client is in tracking mode/],
  ];
  for (const [words, text] of cases) {
    assert.match(textOf(await reader.reply(...words.split(' '))), text, words);
  }
  await line(reader, 'CLIENT TRACKING ON OPTIN');
  const wrong = async (words: string): Promise<string> =>
    textOf(await reader.reply(...words.split(' ')));
  assert.match(await wrong('CLIENT TRACKING ON BCAST'), /can't switch BCAST mode/);
  assert.match(await wrong('CLIENT TRACKING ON OPTOUT'), /can't switch OPTIN\/OPTOUT mode/);
  assert.match(await wrong('CLIENT CACHING NO'), /only valid when tracking is enabled in OPTOUT/);
  assert.match(await wrong('CLIENT CACHING PERHAPS'), /syntax error/);
});

tracking('nothing is left of who resets or disconnects', async () => {
  await line(reader, 'CLIENT TRACKING ON');
  await line(reader, 'GET left');
  await line(reader, 'RESET');
  assert.is(await info('tracking_clients'), 0);
  assert.is(await info('tracking_total_keys'), 0);
  await line(reader, 'HELLO 3');
  await line(reader, 'CLIENT TRACKING ON BCAST');
  await reader.end();
  while ((await info('tracking_clients')) > 0);
  assert.is(await info('tracking_total_prefixes'), 0);
  await line(writer, 'SET left 1');
});

tracking.run();
