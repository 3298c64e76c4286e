/**
 * Clients that wait for keys, on one shard and on several: served once, in the order in which they came, inside
 * the command that made what they wait for.
 */
// test-again: TEST_SPILLS=1
import { textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  blocked,
  call,
  client,
  newClient,
  placedKeys,
  server,
  serveBlocked,
  waiting,
} from './blocked-clients.ts';

const blocking = suite('blocking commands');

const { here, near, far, third } = placedKeys('list');

serveBlocked(blocking);

const pairs: readonly (readonly [what: string, first: string, second: string])[] = [
  ['one shard', here, near],
  ['several shards', here, far],
];

for (const [what, first, second] of pairs) {
  blocking(`on ${what}: whichever key comes first is popped`, async () => {
    for (const [command, key, reply] of [
      [`BLPOP ${first} ${second} 0`, second, [second, 'b']],
      [`BRPOP ${first} ${second} 0`, first, [first, 'a']],
      [`BLMPOP 0 2 ${first} ${second} LEFT COUNT 5`, second, [second, ['b', 'a']]],
    ] as const) {
      const { reply: popped } = await waiting(command);
      assert.is(await call(client, `LPUSH ${key} a b`), 2);
      assert.equal(await popped, reply);
      await blocked(0);
      await client.call('DEL', key);
    }
  });

  blocking(`on ${what}: sorted sets`, async () => {
    for (const [command, key, reply] of [
      [`BZPOPMIN ${first} ${second} 0`, second, [second, 'low', '1']],
      [`BZPOPMAX ${first} ${second} 0`, first, [first, 'high', '2']],
      [`BZMPOP 0 2 ${first} ${second} MIN`, second, [second, [['low', '1']]]],
    ] as const) {
      const { reply: popped } = await waiting(command);
      assert.is(await call(client, `ZADD ${key} 1 low 2 high`), 2);
      assert.equal(await popped, reply);
      await client.call('DEL', key);
    }
  });

  blocking(`on ${what}: the first key in the command's order wins`, async () => {
    await client.call('RPUSH', second, 's');
    assert.equal(await call(client, `BLPOP ${first} ${second} 0`), [second, 's']);
    await client.pipeline([
      ['RPUSH', second, 's'],
      ['RPUSH', first, 'f'],
    ]);
    assert.equal(await call(client, `BLPOP ${first} ${second} 0`), [first, 'f']);
    assert.equal(await call(client, `LMPOP 2 ${first} ${second} LEFT`), [second, ['s']]);
    assert.is(await call(client, `LMPOP 2 ${first} ${second} LEFT`), null);
    assert.is(await call(client, `ZMPOP 2 ${first} ${second} MIN`), null);
  });

  blocking(`on ${what}: a key of another type is an error, but not while waiting`, async () => {
    await client.call('SET', first, 'text');
    const wrong = /^-WRONGTYPE/;
    assert.match(String(await call(client, `BLPOP ${first} ${second} 0`)), wrong);
    assert.match(String(await call(client, `BLPOP ${second} ${first} 0`)), wrong);
    await client.call('DEL', first);
    const { reply } = await waiting(`BLPOP ${first} ${second} 0`);
    await client.call('SET', first, 'text');
    await client.call('ZADD', second, '1', 'm');
    await blocked(1);
    await client.call('DEL', first, second);
    await client.call('RPUSH', second, 'v');
    assert.equal(await reply, [second, 'v']);
  });

  blocking(`on ${what}: the time passes`, async () => {
    for (const line of [
      `BLPOP ${first} ${second} 0.03`,
      `BZMPOP 0.03 2 ${first} ${second} MAX`,
      `BLMOVE ${first} ${second} LEFT LEFT 0.03`,
      `BRPOPLPUSH ${first} ${second} 0.03`,
    ]) {
      assert.is(await call(client, line), null, line);
    }
    await blocked(0);
    await client.call('RPUSH', first, 'v');
    assert.is(await call(client, `LLEN ${first}`), 1, 'nobody waits any more');
  });

  blocking(`on ${what}: a move goes on when its source comes`, async () => {
    const { reply } = await waiting(`BLMOVE ${first} ${second} LEFT RIGHT 0`);
    await client.call('RPUSH', first, '1', '2');
    assert.is(await reply, '1');
    assert.equal(await call(client, `LRANGE ${second} 0 -1`), ['1']);
    assert.equal(await call(client, `LRANGE ${first} 0 -1`), ['2']);
  });

  blocking(`on ${what}: chains of moves feed each other`, async () => {
    const last = await waiting(`BLPOP ${third} 0`);
    const move = await waiting(`BRPOPLPUSH ${second} ${third} 0`, 2);
    const start = await waiting(`BLMOVE ${first} ${second} LEFT LEFT 0`, 3);
    await client.call('RPUSH', first, 'item');
    assert.equal(await start.reply, 'item');
    assert.equal(await move.reply, 'item');
    assert.equal(await last.reply, [third, 'item']);
    await blocked(0);
    assert.is(await call(client, `EXISTS ${first} ${second} ${third}`), 0);
  });

  blocking(`on ${what}: those who came first are served first`, async () => {
    const replies: Promise<unknown>[] = [];
    for (let nth = 1; nth <= 5; nth += 1) {
      replies.push((await waiting(`BLPOP ${first} ${second} 0`, nth)).reply);
    }
    for (let nth = 0; nth < 5; nth += 1) {
      await client.call('RPUSH', nth % 2 === 0 ? first : second, String(nth));
      assert.is(((await replies[nth]) as string[])[1], String(nth));
    }
  });

  blocking(`on ${what}: CLIENT UNBLOCK`, async () => {
    for (const line of [`BLPOP ${first} ${second} 0`, `BLMOVE ${first} ${second} LEFT LEFT 0`]) {
      for (const [reason, expected] of [
        [[], null],
        [['TIMEOUT'], null],
        [['ERROR'], '-UNBLOCKED client unblocked via CLIENT UNBLOCK'],
      ] as const) {
        const { reply, of } = await waiting(line);
        const list = textOf(await client.call('CLIENT', 'LIST'));
        const id = /id=(\d+) [^\n]* flags=b /.exec(list)?.[1] ?? '';
        assert.is(await client.call('CLIENT', 'UNBLOCK', id, ...reason), 1);
        assert.equal(await reply, expected);
        assert.is(await client.call('CLIENT', 'UNBLOCK', id), 0);
        assert.is(await of.call('PING'), 'PONG');
      }
    }
  });

  blocking(`on ${what}: a client that goes away leaves nothing behind`, async () => {
    for (const line of [`BLPOP ${first} ${second} 0`, `BLMOVE ${first} ${second} LEFT LEFT 0`]) {
      const gone = await server.client();
      const reply = gone.pipeline([line.split(' ')]).catch(() => undefined);
      await blocked(1);
      gone.socket.destroy();
      await reply;
      await blocked(0);
      await client.call('RPUSH', first, 'v');
      assert.equal(await call(client, `LPOP ${first}`), 'v');
    }
  });

  blocking(`on ${what}: inside a transaction nobody waits`, async () => {
    const replies = await client.pipeline([
      ['MULTI'],
      ['BLPOP', first, second, '0'],
      ['BLMOVE', first, second, 'LEFT', 'LEFT', '0'],
      ['BZPOPMIN', first, second, '0'],
      ['DBSIZE'],
      ['BLPOP', first, second, '0'],
      ['EXEC'],
    ]);
    assert.equal(replies.at(-1), [null, null, null, 0, null]);
  });

  blocking(`on ${what}: a transaction is over before anybody is served`, async () => {
    const { reply } = await waiting(`BLPOP ${first} ${second} 0`);
    const replies = await client.pipeline([
      ['MULTI'],
      ['RPUSH', first, 'a'],
      ['LPOP', first],
      ['RPUSH', second, 'b'],
      ['RPUSH', second, 'c'],
      ['EXEC'],
    ]);
    assert.equal(replies.at(-1), [1, 'a', 1, 2]);
    assert.equal(await reply, [second, 'b']);
    assert.equal(await call(client, `LRANGE ${second} 0 -1`), ['c']);
  });

  blocking(`on ${what}: a key that arrives by other ways is found`, async () => {
    const ways: readonly (readonly string[])[] = [
      [`RPUSH ${near}{x} v`, `RENAME ${near}{x} ${second}`],
      [`RPUSH ${third} v`, `RENAME ${third} ${second}`],
      [`RPUSH ${third} v`, `COPY ${third} ${second}`],
      [`RPUSH ${third} v`, `LMOVE ${third} ${second} LEFT LEFT`],
      ['SELECT 1', `RPUSH ${second} v`, `MOVE ${second} 0`],
      ['SELECT 1', `RPUSH ${second} v`, 'SWAPDB 0 1'],
      ['MULTI', `RPUSH ${second} v`, 'DBSIZE', 'EXEC'],
    ];
    for (const way of ways) {
      await client.call('FLUSHALL');
      const { reply } = await waiting(`BLPOP ${first} ${second} 0`);
      const maker = await newClient();
      for (const line of way) await call(maker, line);
      assert.equal(await reply, [second, 'v'], way.join('; '));
    }
  });
}

