/** CLIENT: who is connected, and what can be done to them. */
// test-again: SVC_SERVER__MULTIPLEXING_API=libuv
// test-again: SVC_SERVER__FRONT_THREADS=1
// test-again: TEST_TLS=1
// test-again: TEST_TLS=1 SVC_SERVER__FRONT_THREADS=1
import {
  type ChildServer,
  isSecure,
  type Reply,
  type ReplyError,
  type RespClient,
  startServer,
  talk,
  textOf,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const clients = suite('CLIENT');

let server: ChildServer;
let admin: RespClient;

clients.before(async () => {
  server = await startServer({ shards: 2 });
  admin = await server.client();
});
clients.after(async () => {
  await server.stop();
});

const fieldsOf = (line: string): Map<string, string> =>
  new Map(
    line
      .trimEnd()
      .split(' ')
      .map((field) => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]),
  );

const list = async (...words: string[]): Promise<Map<string, string>[]> =>
  textOf(await admin.call('CLIENT', 'LIST', ...words))
    .split('\n')
    .filter((line) => line !== '')
    .map(fieldsOf);

const message = async (client: RespClient, ...words: (string | number)[]): Promise<string> =>
  ((await client.reply(...words)) as ReplyError).message;

const isOpen = async (client: RespClient): Promise<boolean> =>
  client.call('PING').then(
    (reply) => reply === 'PONG',
    () => false,
  );

clients('LIST has the fields of Redis 7.4, in its order, and the totals behind them', async () => {
  const [me] = await list();
  assert.equal(
    [...me!.keys()],
    [
      ...['id', 'addr', 'laddr', 'fd', 'name', 'age', 'idle', 'flags', 'db', 'sub', 'psub', 'ssub'],
      ...['multi', 'watch', 'qbuf', 'qbuf-free', 'argv-mem', 'multi-mem', 'rbs', 'rbp', 'obl'],
      ...['oll', 'omem', 'tot-mem', 'events', 'cmd', 'user', 'redir', 'resp', 'lib-name'],
      ...['lib-ver', 'tot-net-in', 'tot-net-out', 'tot-cmds', ...(isSecure ? ['tls'] : [])],
    ],
  );
  assert.is(me!.get('addr'), `127.0.0.1:${String(admin.socket.localPort)}`);
  assert.is(me!.get('laddr'), `127.0.0.1:${server.port}`);
  assert.is(me!.get('cmd'), 'client|list');
  assert.is(me!.get('user'), 'default');
});

clients('LIST shows what a connection has set', async () => {
  const client = await server.client();
  await client.pipeline([
    ['SELECT', '5'],
    ['CLIENT', 'SETNAME', 'somebody'],
    ['CLIENT', 'SETINFO', 'LIB-NAME', 'lib'],
    ['CLIENT', 'SETINFO', 'lib-ver', '1.2.3'],
    ['CLIENT', 'NO-EVICT', 'ON'],
    ['CLIENT', 'NO-TOUCH', 'ON'],
    ['HELLO', '3'],
    ['GET', 'x'],
  ]);
  const id = textOf(await client.call('CLIENT', 'ID'));
  const [seen] = await list('ID', id);
  const shown = ['db', 'name', 'lib-name', 'lib-ver', 'flags', 'resp'].map((f) => seen!.get(f));
  assert.equal(shown, ['5', 'somebody', 'lib', '1.2.3', 'eT', '3']);
  assert.ok(Number(seen!.get('tot-net-in')) > 200);
  assert.ok(Number(seen!.get('tot-cmds')) >= 8);
  assert.equal(await list('TYPE', 'pubsub'), []);
  assert.ok((await list('TYPE', 'normal')).length >= 2);
  assert.equal(await list('ID', id, '999999').then((all) => all.map((one) => one.get('id'))), [id]);
  await client.end();
});

