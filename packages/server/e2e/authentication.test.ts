/** A password: who must give it, what happens before, and what changes while clients are there. */
import { ReplyError, startServer, talk, textOf, type ChildServer } from '#testkit';
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

authentication('DEBUG is for this machine unless the settings say otherwise', async () => {
  for (const [who, isAllowed] of [
    ['local', true],
    ['yes', true],
    ['no', false],
  ] as const) {
    const other = await startServer({
      args: ['--set', `security.enable-debug-command=${who}`],
    });
    const client = await other.client();
    const reply = await client.reply('DEBUG', 'SLEEP', '0');
    if (isAllowed) assert.is(reply, 'OK', who);
    else assert.match((reply as Error).message, /^ERR DEBUG command not allowed/);
    await other.stop();
  }
});

authentication.run();