const streams: readonly (readonly [what: string, keys: readonly string[]])[] = [
  ['one shard', [here, near]],
  ['several shards', [far, here, third]],
];
for (const [what, keys] of streams) {
  const [first = '', second = ''] = keys;
  const last = keys.map(() => '$').join(' ');
  const unread = keys.map(() => '>').join(' ');
  const names = keys.join(' ');
  const makeGroups = async (): Promise<void> => {
    for (const key of keys) await client.call('XGROUP', 'CREATE', key, 'g', '$', 'MKSTREAM');
  };

  blocking(`streams on ${what}: what comes is read, by all who wait`, async () => {
    await client.call('XADD', first, '1-1', 'old', '1');
    const one = await waiting(`XREAD BLOCK 0 STREAMS ${names} ${last}`);
    const two = await waiting(`XREAD COUNT 5 BLOCK 10000 STREAMS ${names} ${last}`, 2);
    await client.call('XADD', second, '5-1', 'f', 'v');
    const entry = [[second, [['5-1', ['f', 'v']]]]];
    assert.equal(await one.reply, entry);
    assert.equal(await two.reply, entry);
  });

  blocking(
    `streams on ${what}: all that is there comes at once, in the order asked for`,
    async () => {
      for (const key of keys) await client.call('XADD', key, '1-1', 'of', key);
      const all = keys.map((key) => [key, [['1-1', ['of', key]]]]);
      const from = keys.map(() => '0').join(' ');
      assert.equal(await call(client, `XREAD BLOCK 0 STREAMS ${names} ${from}`), all);
      assert.equal(await call(client, `XREAD STREAMS ${names} ${from}`), all);
      assert.is(await call(client, `XREAD STREAMS ${names} ${last}`), null);
      assert.is(await call(client, `XREAD BLOCK 20 STREAMS ${names} ${last}`), null);
    },
  );

  blocking(`streams on ${what}: large entries come whole`, async () => {
    const value = (key: string): string => key.repeat(Math.ceil(200_000 / key.length));
    for (const key of keys) await client.call('XADD', key, '1-1', 'of', value(key));
    const from = keys.map(() => '0').join(' ');
    const all = keys.map((key) => [key, [['1-1', ['of', value(key)]]]]);
    for (let round = 0; round < 3; round += 1) {
      assert.equal(await call(client, `XREAD BLOCK 0 STREAMS ${names} ${from}`), all);
      assert.is(await client.call('PING'), 'PONG');
    }
  });

  blocking(`streams on ${what}: each entry goes to one of a group`, async () => {
    await makeGroups();
    const one = await waiting(`XREADGROUP GROUP g one BLOCK 0 STREAMS ${names} ${unread}`);
    const two = await waiting(`XREADGROUP GROUP g two BLOCK 0 STREAMS ${names} ${unread}`, 2);
    await client.call('XADD', second, '1-1', 'a', '1');
    assert.equal(await one.reply, [[second, [['1-1', ['a', '1']]]]]);
    await client.call('XADD', first, '1-1', 'b', '2');
    assert.equal(await two.reply, [[first, [['1-1', ['b', '2']]]]]);
    assert.equal(await call(client, `XPENDING ${second} g`), [1, '1-1', '1-1', [['one', '1']]]);
  });

  blocking(`streams on ${what}: only who is awaited is served`, async () => {
    const { reply } = await waiting(`XREAD BLOCK 0 STREAMS ${names} ${last}`);
    const pop = await waiting(`BLPOP ${first} 1`, 2);
    // No entries in the stream, so no group is checked; otherwise the second key would be an error.
    await client.call('XGROUP', 'CREATE', first, 'g', '$', 'MKSTREAM');
    await client.call('SET', second, 'text');
    assert.is(await pop.reply, null);
    await blocked(1);
    await client.call('DEL', second);
    await call(client, `XADD ${first} 1-1 a 1`);
    assert.equal(await reply, [[first, [['1-1', ['a', '1']]]]]);
  });

  blocking(`streams on ${what}: a group that goes is an error`, async () => {
    const ends = [`DEL ${second}`, `XGROUP DESTROY ${second} g`, `SET ${second} text`, 'FLUSHALL'];
    for (const end of ends) {
      await client.call('FLUSHALL');
      await makeGroups();
      const { reply } = await waiting(`XREADGROUP GROUP g c BLOCK 0 STREAMS ${names} ${unread}`);
      await call(client, end);
      assert.match(String(await reply), /^-(NOGROUP|WRONGTYPE)/, end);
    }
    await client.call('FLUSHALL');
    await client.call('XGROUP', 'CREATE', first, 'g', '$', 'MKSTREAM');
    await client.call('XADD', first, '1-1', 'a', '1');
    const lone = `XREADGROUP GROUP g c BLOCK 0 STREAMS ${names} ${unread}`;
    assert.match(String(await call(client, lone)), /^-NOGROUP/);
    const pending = await call(client, `XPENDING ${first} g`);
    assert.equal(pending, [0, null, null, null], 'nothing was delivered');
  });
}

