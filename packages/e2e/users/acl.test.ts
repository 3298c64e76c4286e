/** Users by commands: permissions, on one shard and across several, and reports of denials. */

import {
  byName,
  type ChildServer,
  keyPerShard,
  type Reply,
  ReplyError,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const acl = suite('ACL');

const SHARDS = 3;

let server: ChildServer;
let admin: RespClient;

acl.before(async () => {
  server = await startServer({ shards: SHARDS });
  admin = await server.client();
});
acl.after(async () => {
  await server.stop();
});

function errorOf(reply: Reply): string {
  return reply instanceof ReplyError ? reply.message : `no error: ${textOf(reply)}`;
}

async function loggedIn(name: string, ...rules: readonly string[]): Promise<RespClient> {
  await admin.call('ACL', 'SETUSER', name, 'reset', 'on', '>secret', ...rules);
  const client = await server.client();
  await client.call('AUTH', name, 'secret');
  return client;
}

async function newestDenial(): Promise<ReadonlyMap<string, Reply>> {
  const [entry] = (await admin.call('ACL', 'LOG', '1')) as readonly Reply[];
  return byName(entry);
}

acl('a user is made, shown, listed, changed and deleted', async () => {
  await admin.call('ACL', 'SETUSER', 'anna', 'on', '>pw', '~a*', '&c*', '+get', '(+set ~b*)');
  const user = byName(await admin.call('ACL', 'GETUSER', 'anna'));
  assert.equal(user.get('flags'), ['on', 'sanitize-payload']);
  assert.is(user.get('commands'), '-@all +get');
  assert.is(user.get('keys'), '~a*');
  assert.is(user.get('channels'), '&c*');
  assert.is((user.get('selectors') as readonly Reply[]).length, 1);
  assert.equal(
    [...user.keys()],
    ['flags', 'passwords', 'commands', 'keys', 'channels', 'selectors'],
  );
  assert.ok(((await admin.call('ACL', 'USERS')) as readonly Reply[]).includes('anna'));
  const lines = (await admin.call('ACL', 'LIST')) as readonly string[];
  assert.ok(lines.some((line) => line.startsWith('user anna on sanitize-payload #')));
  await admin.call('ACL', 'SETUSER', 'anna', 'ratelimit:cps=10');
  const limited = byName(await admin.call('ACL', 'GETUSER', 'anna'));
  assert.is(limited.get('ratelimit'), 'ratelimit:cps=10');
  assert.is(await admin.call('ACL', 'DELUSER', 'anna', 'nobody'), 1);
  assert.is(await admin.call('ACL', 'GETUSER', 'anna'), null);
});

acl('a refused change changes nothing', async () => {
  await admin.call('ACL', 'SETUSER', 'bert', 'on', '+get');
  const before = await admin.call('ACL', 'GETUSER', 'bert');
  for (const rules of [['off', 'x'], ['+set', '+nothing'], ['(+set', '~a'], ['<unknown']]) {
    assert.match(errorOf(await admin.reply('ACL', 'SETUSER', 'bert', ...rules)), /^ERR /);
  }
  assert.equal(await admin.call('ACL', 'GETUSER', 'bert'), before);
});

acl('categories, trial runs and passwords', async () => {
  assert.ok(((await admin.call('ACL', 'CAT')) as readonly Reply[]).includes('scripting'));
  assert.ok(((await admin.call('ACL', 'CAT', 'hash')) as readonly Reply[]).includes('hset'));
  assert.is(errorOf(await admin.reply('ACL', 'CAT', 'x')), "ERR Unknown category 'x'");
  await admin.call('ACL', 'SETUSER', 'dora', 'reset', '+@read', '~d*');
  const dry = (...words: readonly string[]): Promise<Reply> =>
    admin.reply('ACL', 'DRYRUN', 'dora', ...words);
  assert.is(await dry('GET', 'd1'), 'OK');
  assert.is(await dry('GET', 'x'), "User dora has no permissions to access the 'x' key");
  assert.is(await dry('SET', 'd', '1'), "User dora has no permissions to run the 'set' command");
  assert.is(errorOf(await dry('NOTHING')), "ERR Command 'NOTHING' not found");
  assert.is(errorOf(await dry('GET')), "ERR wrong number of arguments for 'get' command");
  assert.is(
    errorOf(await admin.reply('ACL', 'DRYRUN', 'nobody', 'GET', 'x')),
    "ERR User 'nobody' not found",
  );
  assert.is(((await admin.call('ACL', 'GENPASS')) as string).length, 64);
  assert.is(((await admin.call('ACL', 'GENPASS', '5')) as string).length, 2);
  assert.match(errorOf(await admin.reply('ACL', 'GENPASS', '4097')), /GENPASS argument must be/);
  assert.ok(((await admin.call('ACL', 'HELP')) as readonly Reply[]).length > 20);
  assert.is(await admin.call('ACL', 'WHOAMI'), 'default');
});

acl('without a file there is nothing to load or save', async () => {
  for (const word of ['LOAD', 'SAVE']) {
    assert.match(errorOf(await admin.reply('ACL', word)), /is not configured to use an ACL file/);
  }
});

acl('keys of all shards are judged in one command', async () => {
  const keys = keyPerShard(SHARDS).map((key) => `e:${key}`);
  const client = await loggedIn('emil', '+@all', '~e:*');
  assert.is(await client.call('MSET', ...keys.flatMap((key) => [key, '1'])), 'OK');
  const refusal = 'NOPERM No permissions to access a key';
  assert.is(errorOf(await client.reply('MGET', ...keys, 'other')), refusal);
  assert.is(errorOf(await client.reply('DEL', 'other', ...keys)), refusal);
  assert.is(await client.call('EXISTS', ...keys), SHARDS);
  const denial = await newestDenial();
  assert.is(denial.get('reason'), 'key');
  assert.is(denial.get('object'), 'other');
  assert.is(denial.get('username'), 'emil');
  assert.match(textOf(denial.get('client-info')), / cmd=del user=emil /);
});

acl('a transaction is judged when it is queued, and again by rules that have changed', async () => {
  const client = await loggedIn('fred', '+@all', '~f*');
  await client.call('MULTI');
  assert.match(errorOf(await client.reply('SET', 'x', '1')), /^NOPERM/);
  assert.match(errorOf(await client.reply('EXEC')), /^EXECABORT/);
  assert.is((await newestDenial()).get('context'), 'multi');
  await client.pipeline([['MULTI'], ['SET', 'f1', '1'], ['INCR', 'f2'], ['GET', 'f1']]);
  await admin.call('ACL', 'SETUSER', 'fred', '-incr');
  const [set, increment, get] = (await client.call('EXEC')) as readonly Reply[];
  assert.equal([set, get], ['OK', '1']);
  assert.match(
    errorOf(increment!),
    /^NOPERM ACLs rules changed between the moment .* no permission to execute/,
  );
  assert.is(await admin.call('GET', 'f2'), null);
});

acl('EXEC says of each command why it is forbidden now', async () => {
  const client = await loggedIn('fritz', '+@all', '~*', '&*');
  await client.pipeline([['MULTI'], ['SET', 'f1', '1'], ['GET', 'f2'], ['PUBLISH', 'c', 'm']]);
  await admin.call('ACL', 'SETUSER', 'fritz', '-set', 'resetkeys', 'resetchannels');
  const reason = /^NOPERM ACLs rules changed .* for the following reason: (.*)$/;
  const replies = (await client.call('EXEC')) as readonly Reply[];
  assert.equal(
    replies.map((reply) => reason.exec(errorOf(reply))?.[1]),
    [
      'no permission to execute the command or subcommand',
      'no permission to touch the specified keys',
      'no permission to access one of the channels used as arguments',
    ],
  );
  const denial = await newestDenial();
  assert.is(denial.get('context'), 'multi');
  assert.match(textOf(denial.get('client-info')), / cmd=exec user=fritz /);
});

acl('of a long key, channel or name that was denied, the log keeps the beginning', async () => {
  const client = await loggedIn('felix', '+@all', '~f*', 'resetchannels');
  const long = 'x'.repeat(100_000);
  const kept = 'x'.repeat(4_096);
  const newest = async (field: string): Promise<Reply | undefined> =>
    (await newestDenial()).get(field);
  await client.reply('GET', long);
  assert.is(await newest('object'), kept);
  await admin.call('ACL', 'LOG', 'RESET');
  await client.reply('EVAL', `return redis.call('PUBLISH', ARGV[1], '')`, '0', long);
  await until(async () => (await newest('object')) === kept, 'the shard has told it');
  await client.reply('AUTH', long, 'secret');
  assert.is(await newest('username'), kept);
});

acl('rules that can be read in two ways hold in scripts as outside of them', async () => {
  const client = await loggedIn(
    'frida',
    '+@all',
    '-get',
    '(~a) +get)',
    String.raw`(~"\"\"*" +get)`,
  );
  const denied = /No permissions to access a key/;
  assert.is(await client.call('GET', 'a)'), null);
  assert.is(await client.call('GET', '""x'), null);
  assert.match(errorOf(await client.reply('GET', 'x')), denied);
  const script = "return redis.call('GET', ARGV[1])";
  assert.is(await client.call('EVAL', script, '0', 'a)'), null);
  assert.is(await client.call('EVAL', script, '0', '""x'), null);
  assert.match(errorOf(await client.reply('EVAL', script, '0', 'x')), denied);
  await admin.call('ACL', 'DELUSER', 'frida');
});

acl('a transaction that takes its own rights away is stopped there', async () => {
  const client = await loggedIn('gina', '+@all', '~*');
  const replies = await client.pipeline([
    ['MULTI'],
    ['SET', 'g', '1'],
    ['ACL', 'SETUSER', 'gina', '-set'],
    ['SET', 'g', '2'],
    ['EXEC'],
  ]);
  const [first, , last] = replies[4] as readonly Reply[];
  assert.is(first, 'OK');
  assert.match(errorOf(last!), /^NOPERM/);
  assert.is(await admin.call('GET', 'g'), '1');
});

acl('what scripts call is judged by who runs them', async () => {
  const [own, other] = keyPerShard(2).map((key) => `h:${key}`);
  const client = await loggedIn('hans', '+@all', '-incr', '~h:*');
  const run = (script: string, ...keys: readonly string[]): Promise<Reply> =>
    client.reply('EVAL', script, String(keys.length), ...keys);
  assert.is(await run("return redis.call('SET', KEYS[1], 'x')", own!), 'OK');
  assert.match(
    errorOf(await run("return redis.call('GET', 'secret')", own!)),
    /^ERR ACL failure in script: No permissions to access a key script: /,
  );
  assert.match(
    errorOf(await run("return redis.call('INCR', KEYS[1])", own!)),
    /User hans has no permissions to run the 'incr' command/,
  );
  const denial = await newestDenial();
  assert.is(denial.get('context'), 'lua');
  assert.is(denial.get('object'), 'incr');
  // On another shard, which main has to ask.
  assert.is(
    await run("redis.call('SET', KEYS[1], 1) return redis.call('SET', ARGV[1] or 'h:z', 2)", own!),
    'OK',
  );
  assert.match(
    errorOf(await run(`return redis.call('GET', 'x:${other!}')`, own!)),
    /^ERR ACL failure/,
  );
  const checks =
    "return {redis.acl_check_cmd('GET', 'h:1') and 1 or 0, redis.acl_check_cmd('GET', 'x') and 1 or 0}";
  assert.equal(await run(checks), [1, 0]);
  assert.match(
    errorOf(await run("return redis.acl_check_cmd('nothing')")),
    /Invalid command passed/,
  );
  await admin.call('ACL', 'SETUSER', 'hans', '-eval');
  assert.match(errorOf(await run('return 1')), /^NOPERM User hans/);
});

acl('SORT reads what values name only for those who may read all', async () => {
  const client = await loggedIn('ines', '+@all', '~list');
  await admin.call('RPUSH', 'list', 'a', 'b');
  for (const [option, word] of [
    ['BY', 'w*'],
    ['GET', 'w*'],
    ['GET', '#'],
  ] as const) {
    assert.is(
      errorOf(await client.reply('SORT', 'list', 'ALPHA', option, word)),
      `ERR ${option} option of SORT denied due to insufficient ACL permissions.`,
    );
  }
  assert.equal(await client.call('SORT', 'list', 'ALPHA'), ['a', 'b']);
  assert.equal(await client.call('SORT', 'list', 'BY', 'nosort'), ['a', 'b']);
  const script = "return redis.call('SORT', KEYS[1], 'BY', 'w*')";
  assert.match(
    errorOf(await client.reply('EVAL', script, '1', 'list')),
    /BY option of SORT denied/,
  );
  await admin.call('ACL', 'SETUSER', 'ines', '%R~*');
  assert.equal(await client.call('SORT', 'list', 'ALPHA', 'BY', 'w*'), ['a', 'b']);
});

acl('a client that waits is judged when it is served', async () => {
  const [one, other] = keyPerShard(2).map((key) => `j:${key}`);
  for (const [name, keys] of [
    ['jan', [one!]],
    ['jane', [one!, other!]],
  ] as const) {
    const client = await loggedIn(name, '+@all', '~j:*');
    const waiting = client.reply('BLPOP', ...keys, '0');
    await until(
      async () => textOf(await admin.call('CLIENT', 'LIST')).includes(` flags=b `),
      'waits',
    );
    await admin.call('ACL', 'SETUSER', name, 'resetkeys');
    await admin.call('RPUSH', one!, 'x');
    assert.is(errorOf(await waiting), 'NOPERM No permissions to access a key', name);
    assert.is(await admin.call('LPOP', one!), 'x', 'nothing was taken');
  }
});

acl(
  'what waits for keys of several shards is judged when it is served, however it is run',
  async () => {
    const [one, other] = keyPerShard(2).map((key) => `w:${key}`) as [string, string];
    const waits: readonly (readonly [wait: readonly string[], push: readonly string[]])[] = [
      [
        ['BLMOVE', one, other, 'LEFT', 'LEFT', '0'],
        ['RPUSH', one, 'v'],
      ],
      [
        ['BLMOVE', other, one, 'LEFT', 'LEFT', '0'],
        ['RPUSH', other, 'v'],
      ],
      [
        ['BLMPOP', '0', '2', one, other, 'LEFT'],
        ['RPUSH', other, 'v'],
      ],
      [
        ['BZPOPMIN', one, other, '0'],
        ['ZADD', other, '1', 'v'],
      ],
      [
        ['XREAD', 'BLOCK', '0', 'STREAMS', one, other, '$', '$'],
        ['XADD', other, '*', 'f', 'v'],
      ],
    ];
    for (const [wait, push] of waits) {
      await admin.call('DEL', one, other);
      const client = await loggedIn('wim', '+@all', '~w:*');
      const waiting = client.reply(...wait);
      await until(
        async () => textOf(await admin.call('CLIENT', 'LIST')).includes(` flags=b `),
        'waits',
      );
      await admin.call('ACL', 'SETUSER', 'wim', 'resetkeys');
      await admin.call(...push);
      assert.is(errorOf(await waiting), 'NOPERM No permissions to access a key', wait[0]);
      assert.is(await admin.call('EXISTS', one, other), 1, 'nothing was taken');
    }
  },
);

acl('channels: who may publish and listen, and who is closed', async () => {
  const client = await loggedIn('kurt', '+@all', '&news:*');
  assert.is(await client.call('PUBLISH', 'news:1', 'x'), 0);
  const refusal = 'NOPERM No permissions to access a channel';
  assert.is(errorOf(await client.reply('PUBLISH', 'other', 'x')), refusal);
  assert.is(errorOf(await client.reply('SUBSCRIBE', 'news:1', 'other')), refusal);
  assert.is(errorOf(await client.reply('PSUBSCRIBE', 'news:1')), refusal);
  assert.is(errorOf(await client.reply('SPUBLISH', 'other', 'x')), refusal);
  const listener = await loggedIn('lena', '+@all', '&news:*', '&more');
  await listener.call('SUBSCRIBE', 'news:1');
  await admin.call('ACL', 'SETUSER', 'lena', 'resetchannels', '&news:*', '&other');
  assert.equal(await listener.call('PING'), ['pong', ''], 'what it listens to is allowed still');
  await admin.call('ACL', 'SETUSER', 'lena', 'resetchannels');
  await listener.closed;
});

acl('deleting users closes their clients; who deletes itself is answered first', async () => {
  const client = await loggedIn('mia', '+@all', '~*');
  const other = await loggedIn('nina', '+@all');
  assert.is(await client.call('ACL', 'DELUSER', 'mia', 'nina'), 2);
  await Promise.all([client.closed, other.closed]);
  assert.match(errorOf(await admin.reply('ACL', 'DELUSER', 'default')), /cannot be removed/);
});

acl('failed logins are counted, logged as one entry, and cost nobody anything', async () => {
  await admin.call('ACL', 'LOG', 'RESET');
  await admin.call('CONFIG', 'RESETSTAT');
  const clients = await Promise.all(Array.from({ length: 50 }, () => server.client()));
  for (const client of clients) {
    assert.match(errorOf(await client.reply('AUTH', 'nobody', 'x')), /^WRONGPASS/);
    assert.match(errorOf(await client.reply('HELLO', '3', 'AUTH', 'nobody', 'x')), /^WRONGPASS/);
  }
  const info = textOf(await admin.call('INFO', 'stats'));
  assert.match(info, /acl_access_denied_auth:100\r/);
  const entries = (await admin.call('ACL', 'LOG')) as readonly (readonly Reply[])[];
  assert.equal(
    entries.map((entry) => byName(entry).get('count')),
    [50, 50],
  );
  assert.is(await admin.call('ACL', 'LOG', 'RESET'), 'OK');
  assert.equal(await admin.call('ACL', 'LOG'), []);
});

acl('the default user may be switched off, or have a password', async () => {
  await admin.call('ACL', 'SETUSER', 'root', 'on', '>root', '+@all', '~*', '&*');
  await admin.call('AUTH', 'root', 'root');
  await admin.call('ACL', 'SETUSER', 'default', 'off');
  const client = await server.client();
  assert.is(errorOf(await client.reply('PING')), 'NOAUTH Authentication required.');
  await admin.call('ACL', 'SETUSER', 'default', 'on');
  assert.is(await (await server.client()).call('PING'), 'PONG');
  await admin.call('CONFIG', 'SET', 'requirepass', 'x');
  assert.is(
    errorOf(await (await server.client()).reply('PING')),
    'NOAUTH Authentication required.',
  );
  await admin.call('CONFIG', 'SET', 'requirepass', '');
  assert.is(await (await server.client()).call('PING'), 'PONG');
});

acl.run();
