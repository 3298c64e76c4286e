/** A password: who must give it, what happens before, and what changes while clients are there. */
// test-tier: long
import { type ChildServer, ReplyError, startServer, talk, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const authentication = suite('authentication');

const PASSWORD = 'open sesame';
const WRONG = 'WRONGPASS invalid username-password pair or user is disabled.';
const REQUIRED = 'NOAUTH Authentication required.';

let server: ChildServer;

authentication.before(async () => {
  server = await startServer({ args: ['--requirepass', 'secret'], password: 'secret' });
  const admin = await server.client();
  await admin.call('AUTH', 'secret');
  await admin.call('CONFIG', 'SET', 'requirepass', PASSWORD);
});
authentication.after(async () => {
  await server.stop();
});

authentication('before it, only the door is open', async () => {
  const client = await server.client();
  const closed = [['GET', 'k'], ['PING'], ['CLIENT', 'ID'], ['MGET', 'a', 'b'], ['DBSIZE']];
  for (const words of closed) {
    assert.is(((await client.reply(...words)) as ReplyError).message, REQUIRED);
  }
  assert.match(textOf(await client.reply('HELLO', 3)), /NOAUTH HELLO must be called with/);
  assert.is(await client.call('RESET'), 'RESET');
  assert.is(await client.call('QUIT'), 'OK');
});

authentication('a wrong word is refused, the right one opens', async () => {
  const client = await server.client();
  for (const words of [['x'], ['default', 'x'], ['nobody', PASSWORD], ['']]) {
    assert.is(((await client.reply('AUTH', ...words)) as ReplyError).message, WRONG);
  }
  assert.is(((await client.reply('GET', 'k')) as ReplyError).message, REQUIRED);
  assert.is(await client.call('AUTH', PASSWORD), 'OK');
  assert.is(await client.call('GET', 'k'), null);
  assert.is(((await client.reply('AUTH', 'x')) as ReplyError).message, WRONG);
  assert.is(await client.call('PING'), 'PONG', 'a failed try takes nothing away');
});

authentication('AUTH takes the user too, and so does HELLO', async () => {
  const one = await server.client();
  assert.is(await one.call('AUTH', 'default', PASSWORD), 'OK');
  const other = await server.client();
  assert.ok((await other.call('HELLO', 3, 'AUTH', 'default', PASSWORD)) instanceof Map);
  assert.is(await other.call('PING'), 'PONG');
});

authentication('commands behind AUTH in a pipeline are let in', async () => {
  const client = await server.client();
  const replies = await client.pipeline([['PING'], ['AUTH', PASSWORD], ['PING']]);
  assert.ok(replies[0] instanceof ReplyError);
  assert.equal(replies.slice(1), ['OK', 'PONG']);
});

authentication('before it commands are short, after it as long as any', async () => {
  const many = `*11\r\n${'$1\r\nx\r\n'.repeat(11)}`;
  assert.is(await talk(server, many), '-ERR Protocol error: unauthenticated multibulk length\r\n');
  const long = `*2\r\n$4\r\nECHO\r\n$16385\r\n`;
  assert.is(await talk(server, long), '-ERR Protocol error: unauthenticated bulk length\r\n');
  const client = await server.client();
  await client.call('AUTH', PASSWORD);
  const keys = Array.from({ length: 100 }, (_, nth) => `key${nth}`);
  assert.is(await client.call('EXISTS', ...keys), 0);
  assert.is(((await client.call('ECHO', 'x'.repeat(100_000))) as string).length, 100_000);
});

authentication('RESET takes it back', async () => {
  const client = await server.client();
  await client.call('AUTH', PASSWORD);
  await client.call('RESET');
  assert.is(((await client.reply('PING')) as ReplyError).message, REQUIRED);
});

authentication('a new password counts for those who come, not for those who are in', async () => {
  const inside = await server.client();
  await inside.call('AUTH', PASSWORD);
  await inside.call('CONFIG', 'SET', 'requirepass', 'other');
  assert.is(await inside.call('PING'), 'PONG');
  const late = await server.client();
  assert.is(((await late.reply('AUTH', PASSWORD)) as ReplyError).message, WRONG);
  assert.is(await late.call('AUTH', 'other'), 'OK');
  await inside.call('CONFIG', 'SET', 'requirepass', '');
  const free = await server.client();
  assert.is(await free.call('PING'), 'PONG');
  assert.match(
    textOf(await free.reply('AUTH', 'x')),
    /AUTH <password> called without any password/,
  );
  await inside.call('CONFIG', 'SET', 'requirepass', PASSWORD);
  assert.is(await free.call('PING'), 'PONG');
});

const NOT_ALLOWED =
  'ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.';

/** Parts of DEBUG that disturb, or that Redis has and svc has not: words behind DEBUG. */
const DISTURBING = [
  ...['SLEEP 0', 'RELOAD', 'LOADAOF', 'POPULATE 1', 'SET-ACTIVE-EXPIRE 1', 'LOG x', 'DIGEST'],
  ...[
    'MAIN-SLEEP 0',
    'QUICKLIST-PACKED-THRESHOLD 100b',
    'PAUSE-CRON 0',
    'SEGFAULT',
    'PANIC',
    'JMAP',
    'RESTART',
  ],
];
const LOOKING = [
  ...['HELP', 'FLIGHT-RECORDER', 'TRACING STATUS', 'BUNDLE LIST', 'SHARD 0 HEAP', 'OBJECT k'],
  ...['DIGEST-VALUE k', 'HTSTATS 0', 'PROTOCOL string'],
];

authentication('parts of DEBUG that disturb are for nobody, the others for all', async () => {
  const other = await startServer({ allowsDebug: false, http: true });
  const client = await other.client();
  await client.call('SET', 'k', 1);
  assert.equal(await client.call('CONFIG', 'GET', 'enable-debug-command'), [
    'enable-debug-command',
    'no',
  ]);
  for (const words of DISTURBING) {
    const reply = await client.reply('DEBUG', ...words.split(' '));
    assert.is((reply as Error).message, NOT_ALLOWED, words);
  }
  for (const words of LOOKING) await client.call('DEBUG', ...words.split(' '));
  assert.is(await client.call('DBSIZE'), 1);
  const set = await client.reply('CONFIG', 'SET', 'enable-debug-command', 'yes');
  assert.match((set as Error).message, /can't set immutable config/);
  await client.call('MULTI');
  assert.is(((await client.reply('DEBUG', 'SLEEP', 1)) as Error).message, NOT_ALLOWED);
  assert.match(((await client.reply('EXEC')) as Error).message, /^EXECABORT/);
  await other.stop();
});

authentication('parts of DEBUG that disturb are for whom the settings say', async () => {
  for (const who of ['local', 'yes']) {
    const args = ['--set', `security.enable-debug-command=${who}`];
    const other = await startServer({ allowsDebug: false, args });
    const client = await other.client();
    assert.is(await client.call('DEBUG', 'SLEEP', '0'), 'OK', who);
    assert.match(((await client.reply('DEBUG', 'SEGFAULT')) as Error).message, /^ERR unknown sub/);
    await other.stop();
  }
});

authentication.run();