blocking('what a transaction makes is seen when it is over, also where it lends keys', async () => {
  // PING has it conducted from main, RENAME lends between shards.
  const around = [
    ['PING'],
    ['SET', far, 'text'],
    ['RENAME', far, `${far}:renamed`],
    ['RENAME', near, `${near}:renamed`],
    ['RENAME', `${near}:renamed`, far],
  ];
  const list = await waiting(`BLPOP ${here} 0`);
  const stream = await waiting(`XREAD BLOCK 0 STREAMS ${third} $`, 2);
  await client.call('SET', near, 'text');
  await client.pipeline([
    ['MULTI'],
    ['RPUSH', here, 'gone'],
    ['XADD', third, '1-1', 'f', 'v'],
    ...around,
    ['XADD', third, '2-1', 'f', 'v'],
    ['LPOP', here],
    ['EXEC'],
  ]);
  const fields = ['f', 'v'];
  assert.equal(await stream.reply, [
    [
      third,
      [
        ['1-1', fields],
        ['2-1', fields],
      ],
    ],
  ]);
  await client.call('RPUSH', here, 'stays');
  assert.equal(await list.reply, [here, 'stays']);
});

blocking('what follows in the pipeline waits for the reply', async () => {
  const waiter = await newClient();
  const replies = waiter.pipeline([['BLPOP', here, '0'], ['GET', near], ['PING']]);
  await blocked(1);
  await client.pipeline([
    ['SET', near, 'late'],
    ['RPUSH', here, 'v'],
  ]);
  assert.equal(await replies, [[here, 'v'], 'late', 'PONG']);
});

