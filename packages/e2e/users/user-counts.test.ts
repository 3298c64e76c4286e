/** Numbers of users: they add up to those of the server, whoever does what. */

import {
  byName,
  keyPerShard,
  ReplyError,
  startServer,
  textOf,
  until,
  type ChildServer,
  type Reply,
  type RespClient,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const counts = suite('numbers of users');

const SHARDS = 2;

let server: ChildServer;
let admin: RespClient;

counts.before(async () => {
  server = await startServer({ shards: SHARDS });
  admin = await server.client();
});
counts.after(async () => {
  await server.stop();
});

async function statsOf(name: string): Promise<Readonly<Record<string, number>>> {
  const reply = (await admin.call('ACL', 'STATS', name)) as readonly Reply[];
  return Object.fromEntries(byName(reply)) as Record<string, number>;
}

async function allStats(): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> {
  const reply = byName(await admin.call('ACL', 'STATS'));
  return new Map(
    [...reply].map(([name, fields]) => [
      name,
      Object.fromEntries(byName(fields as readonly Reply[])) as Record<string, number>,
    ]),
  );
}

async function infoOf(section: string, field: string): Promise<number> {
  const text = textOf(await admin.call('INFO', section));
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(text)?.[1]);
}

counts('commands, errors and denials are those of who has sent them', async () => {
  await admin.call('ACL', 'SETUSER', 'anna', 'on', 'nopass', '+@all', '-del', '~a*', '&a*');
  const anna = await server.client();
  await anna.call('AUTH', 'anna', 'x');
  const keys = keyPerShard(SHARDS).map((key) => `a${key}`);
  await anna.call('MSET', ...keys.flatMap((key) => [key, 'text']));
  await anna.pipeline([['MULTI'], ['SET', keys[0]!, 'x'], ['INCR', keys[0]!], ['EXEC']]);
  for (const words of [
    ['INCR', keys[0]!],
    ['DEL', 'a'],
    ['GET', 'x'],
    ['PUBLISH', 'x', 'y'],
  ]) {
    assert.ok((await anna.reply(...words)) instanceof ReplyError);
  }
  await anna.call('EVAL', "redis.pcall('GET', 'x') return 1", '0');
  const stats = await statsOf('anna');
  assert.is(stats['connections'], 1);
  // INCR in EXEC and by itself, DEL, GET, PUBLISH, and GET in a script.
  assert.is(stats['errors'], 6);
  assert.equal(
    ['denied', 'denied-auth', 'denied-command', 'denied-key', 'denied-channel'].map(
      (name) => stats[name],
    ),
    [4, 0, 1, 2, 1],
  );
  assert.ok(stats['bytes-in']! > 200 && stats['bytes-out']! > 100);
});

counts('they add up to the totals', async () => {
  await admin.call('ACL', 'SETUSER', 'bert', 'on', 'nopass', '+@all', '~*');
  const bert = await server.client();
  await bert.call('AUTH', 'bert', 'x');
  await bert.pipeline(Array.from({ length: 500 }, (_, nth) => ['INCR', `n${nth % 7}`]));
  await bert.call('QUIT');
  await bert.closed;
  const sum = (all: Awaited<ReturnType<typeof allStats>>, field: string): number =>
    [...all.values()].reduce((total, fields) => total + fields[field]!, 0);
  const all = await allStats();
  assert.is(sum(all, 'connections'), await infoOf('clients', 'connected_clients'));
  assert.is(sum(all, 'errors'), await infoOf('stats', 'total_error_replies'));
  assert.ok(all.get('bert')!['commands']! >= 500);
  assert.is(all.get('bert')!['connections'], 0);
  // INFO is a command itself, and ACL STATS and INFO before it.
  const commands = await infoOf('stats', 'total_commands_processed');
  const again = await allStats();
  assert.is(sum(again, 'commands'), commands + 1);
  const denied = ['auth', 'cmd', 'key', 'channel'].map((name) =>
    infoOf('stats', `acl_access_denied_${name}`),
  );
  const total = (await Promise.all(denied)).reduce((one, other) => one + other, 0);
  assert.is(sum(again, 'denied'), total);
});

counts('a user that is gone is told of with the others, and has its numbers again', async () => {
  const before = await statsOf('bert');
  await admin.call('ACL', 'DELUSER', 'bert');
  assert.is(await admin.call('ACL', 'STATS', 'bert'), null);
  assert.ok((await allStats()).get('(others)')!['commands']! >= before['commands']!);
  await admin.call('ACL', 'SETUSER', 'bert', 'on');
  assert.is((await statsOf('bert'))['commands'], before['commands']);
});

counts('RESETSTAT begins anew', async () => {
  await admin.call('CONFIG', 'RESETSTAT');
  await until(async () => (await statsOf('anna'))['commands'] === 0, 'all threads have begun anew');
  assert.is((await statsOf('anna'))['errors'], 0);
  assert.is((await statsOf('anna'))['connections'], 1);
});

counts.run();