clients('names and library words are judged', async () => {
  assert.match(
    await message(admin, 'CLIENT', 'SETNAME', 'a b'),
    /^ERR Client names cannot contain/,
  );
  assert.match(
    await message(admin, 'CLIENT', 'SETINFO', 'LIB-NAME', 'a b'),
    /^ERR LIB-NAME cannot/,
  );
  assert.is(await message(admin, 'CLIENT', 'SETINFO', 'FOO', 'x'), "ERR Unrecognized option 'FOO'");
  assert.is(await message(admin, 'CLIENT', 'LIST', 'ID', 'x'), 'ERR Invalid client ID');
  assert.is(await message(admin, 'CLIENT', 'LIST', 'TYPE', 'x'), "ERR Unknown client type 'x'");
});

type Filter = (victim: RespClient, id: number) => readonly (string | number)[];

const filters: readonly (readonly [name: string, filter: Filter])[] = [
  ['ID', (_, id) => ['ID', id]],
  ['ADDR', (victim) => ['ADDR', `127.0.0.1:${String(victim.socket.localPort)}`]],
  ['the old form', (victim) => [`127.0.0.1:${String(victim.socket.localPort)}`]],
  ['ID and USER and TYPE', (_, id) => ['ID', id, 'USER', 'default', 'TYPE', 'normal']],
  ['ID and LADDR', (_, id) => ['ID', id, 'LADDR', `127.0.0.1:${server.port}`]],
];

for (const [name, filter] of filters) {
  clients(`KILL by ${name} ends that one only`, async () => {
    const victim = await server.client();
    const other = await server.client();
    const id = Number(await victim.call('CLIENT', 'ID'));
    const words = filter(victim, id);
    assert.is(await admin.call('CLIENT', 'KILL', ...words), words.length === 1 ? 'OK' : 1);
    await victim.closed;
    assert.ok(await isOpen(other));
    const again = await admin.reply('CLIENT', 'KILL', ...words);
    if (words.length === 1) assert.is((again as ReplyError).message, 'ERR No such client');
    else assert.is(again, 0);
    await other.end();
  });
}