blocking('many wait at once, each is served once', async () => {
  const count = 200;
  const waitingClients = await Promise.all(Array.from({ length: count }, () => newClient()));
  const replies = waitingClients.map((waiter, nth) =>
    waiter.call(nth % 2 === 0 ? 'BLPOP' : 'BRPOP', here, far, third, '0'),
  );
  await blocked(count);
  const pushers = await Promise.all([newClient(), newClient(), newClient()]);
  let next = 0;
  await Promise.all(
    pushers.map(async (pusher, nth) => {
      const key = [here, far, third][nth]!;
      while (next < count) {
        next += 1;
        await pusher.call('RPUSH', key, String(next));
      }
    }),
  );
  const values = (await Promise.all(replies)).map((reply) => (reply as string[])[1]);
  assert.is(new Set(values).size, count);
  await blocked(0);
  const left = (await client.pipeline([here, far, third].map((key) => ['LLEN', key]))) as number[];
  assert.is(
    left.reduce((sum, length) => sum + length, 0),
    next - count,
  );
});

const faults: readonly (readonly [line: string, reply: string])[] = [
  [`BLPOP ${here} x`, '-ERR timeout is not a float or out of range'],
  [`BLPOP ${here} ${far} x`, '-ERR timeout is not a float or out of range'],
  [`BLPOP ${here} ${far} -1`, '-ERR timeout is negative'],
  [`BRPOP ${here} 1e300`, '-ERR timeout is out of range'],
  [`BLMPOP 0 2 ${here} ${far} MIDDLE`, '-ERR syntax error'],
  [`BLMPOP 0 0 ${here} LEFT`, '-ERR numkeys should be greater than 0'],
  [`BLMPOP 0 2 ${here} ${far} LEFT COUNT 0`, '-ERR count should be greater than 0'],
  [`BLMOVE ${here} ${far} LEFT UP 0`, '-ERR syntax error'],
  [`BLMOVE ${here} ${far} LEFT LEFT never`, '-ERR timeout is not a float or out of range'],
  [`BRPOPLPUSH ${here} ${far} -0.5`, '-ERR timeout is negative'],
  [`BZPOPMIN ${here} ${far} nan`, '-ERR timeout is not a float or out of range'],
];
for (const [line, reply] of faults) {
  blocking(`${line} is refused`, async () => {
    assert.is(await call(client, line), reply);
    await blocked(0);
  });
}

blocking.run();
