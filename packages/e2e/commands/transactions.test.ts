/** MULTI over any shards and databases: atomic, isolated, and refused when a watched key has changed. */
// test-again: TEST_SPILLS=1
import {
  type ChildServer,
  keyPerShard,
  letTimePass,
  ReplyError,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const transactions = suite('transactions');

const SHARDS = 3;
const [one = '', two = '', three = ''] = keyPerShard(SHARDS, 'tx');

let server: ChildServer;
let client: RespClient;
let other: RespClient;

transactions.before(async () => {
  server = await startServer({ shards: SHARDS });
});
transactions.after(async () => {
  await server.stop();
});
transactions.before.each(async () => {
  client = await server.client();
  other = await server.client();
  await client.call('FLUSHALL');
});
transactions.after.each(async () => {
  await client.end();
  await other.end();
});

/** Sends lines one after the other; errors as `-TEXT`. */
async function lines(of: RespClient, ...texts: readonly string[]): Promise<unknown[]> {
  const replies: unknown[] = [];
  for (const text of texts) {
    const [reply] = await of.pipeline([text.split(' ')]);
    replies.push(reply instanceof ReplyError ? `-${reply.message}` : reply);
  }
  return replies;
}

const last = async (of: RespClient, ...texts: readonly string[]): Promise<unknown> =>
  (await lines(of, ...texts)).at(-1);

transactions('wait for a WATCH that waits for its keys', async () => {
  const long = Array.from({ length: 100_000 }, () => 'x'.repeat(20));
  for (const watched of [[one], [one, three]]) {
    const replies = await client.pipeline([
      ['RPUSH', two, ...long],
      ['RENAME', two, one],
      ['WATCH', ...watched],
      ['MULTI'],
      ['EXEC'],
      ['SET', one, 'changed by nobody else'],
      ['MULTI'],
      ['TYPE', one],
      ['EXEC'],
    ]);
    assert.equal(replies.slice(4, 5), [[]]);
    assert.equal(replies.at(-1), ['string']);
  }
});

transactions('are not judged by what is watched for the next', async () => {
  const keys = [one, two, three];
  for (const watched of [[], [one], keys]) {
    const replies = await client.pipeline([
      ...(watched.length > 0 ? [['WATCH', ...watched]] : []),
      ['MULTI'],
      ['MSET', ...keys.flatMap((key) => [key, '1'])],
      ['EXEC'],
      ['WATCH', ...keys.map((key) => `${key}:next`)],
      ['MSET', ...keys.flatMap((key) => [`${key}:next`, '1'])],
      ['MULTI'],
      ['DBSIZE'],
      ['EXEC'],
    ]);
    assert.equal(
      replies.filter((reply) => typeof reply === 'object'),
      [['OK'], null],
    );
  }
});

transactions('that wait have what they waited for, whatever is watched behind them', async () => {
  const replies = await client.pipeline([
    ['COPY', 'a', 'key:2'],
    ['WATCH', 'b'],
    ['MULTI'],
    ['GET', 'key:2'],
    ['EXEC'],
    ['WATCH', ''],
    ['MULTI'],
    ['HSET', '{tag}1', 'field', 'value'],
    ['SET', '', 'value'],
    ['EXEC'],
    ['STRLEN', '{tag}1'],
    ['WATCH', '{tag}1'],
  ]);
  assert.equal(replies.slice(-3, -2), [[1, 'OK']]);
  assert.match((replies.at(-2) as Error).message, /^WRONGTYPE/);
});

transactions('run though the groups of a watched stream went on', async () => {
  await lines(client, `XADD ${one} 5-1 f v`, `XGROUP CREATE ${one} g 0`);
  const advances = [
    `XGROUP CREATE ${one} h $`,
    `XGROUP CREATECONSUMER ${one} g c`,
    `XREADGROUP GROUP g d STREAMS ${one} >`,
    `XCLAIM ${one} g e 0 5-1`,
    `XAUTOCLAIM ${one} g f 0 0`,
    `XACK ${one} g 5-1`,
    `XGROUP DELCONSUMER ${one} g c`,
    `XGROUP SETID ${one} g 0`,
    `XGROUP DESTROY ${one} h`,
    `XSETID ${one} 6-1`,
  ];
  for (const advance of advances) {
    const run = await lines(client, `WATCH ${one}`, advance, 'MULTI', `XLEN ${one}`, 'EXEC');
    assert.equal(run.at(-1), [1], advance);
  }
  for (const change of [`XADD ${one} 7-1 f v`, `XTRIM ${one} MAXLEN 1`, `XDEL ${one} 7-1`]) {
    assert.is(await last(client, `WATCH ${one}`, change, 'MULTI', 'PING', 'EXEC'), null, change);
  }
  const made = `XGROUP CREATE ${two} g $ MKSTREAM`;
  assert.is(await last(client, `WATCH ${two}`, made, 'MULTI', 'PING', 'EXEC'), null);
});

transactions('run on keys of all shards at once', async () => {
  const replies = await lines(
    client,
    'MULTI',
    `SET ${one} 1`,
    `SET ${two} 2`,
    `RENAME ${two} ${three}`,
    `MGET ${one} ${two} ${three}`,
    `INCR ${one}`,
    'EXEC',
  );
  assert.equal(replies.slice(0, 2), ['OK', 'QUEUED']);
  assert.equal(replies.at(-1), ['OK', 'OK', 'OK', ['1', null, '2'], 2]);
  assert.equal(await last(other, `MGET ${one} ${three}`), ['2', '2']);
});

transactions('go on after a command that fails', async () => {
  const reply = (await last(
    client,
    'MULTI',
    `SET ${one} text`,
    `INCR ${one}`,
    `SET ${two} 2`,
    'EXEC',
  )) as unknown[];
  assert.equal([reply[0], reply[2]], ['OK', 'OK']);
  assert.match((reply[1] as Error).message, /not an integer/);
});

transactions('are conducted from main where a command is not a shard’s alone', async () => {
  const reply = await last(
    client,
    'MULTI',
    `SET ${one} 0`,
    'SELECT 3',
    `SET ${one} 3`,
    `SET ${two} 3`,
    'DBSIZE',
    'ECHO here',
    'FLUSHDB',
    'DBSIZE',
    'EXEC',
  );
  assert.equal(reply, ['OK', 'OK', 'OK', 'OK', 2, 'here', 'OK', 0]);
  assert.is(await last(client, 'DBSIZE'), 0, 'the connection stays in the database selected');
  assert.is(await last(other, `GET ${one}`), '0');
});

transactions('wait for nothing', async () => {
  assert.equal(await last(client, 'MULTI', 'WAIT 1 0', `SET ${one} 1`, 'EXEC'), [0, 'OK']);
});

transactions('without commands answer nothing', async () => {
  assert.equal(await last(client, 'MULTI', 'EXEC'), []);
  assert.equal(await last(client, 'MULTI', 'PING', 'EXEC'), ['PONG']);
});

const REFUSED = 'Transaction discarded because of';
const faults: readonly (readonly [texts: readonly string[], reply: unknown])[] = [
  [['EXEC'], '-ERR EXEC without MULTI'],
  [['EXEC now'], `-EXECABORT ${REFUSED}: wrong number of arguments for 'exec' command`],
  [['MULTI', 'EXEC now'], `-EXECABORT ${REFUSED}: wrong number of arguments for 'exec' command`],
  [['MULTI', 'EXEC now', 'EXEC'], '-ERR EXEC without MULTI'],
  [
    ['SUBSCRIBE c', 'EXEC'],
    `-EXECABORT ${REFUSED}: Can't execute 'exec': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
  ],
  [['DISCARD'], '-ERR DISCARD without MULTI'],
  [['MULTI', 'MULTI'], '-ERR MULTI calls can not be nested'],
  [['MULTI', `WATCH ${one}`], '-ERR WATCH inside MULTI is not allowed'],
  [['MULTI', 'MULTI', 'PING', 'EXEC'], ['PONG']],
  [['MULTI', 'NOSUCH', 'EXEC'], '-EXECABORT Transaction discarded because of previous errors.'],
  [['MULTI', 'GET', 'EXEC'], '-EXECABORT Transaction discarded because of previous errors.'],
  [['MULTI', 'CONFIG', 'EXEC'], '-EXECABORT Transaction discarded because of previous errors.'],
  [['MULTI', 'CONFIG NO', 'EXEC'], '-EXECABORT Transaction discarded because of previous errors.'],
  [['MULTI', 'NOSUCH', 'EXEC', 'EXEC'], '-ERR EXEC without MULTI'],
  [['MULTI', `SET ${one} 1`, 'DISCARD', `EXISTS ${one}`], 0],
  [['MULTI', `SET ${one} 1`, 'RESET', `EXISTS ${one}`], 0],
  [[`WATCH ${one}`, `SET ${one} 1`, 'UNWATCH', 'MULTI', 'PING', 'EXEC'], ['PONG']],
];
for (const [texts, reply] of faults) {
  transactions(texts.join('; '), async () => {
    assert.equal(await last(client, ...texts), reply);
  });
}

/** Commands of another client between WATCH and EXEC, and true when the transaction is then run. */
const meanwhile: readonly (readonly [texts: readonly string[], isRun: boolean])[] = [
  [[], true],
  [[`GET ${two}`], true],
  [[`SET ${two} same`], false],
  [[`SET ${two} v`], false],
  [[`EXPIRE ${two} 100`], false],
  [[`DEL ${two}`], false],
  [[`RENAME ${two} ${one}`], false],
  [[`RENAME ${one} ${two}`], false],
  [[`MSETNX ${one}x 1 ${three}x 1`], true],
  [['FLUSHALL'], false],
  [['SELECT 1', 'FLUSHDB'], true],
  [['SWAPDB 0 1'], false],
  [['SWAPDB 2 1'], true],
  [['MULTI', `SET ${two} v`, `SET ${three} v`, 'EXEC'], false],
  [['MULTI', `GET ${two}`, `SET ${three} v`, 'EXEC'], true],
  [['MULTI', `SET ${two} v`, 'DBSIZE', 'EXEC'], false],
];
for (const [texts, isRun] of meanwhile) {
  for (const conducted of [false, true]) {
    const name = `WATCH, then ${texts.join('; ') || 'nothing'}${conducted ? ', conducted' : ''}`;
    transactions(name, async () => {
      await client.call('MSET', one, 'v', two, 'v');
      await client.call('WATCH', two, `${two}:absent`);
      await lines(other, ...texts);
      const body = conducted ? ['PING'] : [];
      const reply = await last(client, 'MULTI', `SET ${three} done`, ...body, 'EXEC');
      assert.equal(reply, isRun ? ['OK', ...(conducted ? ['PONG'] : [])] : null);
      assert.equal(await last(client, 'MULTI', 'PING', 'EXEC'), ['PONG'], 'the watch is over');
    });
  }
}

transactions('a watched key that expires ends the transaction', async () => {
  // On a loaded machine the watch itself may come late.
  await lines(client, `SET ${one} v PX 500`, `WATCH ${one}`);
  await letTimePass(other, 500);
  assert.is(await last(client, 'MULTI', `SET ${two} 1`, 'EXEC'), null);
});

transactions('a watch ends with its connection', async () => {
  const gone = await server.client();
  await gone.call('WATCH', one);
  await gone.end();
  assert.match(textOf(await client.call('CLIENT', 'INFO')), / multi=-1 watch=0 /);
  // The slot of the disconnected client is reused by another one without watches.
  const next = await server.client();
  await other.call('SET', one, 'x');
  assert.equal(await last(next, 'MULTI', `GET ${one}`, 'EXEC'), ['x']);
  await next.end();
});

transactions('CLIENT LIST tells what is queued and watched', async () => {
  await lines(client, `WATCH ${one} ${two} ${one}`, 'MULTI', 'PING', `GET ${one}`);
  const list = textOf(await other.call('CLIENT', 'LIST'));
  assert.match(list, / flags=x .* multi=2 watch=2 /);
});

transactions('commands behind an EXEC are answered behind it', async () => {
  const replies = await client.pipeline([
    ['MULTI'],
    ['SET', one, '1'],
    ['DBSIZE'],
    ['EXEC'],
    ['GET', one],
    ['PING'],
  ]);
  assert.equal(replies.slice(3), [['OK', 1], '1', 'PONG']);
});

transactions('a transaction whose client hangs up before the end is run to its end', async () => {
  for (let round = 0; round < 20; round += 1) {
    const brief = await server.client();
    const sent = brief.pipeline([
      ['MULTI'],
      ['SET', one, String(round)],
      ['DBSIZE'],
      ['SET', two, String(round)],
      ['EXEC'],
    ]);
    brief.socket.destroy();
    await sent.catch(() => undefined);
    const [first, second] = (await client.call('MGET', one, two)) as (string | null)[];
    assert.is(first, second);
  }
  assert.is(await client.call('PING'), 'PONG');
});

transactions('money is neither made nor lost', async () => {
  const accounts = [...keyPerShard(SHARDS, 'a'), ...keyPerShard(SHARDS, 'b')];
  await client.call('MSET', ...accounts.flatMap((account) => [account, '100']));
  const pick = (): string => accounts[Math.floor(Math.random() * accounts.length)]!;
  let isOver = false;
  let looks = 0;
  const transfer = async (nth: number): Promise<void> => {
    const own = await server.client();
    for (let round = 0; round < 40; round += 1) {
      const amount = String(1 + (round % 7));
      const conducted = (nth + round) % 10 === 0 ? [['DBSIZE']] : [];
      await own.pipeline([
        ['MULTI'],
        ['DECRBY', pick(), amount],
        ...conducted,
        ['INCRBY', pick(), amount],
        ['EXEC'],
      ]);
    }
    await own.end();
  };
  const check = async (byMulti: boolean): Promise<void> => {
    const own = await server.client();
    while (!isOver) {
      let balances: unknown[];
      if (byMulti) {
        const gets = accounts.map((account) => ['GET', account]);
        balances = (await own.pipeline([['MULTI'], ...gets, ['EXEC']])).at(-1) as unknown[];
      } else {
        balances = (await own.call('MGET', ...accounts)) as unknown[];
      }
      const total = balances.reduce((sum: number, balance) => sum + Number(balance), 0);
      assert.is(total, 100 * accounts.length);
      looks += 1;
    }
    await own.end();
  };
  const checks = [check(true), check(false)];
  const transfers = Array.from({ length: 20 }, (_, nth) => transfer(nth));
  await Promise.all(transfers).finally(() => (isOver = true));
  await Promise.all(checks);
  assert.ok(looks > 5);
});

transactions('a queue that outgrows the query buffer limit ends its client', async () => {
  await client.call('CONFIG', 'SET', 'client-query-buffer-limit', '1mb');
  const greedy = await server.client();
  const value = 'x'.repeat(300_000);
  await greedy.call('MULTI');
  const sent = greedy.pipeline(new Array<string[]>(5).fill(['SET', one, value]));
  let failed = false;
  await sent.catch(() => (failed = true));
  assert.ok(failed);
  await client.call('CONFIG', 'SET', 'client-query-buffer-limit', '1gb');
  assert.is(await client.call('PING'), 'PONG');
});

transactions('a queue of many short commands outgrows the limit, too', async () => {
  await client.call('CONFIG', 'SET', 'client-query-buffer-limit', '1mb');
  const greedy = await server.client();
  await greedy.call('MULTI');
  let failed = false;
  await greedy.pipeline(new Array<string[]>(25_000).fill(['PING'])).catch(() => (failed = true));
  assert.ok(failed);
  await client.call('CONFIG', 'SET', 'client-query-buffer-limit', '1gb');
});

const BUSY = 'local t = 0 for i = 1, 3000000 do t = t + i end return 1';

for (const [way, others] of [
  ['on one shard', []],
  [
    'over shards',
    [
      ['SET', two, '1'],
      ['EVAL', BUSY, '1', three],
    ],
  ],
  [
    'that all shards stand still for',
    [['DBSIZE'], ['MSET', two, '1', three, '2'], ['KEYS', 'none']],
  ],
] as const) {
  transactions(`no key expires within a transaction ${way}`, async () => {
    const replies = await client.pipeline([
      ['MULTI'],
      ['SET', one, 'x', 'PX', '1'],
      ['EVAL', BUSY, '1', one],
      ...others,
      ['GET', one],
      ['PTTL', one],
      ['LPUSH', one, 'y'],
      ['EXEC'],
    ]);
    const [get, ttl, push] = (replies.at(-1) as unknown[]).slice(-3);
    assert.equal([get, ttl], ['x', 1]);
    assert.match(textOf(push as ReplyError), /^WRONGTYPE/);
    await until(async () => (await client.call('EXISTS', one)) === 0, 'it expires behind it');
  });
}

transactions('what a WATCH costs does not grow with the keys watched before', async () => {
  const began = performance.now();
  const watches = Array.from({ length: 20_000 }, (_, nth) => ['WATCH', `key:${nth}`]);
  await client.pipeline([...watches, ['UNWATCH']]);
  assert.ok(performance.now() - began < 10_000, 'takes less than 10 s');
});

transactions('a limit of memory that is set inside evicts after it', async () => {
  const fill = Array.from({ length: 300 }, (_, nth) => ['SET', `limit:${nth}`, 'x'.repeat(10_000)]);
  await client.pipeline(fill);
  await client.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  const replies = await lines(
    client,
    ...['MULTI', 'SET other v', 'CONFIG SET maxmemory 1mb', 'SET another v', 'DBSIZE', 'EXEC'],
  );
  assert.equal(replies.at(-1), ['OK', 'OK', 'OK', 302]);
  await until(async () => Number(await client.call('DBSIZE')) < 302, 'keys are evicted');
  await client.call('CONFIG', 'SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
});

transactions.run();
