/** Users in files: at the start, with ACL LOAD and SAVE, and by CONFIG REWRITE. */
// test-tier: long

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChildServer, type Reply, ReplyError, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const files = suite('files of users');

let folder: string;
let file: string;

files.before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-acl-'));
  file = path.join(folder, 'users.acl');
});
files.after(() => {
  rmSync(folder, { recursive: true });
});

function errorOf(reply: Reply): string {
  return reply instanceof ReplyError ? reply.message : `no error: ${textOf(reply)}`;
}

const servers: ChildServer[] = [];

async function started(...settings: readonly string[]): Promise<ChildServer> {
  const args = settings.flatMap((setting) => ['--set', setting]);
  const server = await startServer({ args });
  servers.push(server);
  return server;
}

files.after.each(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

files('a file is read at the start, saved, and loaded again', async () => {
  writeFileSync(file, 'user anna on nopass +@all ~a*\nuser default on nopass ~* &* +@all\n');
  const server = await started(`security.acl-file=${file}`);
  const admin = await server.client();
  assert.equal(await admin.call('ACL', 'USERS'), ['anna', 'default']);
  await admin.call('ACL', 'SETUSER', 'bert', 'on', '>s3cret', '+get', '(+set ~b*)');
  const list = await admin.call('ACL', 'LIST');
  assert.is(await admin.call('ACL', 'SAVE'), 'OK');
  const text = readFileSync(file, 'latin1');
  assert.equal(text.trimEnd().split('\n'), list);
  assert.not.match(text, /s3cret/);
  assert.is(statSync(file).mode & 0o777, 0o600);
  await admin.call('ACL', 'DELUSER', 'bert');
  assert.is(await admin.call('ACL', 'LOAD'), 'OK');
  assert.equal(await admin.call('ACL', 'LIST'), list);
});

files('LOAD closes those whose user is gone, and leaves the others', async () => {
  writeFileSync(file, 'user anna on nopass +@all ~*\nuser bert on nopass +@all ~*\n');
  const server = await started(`security.acl-file=${file}`);
  const admin = await server.client();
  const anna = await server.client();
  const bert = await server.client();
  await anna.call('AUTH', 'anna', 'x');
  await bert.call('AUTH', 'bert', 'x');
  writeFileSync(file, 'user bert on nopass +@all ~b*\n');
  assert.is(await admin.call('ACL', 'LOAD'), 'OK');
  await anna.closed;
  assert.is(await bert.call('GET', 'b'), null);
  assert.match(errorOf(await bert.reply('GET', 'x')), /^NOPERM/);
});

files('LOAD of a broken file names the lines, and changes nothing', async () => {
  writeFileSync(file, 'user anna on nopass +@all ~*\n');
  const server = await started(`security.acl-file=${file}`);
  const admin = await server.client();
  const before = await admin.call('ACL', 'LIST');
  writeFileSync(file, 'user bert on\nuser carl +nothing\nnonsense\n');
  const error = errorOf(await admin.reply('ACL', 'LOAD'));
  assert.match(error, `${file}:2: Error in applying operation '+nothing': Unknown command`);
  assert.match(error, `${file}:3 should start with user keyword`);
  assert.equal(await admin.call('ACL', 'LIST'), before);
  rmSync(file);
  assert.match(errorOf(await admin.reply('ACL', 'LOAD')), 'No such file or directory');
  assert.equal(await admin.call('ACL', 'LIST'), before);
});

files('SAVE into a folder that is gone leaves the users, and says so', async () => {
  writeFileSync(file, 'user anna on\n');
  const server = await started(`security.acl-file=${file}`);
  const admin = await server.client();
  rmSync(folder, { recursive: true });
  assert.match(
    errorOf(await admin.reply('ACL', 'SAVE')),
    /There was an error trying to save the ACLs/,
  );
  assert.equal(await admin.call('ACL', 'USERS'), ['anna', 'default']);
  folder = mkdtempSync(path.join(tmpdir(), 'svc-acl-'));
  file = path.join(folder, 'users.acl');
});

const refused: readonly (readonly [
  name: string,
  text: string,
  settings: readonly string[],
  message: string,
])[] = [
  ['a line', 'user a nonsense', [], ':1: Syntax error (rule 1). '],
  ['a limit', 'user a on ratelimit:cps=x', [], ":1: Syntax error (rule 2: 'ratelimit:cps=x'). "],
  ['a hash', 'user a #12', [], "lowercase hexadecimal characters (rule 1: '#(redacted)'). "],
  ['an open selector', 'user a (+get ~b', [], "definition (it begins with '(+get...')"],
  ['an unknown command', 'user a +nothing', [], ":1: Error in applying operation '+nothing'"],
  [
    'a user twice',
    'user a on\nuser a on',
    [],
    "users.acl:2: WARNING: Duplicate user 'a' found on line 2",
  ],
  ['users in both places', '', ['security.users=b on'], 'cannot both be set'],
];

for (const [name, text, settings, message] of refused) {
  files(`a start is refused: ${name}`, async () => {
    writeFileSync(file, text);
    let reason = '';
    await started(`security.acl-file=${file}`, ...settings).catch((error: unknown) => {
      reason = String(error);
    });
    assert.match(reason, message);
  });
}

files(
  'users of the configuration are there, and CONFIG REWRITE keeps what has changed',
  async () => {
    const toml = [
      '# Ours.',
      '[[security.users]]',
      'name = "anna"',
      'rules = "on >s3cret ~a* +@all"',
      '',
      '[[security.users]]',
      'name = "bert"',
      'rules = ["off", "+get"]',
    ].join('\n');
    const home = mkdtempSync(path.join(tmpdir(), 'svc-acl-'));
    try {
      const server = await startServer({ toml, folder: home });
      servers.push(server);
      const client = await server.client();
      await client.call('AUTH', 'anna', 's3cret');
      assert.is(await client.call('ACL', 'WHOAMI'), 'anna');
      await client.call('ACL', 'DELUSER', 'bert');
      await client.call('ACL', 'SETUSER', 'carl', 'on', '>other', '%R~c*', '+get');
      const list = await client.call('ACL', 'LIST');
      assert.is(await client.call('CONFIG', 'REWRITE'), 'OK');
      const written = readFileSync(path.join(home, 'svc.toml'), 'utf8');
      assert.match(written, '# Ours.');
      assert.not.match(written, /s3cret|other/);
      assert.not.match(textOf(await client.call('CONFIG', 'GET', '*')), /#[0-9a-f]{64}/);
      await servers.pop()!.stop();
      const again = await startServer({
        folder: home,
        args: ['--config', path.join(home, 'svc.toml')],
      });
      servers.push(again);
      const other = await again.client();
      assert.equal(await other.call('ACL', 'LIST'), list);
    } finally {
      for (const server of servers.splice(0)) await server.stop();
      rmSync(home, { recursive: true });
    }
  },
);

files('10,000 users are loaded, and decided by', async () => {
  const lines = Array.from(
    { length: 10_000 },
    (_, nth) => `user u${nth} on nopass +@all ~${nth}:*`,
  );
  writeFileSync(file, lines.join('\n'));
  const server = await started(`security.acl-file=${file}`);
  const client = await server.client();
  await client.call('AUTH', 'u9999', 'x');
  assert.is(await client.call('SET', '9999:k', 'x'), 'OK');
  assert.match(errorOf(await client.reply('SET', '9998:k', 'x')), /^NOPERM/);
  const script = "return redis.call('SET', KEYS[1], 'y')";
  assert.is(await client.call('EVAL', script, '1', '9999:k'), 'OK');
  assert.match(errorOf(await client.reply('EVAL', script, '1', '9998:k')), /NOPERM/);
  const admin = await server.client();
  assert.is(await admin.call('ACL', 'LOAD'), 'OK');
  assert.match(errorOf(await admin.reply('ACL', 'STATS', 'u9999')), /too many users/);
  assert.is(await client.call('GET', '9999:k'), 'y');
});

files.run();