clients('KILL by LADDR, TYPE and MAXAGE spares whom it should', async () => {
  const victims = [await server.client(), await server.client()];
  assert.is(await admin.call('CLIENT', 'KILL', 'MAXAGE', 1_000), 0);
  assert.is(await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub'), 0);
  assert.is(await admin.call('CLIENT', 'KILL', 'ID', 999_999), 0);
  assert.is(await admin.call('CLIENT', 'KILL', 'LADDR', `127.0.0.1:${server.port}`), 2);
  for (const victim of victims) await victim.closed;
  assert.ok(await isOpen(admin), 'who asks is spared');
});

clients('KILL takes the largest ids and ages that there are', async () => {
  const most = '9223372036854775807';
  assert.is(await admin.call('CLIENT', 'KILL', 'MAXAGE', most), 0);
  assert.is(await admin.call('CLIENT', 'KILL', 'ID', most), 0);
});

clients('KILL SKIPME no ends who asks too, after its answer', async () => {
  const me = await server.client();
  const id = Number(await me.call('CLIENT', 'ID'));
  const replies = me.pipeline([['CLIENT', 'KILL', 'ID', id, 'SKIPME', 'no'], ['PING']]);
  assert.match(String(await replies.catch((error: unknown) => error)), /connection is closed/);
  const answer = await talk(server, 'CLIENT KILL TYPE normal SKIPME no\r\nPING\r\n');
  assert.match(answer, /^:\d+\r\n$/);
  admin = await server.client();
});

const killFaults: readonly (readonly [words: readonly string[], said: string])[] = [
  [['ID', '0'], 'ERR client-id should be greater than 0'],
  [['ID', 'x'], 'ERR client-id should be greater than 0'],
  [['TYPE', 'x'], "ERR Unknown client type 'x'"],
  [['USER', 'x'], "ERR No such user 'x'"],
  [['SKIPME', 'maybe'], 'ERR syntax error'],
  [['FOO', 'x'], 'ERR syntax error'],
  [['ID', '1', 'ADDR'], 'ERR syntax error'],
  [['1.2.3.4:5'], 'ERR No such client'],
];

for (const [words, said] of killFaults) {
  clients(`KILL ${words.join(' ')} is refused`, async () => {
    assert.is(await message(admin, 'CLIENT', 'KILL', ...words), said);
  });
}

/** Microseconds on the server's clock. */
const serverTime = async (client: RespClient): Promise<number> => {
  const [seconds, us] = (await client.call('TIME')) as string[];
  return Number(seconds) * 1_000_000 + Number(us);
};

clients('PAUSE ALL holds everything back, even from who paused', async () => {
  const client = await server.client();
  const before = await serverTime(client);
  assert.is(await admin.call('CLIENT', 'PAUSE', 300), 'OK');
  const [there, here] = await Promise.all([serverTime(client), serverTime(admin)]);
  assert.ok(there >= before + 300_000);
  assert.ok(here >= before + 300_000);
});

clients('PAUSE WRITE lets reads through, and UNPAUSE the rest in order', async () => {
  const client = await server.client();
  await admin.call('SET', 'seen', 'before');
  assert.is(await admin.call('CLIENT', 'PAUSE', 100_000, 'WRITE'), 'OK');
  assert.is(await client.call('GET', 'seen'), 'before');
  const order: string[] = [];
  const written = client
    .pipeline([
      ['GET', 'seen'],
      ['SET', 'seen', 'after'],
      ['GET', 'seen'],
    ])
    .then((replies) => {
      order.push('written');
      return replies;
    });
  const other = await server.client();
  assert.is(await other.call('GET', 'seen'), 'before');
  order.push('unpause');
  assert.is(await admin.call('CLIENT', 'UNPAUSE'), 'OK');
  assert.equal(await written, ['before', 'OK', 'after']);
  assert.equal(order, ['unpause', 'written']);
});

clients('a PAUSE ends by itself', async () => {
  assert.is(await admin.call('CLIENT', 'PAUSE', 50), 'OK');
  assert.is(await admin.call('SET', 'after', 'pause'), 'OK');
  assert.is(
    await message(admin, 'CLIENT', 'PAUSE', 'x'),
    'ERR timeout is not an integer or out of range',
  );
  assert.is(await message(admin, 'CLIENT', 'PAUSE', -1), 'ERR timeout is negative');
  assert.is(
    await message(admin, 'CLIENT', 'PAUSE', 1, 'FOO'),
    'ERR CLIENT PAUSE mode must be WRITE or ALL',
  );
  assert.is(await message(admin, 'CLIENT', 'PAUSE', 1, 'ALL', 'x'), wrongForm('PAUSE'));
});

const wrongForm = (name: string): string =>
  `ERR unknown subcommand or wrong number of arguments for '${name}'. Try CLIENT HELP.`;

/** Commands sent, and all replies to them. */
const replyModes: readonly (readonly [sent: string, answered: string])[] = [
  ['CLIENT REPLY ON|PING', '+OK|+PONG'],
  ['CLIENT REPLY OFF|PING|GET k|NOSUCH|CLIENT REPLY ON|PING a', '+OK|$1|a'],
  ['CLIENT REPLY SKIP|PING a|PING b', '$1|b'],
  ['CLIENT REPLY SKIP|CLIENT REPLY ON|PING', '+OK|+PONG'],
  ['CLIENT REPLY SKIP|NOSUCH|PING', '+PONG'],
  ['CLIENT REPLY SKIP|GET a b|PING', '+PONG'],
  ['CLIENT REPLY SKIP|SET k v|GET k', '$1|v'],
  ['CLIENT REPLY SKIP|MSET a 1 b 2 c 3|GET b', '$1|2'],
  ['CLIENT REPLY SKIP|DBSIZE|PING', '+PONG'],
  ['CLIENT REPLY SKIP|RENAME a z|GET z', '$1|1'],
  ['CLIENT REPLY OFF|MSET x 1 y 2|RENAME x w|CLIENT REPLY ON|MGET x w', '+OK|*2|$-1|$1|1'],
  ['CLIENT REPLY OFF|CLIENT REPLY SKIP|PING|CLIENT REPLY ON', '+OK'],
  ['CLIENT REPLY OFF|RESET|PING', '+RESET|+PONG'],
];

for (const [sent, answered] of replyModes) {
  clients(sent.replaceAll('|', '; '), async () => {
    const bytes = `${sent}|ECHO end|`.replaceAll('|', '\r\n');
    const answer = `${answered}|$3|end|`.replaceAll('|', '\r\n');
    assert.is(await talk(server, bytes, '$3\r\nend\r\n'), answer);
  });
}

clients('UNBLOCK says whether anybody was waiting', async () => {
  const client = await server.client();
  const id = Number(await client.call('CLIENT', 'ID'));
  assert.is(await admin.call('CLIENT', 'UNBLOCK', id), 0);
  assert.is(await admin.call('CLIENT', 'UNBLOCK', 999_999), 0);
  assert.is(
    await message(admin, 'CLIENT', 'UNBLOCK', id, 'FOO'),
    'ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR',
  );
  assert.is(await message(admin, 'CLIENT', 'UNBLOCK', id, 'ERROR', 'x'), wrongForm('UNBLOCK'));
});

clients('WAIT holds up its own connection only, and answers when its time is over', async () => {
  const client = await server.client();
  const order: string[] = [];
  const waited = client.pipeline([['WAIT', '1', '300'], ['PING']]).then((replies) => {
    order.push('waited');
    return replies;
  });
  while (!(await list()).some((one) => one.get('flags') === 'b'));
  assert.is(await admin.call('PING'), 'PONG');
  order.push('other');
  assert.equal(await waited, [0, 'PONG']);
  assert.equal(order, ['other', 'waited']);
  assert.is(await client.call('WAIT', 0, 0), 0);
});

clients('UNBLOCK ends a WAIT as its time-out would, or with an error', async () => {
  const client = await server.client();
  const id = Number(await client.call('CLIENT', 'ID'));
  for (const [reason, reply] of [
    ['TIMEOUT', '0'],
    ['ERROR', 'UNBLOCKED client unblocked via CLIENT UNBLOCK'],
  ] as const) {
    const waited = client.reply('WAIT', '1', '0');
    while (!(await list()).some((one) => one.get('flags') === 'b'));
    assert.is(await admin.call('CLIENT', 'UNBLOCK', id, reason), 1);
    const answer = await waited;
    assert.is(answer instanceof Error ? answer.message : textOf(answer), reply);
    assert.is(await client.call('PING'), 'PONG');
  }
});

clients('NO-TOUCH leaves the clocks of keys alone', async () => {
  const client = await server.client();
  const idle = async (): Promise<Reply> => admin.call('OBJECT', 'IDLETIME', 'touched');
  await admin.call('SET', 'touched', 'x');
  await client.call('CLIENT', 'NO-TOUCH', 'ON');
  while (Number(await idle()) < 1);
  await client.call('GET', 'touched');
  assert.ok(Number(await idle()) >= 1);
  assert.is(await client.call('TOUCH', 'touched'), 1);
  assert.is(await idle(), 0);
  await client.call('GET', 'touched');
  await client.call('CLIENT', 'NO-TOUCH', 'OFF');
  await client.call('GET', 'touched');
  assert.is(await idle(), 0);
});

clients('LIST names the last command as Redis does, DEBUG without what follows', async () => {
  const client = await server.client();
  const id = Number(await client.call('CLIENT', 'ID'));
  const last = async (): Promise<string | undefined> =>
    (await list('ID', String(id)))[0]?.get('cmd');
  assert.is(await last(), 'client|id');
  await client.call('DEBUG', 'SLEEP', '0');
  assert.is(await last(), 'debug');
  await client.call('CONFIG', 'GET', 'hz');
  assert.is(await last(), 'config|get');
  await client.end();
});

clients.run();
