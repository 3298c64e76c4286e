/** Filters of CLIENT LIST and CLIENT KILL, with their negations. */
import {
  type ChildServer,
  letTimePass,
  type RespClient,
  type ReplyError,
  startServer,
  textOf,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const filters = suite('client filters');

let server: ChildServer;
let admin: RespClient;
let one: RespClient;
let other: RespClient;
/** Ids of the three. */
let ids: Record<'admin' | 'one' | 'other', number>;

filters.before(async () => {
  server = await startServer({ shards: 1 });
  admin = await server.client();
  await admin.call('ACL', 'SETUSER', 'guest', 'on', 'nopass', '+@all', '~*');
});
filters.after(async () => {
  await server.stop();
});
filters.before.each(async () => {
  one = await server.client();
  other = await server.client();
  await one.call('AUTH', 'guest', 'x');
  await one.call('CLIENT', 'SETNAME', 'one');
  await one.call('CLIENT', 'SETINFO', 'LIB-NAME', 'lib');
  await one.call('CLIENT', 'SETINFO', 'LIB-VER', '1.2');
  await one.call('CLIENT', 'NO-TOUCH', 'on');
  await one.call('CLIENT', 'NO-EVICT', 'on');
  await one.call('SELECT', 3);
  await other.call('SUBSCRIBE', 'channel');
  const idOf = async (client: RespClient): Promise<number> =>
    Number(await client.call('CLIENT', 'ID'));
  const lines = await listed();
  const known = new Set([await idOf(admin), await idOf(one)]);
  const [subscriber = 0] = lines.filter((id) => !known.has(id));
  ids = { admin: await idOf(admin), one: await idOf(one), other: subscriber };
});
filters.after.each(async () => {
  await Promise.all([one.end(), other.end()]);
});

async function listed(...words: (string | number)[]): Promise<number[]> {
  const text = textOf(await admin.call('CLIENT', 'LIST', ...words));
  return [...text.matchAll(/^id=(\d+)/gm)].map(([, id]) => Number(id));
}

const message = async (...words: (string | number)[]): Promise<string> =>
  ((await admin.reply('CLIENT', ...words)) as ReplyError).message;

type Who = keyof typeof ids;

/** Filters with a negation, and who of the three passes them. */
const cases: readonly (readonly [word: string, value: () => string | number, who: Who[]])[] = [
  ['ID', () => ids.one, ['one']],
  ['TYPE', () => 'pubsub', ['other']],
  ['TYPE', () => 'normal', ['admin', 'one']],
  ['USER', () => 'guest', ['one']],
  ['ADDR', () => `127.0.0.1:${one.socket.localPort!}`, ['one']],
  ['LADDR', () => `127.0.0.1:${server.port}`, ['admin', 'one', 'other']],
  ['NAME', () => 'one', ['one']],
  ['NAME', () => '', ['admin', 'other']],
  ['LIB-NAME', () => 'lib', ['one']],
  ['LIB-VER', () => '1.2', ['one']],
  ['IP', () => '127.0.0.1', ['admin', 'one', 'other']],
  ['IP', () => '127.0.0', []],
  ['FLAGS', () => 'P', ['other']],
  ['FLAGS', () => 'Te', ['one']],
  ['FLAGS', () => 'TP', []],
  ['FLAGS', () => 'N', ['admin']],
  ['DB', () => 3, ['one']],
  ['CAPA', () => 'r', []],
];

for (const [word, value, who] of cases) {
  const all: readonly Who[] = ['admin', 'one', 'other'];
  const others = all.filter((each) => !who.includes(each));
  for (const [filter, passing] of [
    [word, who],
    [`NOT-${word}`, others],
  ] as const) {
    filters(`${filter} passes ${passing.join(', ') || 'none'} (${who.length} of 3)`, async () => {
      const expected = passing.map((each) => ids[each]).sort((a, b) => a - b);
      assert.equal(
        (await listed(filter, value())).sort((a, b) => a - b),
        expected,
      );
      const killed = await admin.call('CLIENT', 'KILL', filter.toLowerCase(), value());
      assert.is(
        killed,
        passing.filter((each) => each !== 'admin').length,
        'KILL spares its client',
      );
      if (passing.includes('one')) await one.closed;
      if (passing.includes('other')) await other.closed;
      assert.is(await admin.call('PING'), 'PONG');
    });
  }
}

filters('several filters must all pass; of two alike the last one counts', async () => {
  assert.equal(await listed('NOT-TYPE', 'pubsub', 'NOT-USER', 'default'), [ids.one]);
  assert.equal(await listed('NAME', 'none', 'NAME', 'one'), [ids.one]);
  assert.equal(await listed('USER', 'guest', 'DB', 0), []);
  assert.equal(await listed('SKIPME', 'yes', 'TYPE', 'normal'), [ids.one]);
  assert.equal((await listed('SKIPME', 'no')).length, 3);
});

filters('several ids, in their order, before and behind other filters', async () => {
  assert.equal(await listed('ID', ids.other, ids.one, 999_999), [ids.other, ids.one]);
  assert.equal(await listed('ID', ids.other, ids.one, 'TYPE', 'normal'), [ids.one]);
  assert.equal(await listed('TYPE', 'normal', 'ID', ids.other, ids.one), [ids.one]);
  assert.equal(await listed('NOT-ID', ids.other, ids.one), [ids.admin]);
  assert.equal(await listed('ID', ids.other, 'ID', ids.one), [ids.other, ids.one]);
  assert.is(await admin.call('CLIENT', 'KILL', 'ID', ids.one, ids.one, ids.admin), 1);
  await one.closed;
});

filters('IDLE and MAXAGE are least numbers of seconds', async () => {
  await letTimePass(admin, 1_000);
  await one.call('PING');
  assert.equal(await listed('IDLE', 1), [ids.other]);
  assert.equal((await listed('MAXAGE', 1)).length, 3);
  assert.equal(await listed('IDLE', 1_000), []);
});

const faults: readonly (readonly [words: readonly (string | number)[], error: string])[] = [
  [['IDLE', 'x'], 'ERR idle is not an integer or out of range'],
  [['IDLE', 0], 'ERR idle should be greater than 0'],
  [['MAXAGE', 'x'], 'ERR maxage is not an integer or out of range'],
  [['MAXAGE', -1], 'ERR maxage should be greater than 0'],
  [['FLAGS', 'Q'], 'ERR Unknown flags found in the provided filter: Q'],
  [['NOT-FLAGS', 'NQ'], 'ERR Unknown flags found in the NOT-FLAGS filter: NQ'],
  [['CAPA', 'x'], 'ERR Unknown capa found in the provided filter: x'],
  [['NOT-CAPA', 'x'], 'ERR Unknown capa found in the NOT-CAPA filter: x'],
  [['DB', 'x'], 'ERR DB is not an integer or out of range'],
  [['DB', 16], 'ERR DB number should be between 0 and 15'],
  [['NOT-DB', -1], 'ERR NOT-DB number should be between 0 and 15'],
  [['NOT-USER', 'nobody'], "ERR No such user 'nobody'"],
  [['NOT-TYPE', 'x'], "ERR Unknown client type 'x'"],
  [['NOT-SKIPME', 'yes'], 'ERR syntax error'],
  [['NOT-MAXAGE', 1], 'ERR syntax error'],
  [['SKIPME', 'perhaps'], 'ERR syntax error'],
  [['ID', 'TYPE', 'normal'], 'ERR syntax error'],
  [['NOT-ID', 'NAME', 'x'], 'ERR syntax error'],
  [['TYPE', 'normal', 'NAME'], 'ERR syntax error'],
  [['FOO', 'x'], 'ERR syntax error'],
];

for (const [words, error] of faults) {
  filters(`${words.join(' ')} is refused by LIST and KILL`, async () => {
    assert.is(await message('LIST', ...words), error);
    assert.is(await message('KILL', ...words), error);
  });
}

filters('ids that are none', async () => {
  assert.is(await message('LIST', 'ID', 'x'), 'ERR Invalid client ID');
  assert.is(await message('LIST', 'NOT-ID', 'x'), 'ERR Invalid client ID');
  assert.is(await message('LIST', 'ID', 1, 'x'), 'ERR Invalid client ID');
  assert.is(await message('KILL', 'ID', 1, 'x'), 'ERR syntax error');
  assert.is(await message('KILL', 'ID', 1, 0), 'ERR client-id should be greater than 0');
  assert.is(await message('KILL', 'NOT-ID', 'x'), 'ERR client-id should be greater than 0');
});

filters.run();
