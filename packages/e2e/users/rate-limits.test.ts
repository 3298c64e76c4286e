/** Rate limits of users: refused and exempt commands, and reports of refusals. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  byName,
  type ChildServer,
  type Reply,
  ReplyError,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const limits = suite('rate limits');

const COMMANDS = 'ERR rate limit exceeded: commands per second';
const BYTES = 'ERR rate limit exceeded: bytes per second';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-limits-'));

let server: ChildServer;
let admin: RespClient;

limits.before(async () => {
  const file = path.join(folder, 'users.acl');
  writeFileSync(file, '');
  server = await startServer({ args: ['--set', `security.acl-file=${file}`] });
  admin = await server.client();
});
limits.after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function clientOf(name: string): Promise<RespClient> {
  const client = await server.client();
  await client.call('AUTH', name, 'x');
  return client;
}

async function limited(name: string, ...rules: readonly string[]): Promise<RespClient> {
  await admin.call('ACL', 'SETUSER', name, 'reset', 'on', 'nopass', '+@all', '~*', '&*', ...rules);
  return clientOf(name);
}

function refusals(replies: readonly Reply[], text: string): number {
  return replies.filter((reply) => reply instanceof ReplyError && reply.message === text).length;
}

limits('INFO tells of them only while there are any', async () => {
  assert.not.match(textOf(await admin.call('INFO')), /# Ratelimit/);
  await admin.call('ACL', 'SETUSER', 'x', 'ratelimit:cps=1');
  assert.match(textOf(await admin.call('INFO', 'ratelimit')), /ratelimit_users_configured:1\r/);
  await admin.call('ACL', 'SETUSER', 'x', 'resetratelimit');
  assert.not.match(textOf(await admin.call('INFO')), /# Ratelimit/);
});

limits('commands: one second at once, over all connections of a user', async () => {
  // A day's worth is as good as none while the test runs.
  const one = await limited('anna', 'ratelimit:cps=20');
  const other = await clientOf('anna');
  const burst = Array.from({ length: 200 }, () => ['GET', 'k']);
  const replies = [...(await one.pipeline(burst)), ...(await other.pipeline(burst))];
  const refused = refusals(replies, COMMANDS);
  assert.ok(refused >= 200 && refused <= 380, String(refused));
  const info = textOf(await admin.call('INFO', 'ratelimit'));
  assert.match(info, new RegExp(`ratelimit_total_commands_rejected:${refused}\\r`));
  const stats = byName(await admin.call('ACL', 'STATS', 'anna'));
  assert.is(stats.get('limited-commands'), refused);
});

limits('what a client needs to find its way is free', async () => {
  const client = await limited('bert', 'ratelimit:cps=1');
  await client.pipeline(Array.from({ length: 5 }, () => ['GET', 'k']));
  for (const words of [['PING'], ['AUTH', 'bert', 'x'], ['HELLO', '2']]) {
    assert.not((await client.reply(...words)) instanceof ReplyError, words[0]);
  }
  assert.is(await client.call('RESET'), 'RESET');
});

limits('EXEC is charged with its batch, a script is one command', async () => {
  const client = await limited('carl', 'ratelimit:cps=100000');
  await client.call('EVAL', "for i = 1, 1000 do redis.call('GET', 'k') end", '0');
  await admin.call('ACL', 'SETUSER', 'carl', 'ratelimit:cps=10');
  const queue = Array.from({ length: 30 }, () => ['GET', 'k']);
  // Queueing is free, MULTI is one; a bucket that is not full does not pay for 30.
  const replies = await client.pipeline([['MULTI'], ...queue, ['EXEC']]);
  assert.is(replies.filter((reply) => textOf(reply) === 'QUEUED').length, 30);
  assert.match((replies.at(-1) as ReplyError).message, /rate limit exceeded: commands per second/);
});

limits('bytes are those of commands and replies', async () => {
  const client = await limited('dora', 'ratelimit:bps=10000');
  await admin.call('SET', 'long', 'x'.repeat(50_000));
  const value = 'x'.repeat(1_000);
  const replies = await client.pipeline(Array.from({ length: 100 }, () => ['SET', 'k', value]));
  const refused = refusals(replies, BYTES);
  assert.ok(refused >= 50 && refused <= 91, String(refused));
  await admin.call('ACL', 'SETUSER', 'dora', 'resetratelimit');
  await admin.call('ACL', 'SETUSER', 'dora', 'ratelimit:bps=10000');
  assert.is(((await client.call('GET', 'long')) as string).length, 50_000);
  assert.is(((await client.reply('GET', 'k')) as ReplyError).message, BYTES);
  assert.match(
    textOf(await admin.call('INFO', 'ratelimit')),
    /ratelimit_total_bytes_rejected:[1-9]/,
  );
});

// Paths by which bytes could leave without being charged. A debt of many seconds, so that no clock decides.
const LONG = 200_000;

async function assertInDebt(name: string): Promise<void> {
  const client = await clientOf(name);
  assert.is(((await client.reply('GET', 'k')) as ReplyError).message, BYTES);
  await client.end();
}

limits('a reply is charged though its connection sends nothing more, and is closed', async () => {
  await admin.call('SET', 'long', 'x'.repeat(LONG));
  const client = await limited('gina', 'ratelimit:bps=1000');
  assert.is(((await client.call('GET', 'long')) as string).length, LONG);
  await assertInDebt('gina');
  await client.end();
  await assertInDebt('gina');
});

limits('a reply is charged though its client becomes another user, or logs in again', async () => {
  await admin.call('SET', 'long', 'x'.repeat(LONG));
  for (const [name, between] of [
    ['hans', [['AUTH', 'hans', 'x']]],
    ['hugo', [['RESET'], ['AUTH', 'hugo', 'x']]],
    ['hera', [['HELLO', '3', 'AUTH', 'hera', 'x']]],
  ] as const) {
    const client = await limited(name, 'ratelimit:bps=1000');
    const replies = await client.pipeline([['GET', 'long'], ...between, ['GET', 'long']]);
    assert.is((replies.at(-1) as ReplyError).message, BYTES, name);
    await client.end();
    await assertInDebt(name);
  }
});

limits('a change of rules that leaves the limit leaves the debt', async () => {
  await admin.call('SET', 'long', 'x'.repeat(LONG));
  const client = await limited('ines', 'ratelimit:bps=1000');
  await client.call('GET', 'long');
  await admin.call('ACL', 'SETUSER', 'ines', '-flushall');
  await assertInDebt('ines');
});

limits('replies of before are not charged to a new limit', async () => {
  await admin.call('SET', 'long', 'x'.repeat(LONG));
  const client = await limited('ivan');
  await client.call('GET', 'long');
  await admin.call('ACL', 'SETUSER', 'ivan', 'ratelimit:bps=1000');
  assert.is(await client.call('GET', 'nothing'), null);
});

limits('bytes of free commands are charged', async () => {
  const client = await limited('jana', 'ratelimit:bps=1000');
  const text = 'x'.repeat(50_000);
  for (let nth = 0; nth < 4; nth += 1) assert.is(await client.call('PING', text), text);
  await assertInDebt('jana');
});

limits('published messages are charged', async () => {
  const client = await limited('karl', 'ratelimit:bps=1000');
  const messages = '*3\r\n$7\r\nmessage\r\n';
  let heard = '';
  await client.call('SUBSCRIBE', 'news');
  client.socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')));
  for (let nth = 0; nth < 4; nth += 1) await admin.call('PUBLISH', 'news', 'x'.repeat(50_000));
  await until(() => heard.split(messages).length === 5 && heard.length > LONG, 'all have come');
  await assertInDebt('karl');
});

limits('ACL LOAD fills no bucket of a user whose limit stays', async () => {
  const client = await limited('mona', 'ratelimit:cps=1', 'ratelimit:bps=1000');
  await client.call('SET', 'k', 'x'.repeat(LONG));
  await admin.call('ACL', 'SAVE');
  await admin.call('ACL', 'LOAD');
  await assertInDebt('mona');
});

limits('LATENCY DOCTOR names a user that is refused much', async () => {
  const client = await limited('fred', 'ratelimit:cps=1');
  await client.pipeline(Array.from({ length: 150 }, () => ['GET', 'k']));
  const report = textOf(await admin.call('LATENCY', 'DOCTOR'));
  assert.match(report, /- The rate limit of user fred has refused 1[45]\d commands/);
});

limits('a limit does not keep a refused client out for good', async () => {
  const client = await limited('emil', 'ratelimit:bps=200');
  for (let nth = 0; nth < 5; nth += 1) {
    const isServed = async (): Promise<boolean> =>
      !((await client.reply('GET', 'nothing')) instanceof ReplyError);
    await until(isServed, 'the bucket has filled');
  }
});

limits('commands that cannot be run are charged as others', async () => {
  for (const [nth, words] of [
    ['NOSUCH'],
    ['GET'],
    ['CONFIG'],
    ['CONFIG', 'NOSUCH'],
    ['SELECT', '1'],
  ].entries()) {
    const client = await limited(`lena${nth}`, '-select', 'ratelimit:cps=10');
    const replies = await client.pipeline(Array.from({ length: 200 }, () => words));
    const refused = refusals(replies, COMMANDS);
    assert.ok(refused >= 100 && refused <= 190, `${words.join(' ')}: ${refused}`);
  }
});

limits.run();
