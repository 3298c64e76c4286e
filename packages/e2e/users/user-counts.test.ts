/** Counts of users: they add up to those of the server, for any distribution of work. */

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

const counts = suite('numbers of users');

const SHARDS = 2;

const USEC = /:calls=\d+,usec=(\d+)/g;
const TOTALS = {
  'bytes-in': /^total_net_input_bytes:(\d+)/gm,
  'bytes-out': /^total_net_output_bytes:(\d+)/gm,
  'limited-commands': /^ratelimit_total_commands_rejected:(\d+)/gm,
  'limited-bytes': /^ratelimit_total_bytes_rejected:(\d+)/gm,
} as const;

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

/** Sums over all users and the least and most that the server's totals say, by the names of the sums. */
async function sumsAndTotals(): Promise<readonly (readonly [string, number, number, number])[]> {
  // Within a transaction nothing is read or written meanwhile. Its own commands take time.
  const time = ['INFO', 'commandstats'];
  const rest = ['INFO', 'stats', 'ratelimit'];
  const queued = [['MULTI'], time, ['ACL', 'STATS'], rest, time, ['EXEC']];
  const replies = (await admin.pipeline(queued)).at(-1) as readonly Reply[];
  const [before, stats, info, after] = replies;
  const users = [...byName(stats!).values()].map((fields) => byName(fields as readonly Reply[]));
  const sumOf = (field: string): number =>
    users.reduce((sum, fields) => sum + Number(fields.get(field)), 0);
  const totalOf = (text: Reply | undefined, pattern: RegExp): number =>
    [...textOf(text).matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
  const totals = (['bytes-in', 'bytes-out', 'limited-commands', 'limited-bytes'] as const).map(
    (name) => {
      const total = totalOf(info, TOTALS[name]);
      return [name, sumOf(name), total, total] as const;
    },
  );
  // Each command and each user is rounded by itself.
  const rounding = users.length + [...textOf(after).matchAll(/usec=/g)].length;
  const [least, most] = [totalOf(before, USEC) - rounding, totalOf(after, USEC) + rounding];
  return [...totals, ['time-us', sumOf('time-us'), least, most]];
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

counts('no user is taken for the others', async () => {
  assert.instance(await admin.reply('ACL', 'SETUSER', '(other users)', 'on'), ReplyError);
});

counts('everything that is counted adds up, looked at in one moment', async () => {
  await admin.call('ACL', 'SETUSER', 'carl', 'on', 'nopass', '+@all', '~*', 'ratelimit:cps=5');
  const carl = await server.client();
  await carl.call('AUTH', 'carl', 'x');
  await carl.pipeline(Array.from({ length: 100 }, () => ['SET', 'carl', 'x'.repeat(1_000)]));
  await admin.call('ACL', 'SETUSER', 'dora', 'on', 'nopass', '+@all', '~*', 'ratelimit:bps=5');
  const dora = await server.client();
  await dora.call('AUTH', 'dora', 'x');
  await dora.pipeline(Array.from({ length: 50 }, () => ['GET', 'carl']));
  const sums = await sumsAndTotals();
  for (const [name, sum, least, most] of sums) {
    assert.ok(sum > 0 && sum >= least && sum <= most, `${name}: ${least} <= ${sum} <= ${most}`);
  }
});

counts('a user that is gone is told of with the others, and has its numbers again', async () => {
  const before = await statsOf('bert');
  await admin.call('ACL', 'DELUSER', 'bert');
  assert.is(await admin.call('ACL', 'STATS', 'bert'), null);
  assert.ok((await allStats()).get('(other users)')!['commands']! >= before['commands']!);
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
