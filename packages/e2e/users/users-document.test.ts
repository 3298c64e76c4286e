/** Users over HTTP: their rules in words and without passwords, their counts and clients, and who was denied what. */
import { createHash } from 'node:crypto';
import { type ChildServer, request, type RespClient, startServer, textOf, until } from '#testkit';
import type { UserReport, UsersDocument } from '#api-types';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const documents = suite('users over HTTP');

const PASSWORD = 'a-password-of-the-test';
const HASH = createHash('sha256').update(PASSWORD).digest('hex');
/** No UTF-8. */
const BYTES = Buffer.from([0x6e, 0xff, 0x6d]);

let server: ChildServer;
let admin: RespClient;

documents.before(async () => {
  server = await startServer({ http: true, shards: 2 });
  admin = await server.client();
  await admin.call('ACL', 'SETUSER', BYTES);
});
documents.after(async () => {
  await server.stop();
});

async function ask(query = ''): Promise<UsersDocument> {
  let answer = await request(server.httpPort, `/debug/api/users${query}`);
  // On a busy machine main may be late, and the ops thread says so.
  await until(async () => {
    if (answer.status === 503) answer = await request(server.httpPort, `/debug/api/users${query}`);
    return answer.status !== 503;
  }, 'main answers');
  assert.is(answer.status, 200, answer.text);
  assert.not.ok(answer.text.includes(HASH) || answer.text.includes(PASSWORD));
  return answer.json() as UsersDocument;
}

async function userOf(name: string): Promise<UserReport> {
  const user = (await ask()).users.find((each) => each.name === name);
  assert.ok(user !== undefined, name);
  return user;
}

documents('a user with its rules, counts and clients', async () => {
  const rules = [
    'on',
    `>${PASSWORD}`,
    '+@all',
    '-del',
    '~a#*',
    '%R~b',
    '(+get ~c)',
    'ratelimit:cps=5000',
  ];
  await admin.call('ACL', 'SETUSER', 'anna', ...rules);
  const anna = await server.client();
  await anna.call('AUTH', 'anna', PASSWORD);
  await anna.call('SET', 'a#1', 'text');
  for (const words of [
    ['DEL', 'a#1'],
    ['SET', 'b', '1'],
    ['PUBLISH', 'x', '1'],
    ['INCR', 'a#1'],
  ]) {
    await anna.reply(...words);
  }
  const user = await userOf('anna');
  assert.equal(user.flags, ['on', 'sanitize-payload']);
  const [line] = ((await admin.call('ACL', 'LIST')) as string[]).filter((each) =>
    each.startsWith('user anna'),
  );
  assert.is(`user anna ${user.rules}`, line!.replace(`#${HASH}`, '#(hidden)'));
  assert.ok(user.rules_in_words.includes('Keys: reads b; reads and writes a#*.'));
  assert.equal(user.denied, { auth: 0, command: 1, key: 1, channel: 1 });
  assert.equal([user.connections, user.errors], [1, 4]);
  assert.ok(user.commands! >= 2 && user.time_us! > 0 && user.bytes_in! > 0 && user.bytes_out! > 0);
  assert.equal(user.limits, { commands_per_sec: 5_000, bytes_per_sec: null });
  assert.equal(user.clients, [await anna.call('CLIENT', 'ID')]);
  await anna.end();
});

documents('who was denied what, newest first', async () => {
  await admin.call('ACL', 'LOG', 'RESET');
  await admin.call('ACL', 'SETUSER', 'bert', 'reset', 'on', 'nopass', '+@all', '~a');
  const bert = await server.client();
  await bert.reply('AUTH', 'nobody', PASSWORD);
  await bert.call('AUTH', 'bert', 'x');
  for (let nth = 0; nth < 4; nth += 1) await bert.call('GET', 'a');
  await bert.reply('GET', Buffer.from([0xff, 0x41]));
  await bert.reply('GET', Buffer.from([0xff, 0x41]));
  await bert.reply('GET', 'x'.repeat(5_000));
  const { denials } = await ask();
  assert.equal(
    denials.map(({ reason, context, user, count }) => [reason, context, user, count]),
    [
      ['key', 'toplevel', 'bert', 1],
      ['key', 'toplevel', 'bert', 2],
      ['auth', 'toplevel', 'nobody', 1],
    ],
  );
  assert.equal(
    denials.map(({ object }) => object),
    ['x'.repeat(1_024), '\xffA', 'AUTH'],
  );
  assert.match(denials[0]!.client, /^id=\d+ addr=.* user=bert /);
  assert.ok(denials[1]!.updated_time_ms >= denials[1]!.created_time_ms);
  await bert.end();
});

documents('names of any bytes; all users are counted, though few are told', async () => {
  assert.is((await userOf('n\xffm')).rules_in_words[0], 'May not log in: it is off.');
  const one = await ask('?count=1');
  assert.equal([one.users.map(({ name }) => name), one.defined > 2], [['default'], true]);
  assert.is((await ask('?count=-1')).users.length, one.defined);
});

documents('users add up to the totals, with those who are gone', async () => {
  await admin.call('ACL', 'DELUSER', 'bert');
  const { users, others } = await ask('?count=-1');
  assert.ok(others!.commands >= 4);
  const sum = [...users, others!].reduce((total, { commands }) => total + commands!, 0);
  const info = textOf(await admin.call('INFO', 'stats'));
  // INFO is counted when it is done.
  assert.is(sum, Number(/^total_commands_processed:(\d+)/m.exec(info)![1]));
});

documents(
  'too many users for counts of their own have none, and are told with the others',
  async () => {
    await admin.pipeline(
      Array.from({ length: 1_100 }, (_, nth) => [
        'ACL',
        'SETUSER',
        `u${nth}`,
        'on',
        'nopass',
        '+@all',
      ]),
    );
    const late = await server.client();
    await late.call('AUTH', 'u1099', 'x');
    await until(
      async () => (await ask('?count=-1')).others!.connections === 1,
      'it is counted with the others',
    );
    const document = await ask('?count=-1');
    const user = document.users.find(({ name }) => name === 'u1099')!;
    assert.equal(
      [user.connections, user.commands, user.denied, user.limited],
      [null, null, null, null],
    );
    assert.equal(user.clients, [await late.call('CLIENT', 'ID')]);
    await late.end();
  },
);

documents('RESETSTAT takes no bytes from anybody', async () => {
  await admin.call('CONFIG', 'SET', 'hz', '1');
  const carl = await server.client();
  await carl.call('AUTH', 'u1', 'x');
  await carl.call('ECHO', 'x'.repeat(100_000));
  await admin.call('CONFIG', 'RESETSTAT');
  const [user] = (await ask('?count=-1')).users.filter(({ name }) => name === 'u1');
  assert.equal([user!.bytes_in, user!.bytes_out], [0, 0]);
  await carl.end();
});

documents.run();
