/** MIGRATE: keys of any shards, types and lengths to another server, and back where it is not to be had. */
// test-tier: long
import {
  type ChildServer,
  keyPerShard,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeptServer } from '../durability/kept-server.ts';
import { digests, FIELDS_THAT_END, fill, migrate, said, VALUES } from './migrated-values.ts';
import { CUT, PlayedTarget } from './played-target.ts';

const migrating = suite('MIGRATE');

const SHARDS = 3;
const [one = '', two = '', three = ''] = keyPerShard(SHARDS, 'mv');
const ALL = [one, two, three];

let source: ChildServer;
let target: ChildServer;
let client: RespClient;
let other: RespClient;
let there: RespClient;

migrating.before(async () => {
  source = await startServer({ shards: SHARDS });
  target = await startServer({ shards: 2 });
});
migrating.after(async () => {
  await source.stop();
  await target.stop();
});
migrating.before.each(async () => {
  client = await source.client({ waitMs: 30_000 });
  other = await source.client();
  there = await target.client();
  await client.call('FLUSHALL');
  await there.call('FLUSHALL');
});
migrating.after.each(async () => {
  for (const each of [client, other, there]) await each.end();
});

migrating('values of all types come whole to another svc', async () => {
  const keys = await fill(client, [...VALUES, ...FIELDS_THAT_END]);
  const before = await digests(client, keys);
  assert.is(await said(client, migrate(target.port, 'KEYS', ...keys)), 'OK');
  assert.is(await client.call('DBSIZE'), 0);
  assert.equal(await digests(there, keys), before);
  assert.equal(
    await there.call('HPEXPIRETIME', 'ending', 'FIELDS', '2', 'f', 'g'),
    [9999999999999, -1],
  );
});

migrating('what is left of their time goes with them', async () => {
  await client.call('SET', one, 'v', 'PX', 100_000);
  await client.call('SET', two, 'v');
  assert.is(await said(client, migrate(target.port, 'KEYS', one, two)), 'OK');
  const left = (await there.call('PTTL', one)) as number;
  assert.ok(left > 0 && left <= 100_000, `${left}`);
  assert.is(await there.call('PTTL', two), -1);
});

migrating('COPY leaves them here, REPLACE overwrites them there', async () => {
  await client.call('MSET', ...ALL.flatMap((key) => [key, 'new']));
  await there.call('SET', two, 'old');
  assert.is(
    await said(client, migrate(target.port, 'COPY', 'KEYS', ...ALL)),
    '-ERR Target instance replied with error: BUSYKEY Target key name already exists.',
  );
  assert.equal(await there.call('MGET', ...ALL), ['new', 'old', 'new']);
  assert.is(await said(client, migrate(target.port, 'COPY', 'REPLACE', 'KEYS', ...ALL)), 'OK');
  assert.equal(await there.call('MGET', ...ALL), ['new', 'new', 'new']);
  assert.equal(await client.call('MGET', ...ALL), ['new', 'new', 'new']);
});

migrating('those that the target refuses stay, the others go', async () => {
  await client.call('MSET', ...ALL.flatMap((key) => [key, 'new']));
  await there.call('SET', two, 'old');
  assert.is(
    await said(client, migrate(target.port, 'KEYS', ...ALL, 'none')),
    '-ERR Target instance replied with error: BUSYKEY Target key name already exists.',
  );
  assert.equal(await client.call('MGET', ...ALL), [null, 'new', null]);
  assert.equal(await there.call('MGET', ...ALL), ['new', 'old', 'new']);
});

migrating('no keys are no error', async () => {
  assert.is(await said(client, migrate(target.port, 'KEYS', ...ALL)), 'NOKEY');
  assert.is(await said(client, migrate(target.port, 'KEYS')), 'NOKEY');
  assert.is(await said(client, `MIGRATE 127.0.0.1 ${target.port} ${one} 0 1000`), 'NOKEY');
});

migrating('a database that the target has not gets nothing, and nor does another', async () => {
  await client.call('SET', one, 'v');
  assert.is(
    await said(client, `MIGRATE 127.0.0.1 ${target.port} ${one} 99 1000`),
    '-ERR Target instance replied with error: ERR DB index is out of range',
  );
  assert.is(await client.call('GET', one), 'v');
  assert.is(await there.call('DBSIZE'), 0);
  assert.is(await said(client, `MIGRATE 127.0.0.1 ${target.port} ${one} 9 1000`), 'OK');
  await there.call('SELECT', 9);
  assert.is(await there.call('GET', one), 'v');
});

migrating('in a transaction and in a script it is done among the other commands', async () => {
  await client.call('MSET', ...ALL.flatMap((key) => [key, 'v']));
  const replies = await client.pipeline([
    ['MULTI'],
    ['SET', one, 'changed'],
    [...migrate(target.port, 'KEYS', one, two)],
    ['EXISTS', ...ALL],
    ['EXEC'],
  ]);
  assert.equal(replies.at(-1), ['OK', 'OK', 1]);
  assert.equal(await there.call('MGET', ...ALL), ['changed', 'v', null]);
  const script = `return {redis.call('MIGRATE', '127.0.0.1', ARGV[1], KEYS[1], 0, 1000), redis.call('EXISTS', KEYS[1])}`;
  assert.equal(await client.call('EVAL', script, 1, three, target.port), ['OK', 0]);
  assert.is(await there.call('GET', three), 'v');
});

migrating('who watches, tracks or listens is told of it', async () => {
  await client.call('MSET', ...ALL.flatMap((key) => [key, 'v']));
  await client.call('CONFIG', 'SET', 'notify-keyspace-events', 'KEA');
  await other.call('HELLO', 3);
  await other.call('CLIENT', 'TRACKING', 'ON');
  await other.call('GET', three);
  other.raw(`SUBSCRIBE __keyspace@0__:${one}\r\n`);
  assert.ok(JSON.stringify(await other.nextPush()).includes('subscribe'));
  const watching = await source.client();
  await watching.call('WATCH', two);
  assert.is(await said(client, migrate(target.port, 'KEYS', ...ALL)), 'OK');
  const pushes = JSON.stringify([await other.nextPush(), await other.nextPush()]);
  assert.ok(pushes.includes('"del"') && pushes.includes('"invalidate"'), pushes);
  const exec = await watching.pipeline([['MULTI'], ['PING'], ['EXEC']]);
  assert.is(exec.at(-1), null);
  await client.call('CONFIG', 'SET', 'notify-keyspace-events', '');
});

migrating('AUTH and AUTH2 are for the target', async () => {
  await there.call('ACL', 'SETUSER', 'mover', 'on', '>secret', '~*', '+restore', '+select');
  await client.call('MSET', one, 'v', two, 'w');
  assert.is(
    await said(client, migrate(target.port, 'AUTH2', 'mover', 'wrong', 'KEYS', one)),
    '-ERR Target instance replied with error: WRONGPASS invalid username-password pair or user is disabled.',
  );
  assert.is(
    await said(client, migrate(target.port, 'AUTH2', 'mover', 'secret', 'KEYS', one)),
    'OK',
  );
  await there.call('CONFIG', 'SET', 'requirepass', 'pass');
  assert.match(String(await said(client, migrate(target.port, 'KEYS', two))), /NOAUTH/);
  assert.is(await said(client, migrate(target.port, 'AUTH', 'pass', 'KEYS', two)), 'OK');
  await there.call('CONFIG', 'SET', 'requirepass', '');
});

migrating('secrets are in no list, and rules are about its keys', async () => {
  await client.call('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
  const monitor = await source.client();
  await monitor.call('MONITOR');
  await said(client, migrate(1, 'AUTH', 'hunter2', 'KEYS', one));
  await client.call('SET', one, 'v');
  await said(client, migrate(1, 'AUTH2', 'user', 'hunter2', 'KEYS', one));
  const slow = JSON.stringify(await client.call('SLOWLOG', 'GET', '-1'));
  assert.ok(slow.includes('(redacted)') && !slow.includes('hunter2'), slow);
  await client.call('ECHO', 'last');
  await until(() => JSON.stringify(monitor.pushes).includes('last'), 'MONITOR has shown all');
  assert.not.ok(JSON.stringify(monitor.pushes).includes('hunter2'));
  await client.call('CONFIG', 'SET', 'slowlog-log-slower-than', '10000');
  await client.call('ACL', 'SETUSER', 'limited', 'on', 'nopass', '+@all', `~${one}`);
  await other.call('AUTH', 'limited', 'any');
  assert.match(String(await said(other, migrate(1, 'KEYS', one, two))), /NOPERM/);
  assert.match(String(await said(other, migrate(1, 'KEYS', one))), /IOERR/);
});

migrating('only its keys are held while the target is silent', async () => {
  const silent = await PlayedTarget.start(() => undefined);
  await client.call('MSET', ...ALL.flatMap((key) => [key, 'v']), 'free', 'f');
  const moved = said(client, [...migrate(silent.port, 'KEYS', one, two)]);
  await until(() => silent.connections.length === 1, 'the target is connected');
  assert.is(await other.call('GET', 'free'), 'f');
  assert.is(await other.call('DBSIZE'), 4);
  assert.is(await other.call('APPEND', three, '+'), 2);
  const waiting = await source.client();
  const held = said(waiting, `APPEND ${one} +`);
  const both = said(other, `MGET ${two} ${three}`);
  await silent.stop();
  assert.match(String(await moved), /IOERR error or timeout/);
  assert.is(await held, 2);
  assert.equal(await both, ['v', 'v+']);
});

migrating('a target that does not answer in time gets nothing, as far as is known', async () => {
  const silent = await PlayedTarget.start(() => undefined);
  await client.call('SET', one, 'v');
  assert.is(
    await said(client, `MIGRATE 127.0.0.1 ${silent.port} ${one} 0 50`),
    '-IOERR error or timeout reading to target instance',
  );
  assert.is(silent.connections.length, 1);
  assert.is(await client.call('GET', one), 'v');
  await silent.stop();
});

migrating(
  'a target that closes is tried once more, and what it had taken by then is gone',
  async () => {
    const closing = await PlayedTarget.start(([name]) => (name === 'SELECT' ? '+OK\r\n' : CUT));
    await client.call('MSET', ...ALL.flatMap((key) => [key, 'v']));
    assert.match(
      String(await said(client, migrate(closing.port, 'KEYS', ...ALL))),
      /^-IOERR error or timeout (reading|writing) to target instance$/,
    );
    assert.equal(closing.names.length, 2);
    assert.is(await client.call('EXISTS', ...ALL), 3);
    await closing.stop();
    const halfway = await PlayedTarget.start((_, nth) => (nth < 2 ? '+OK\r\n' : CUT));
    assert.is(
      await said(client, migrate(halfway.port, 'KEYS', ...ALL)),
      '-IOERR error or timeout reading to target instance',
    );
    assert.equal(halfway.names.length, 1);
    assert.equal(await client.call('MGET', ...ALL), [null, 'v', 'v']);
    await halfway.stop();
  },
);

migrating('what is no OK is none', async () => {
  await client.call('MSET', ...ALL.flatMap((key) => [key, 'v']));
  for (const garbage of [
    'HTTP/1.1 400 Bad Request\r\n',
    ':1\r\n',
    '+QUEUED\r\n',
    'x'.repeat(100_000),
  ]) {
    const strange = await PlayedTarget.start((_, nth) => (nth < 1 ? '+OK\r\n' : garbage));
    assert.is(
      await said(client, migrate(strange.port, 'KEYS', ...ALL)),
      '-IOERR error or timeout reading to target instance',
    );
    assert.is(await client.call('EXISTS', ...ALL), 3);
    await strange.stop();
  }
});

migrating('where nobody listens, and where nobody can', async () => {
  await client.call('SET', one, 'v');
  for (const port of ['1', '0', '99999', 'none', '-1']) {
    assert.is(
      await said(client, `MIGRATE 127.0.0.1 ${port} ${one} 0 5000`),
      '-IOERR error or timeout connecting to the client',
    );
  }
  assert.is(await client.call('GET', one), 'v');
});

migrating('what a client has begun that has left is brought to its end', async () => {
  const slow = await PlayedTarget.start(([name]) => (name === 'SELECT' ? '+OK\r\n' : undefined));
  await client.call('SET', one, 'v');
  const leaving = await source.client();
  leaving.raw(`MIGRATE 127.0.0.1 ${slow.port} ${one} 0 60000\r\n`);
  await until(() => slow.names.flat().includes('RESTORE'), 'the key is on its way');
  leaving.socket.destroy();
  await slow.stop();
  // The wait has ended with the connection, and the key is free.
  assert.is(await other.call('GET', one), 'v');
});

migrating('thousands of keys and hundreds of megabytes', async () => {
  const names = Array.from({ length: 5_000 }, (_, nth) => `many-${nth}`);
  await client.call('MSET', ...names.flatMap((name) => [name, name]));
  await client.call('SETRANGE', 'huge', 200 * 1024 * 1024, 'end');
  const reply = await said(client, [
    ...['MIGRATE', '127.0.0.1', String(target.port), '', '0', '30000'],
    ...['KEYS', 'huge', ...names],
  ]);
  assert.is(reply, 'OK');
  assert.is(await client.call('DBSIZE'), 0);
  assert.is(await there.call('DBSIZE'), 5_001);
  assert.is(await there.call('STRLEN', 'huge'), 200 * 1024 * 1024 + 3);
  assert.is(await there.call('GET', 'many-4321'), 'many-4321');
});

migrating('a kill at any moment leaves each key on one of both servers', async () => {
  const kept = new KeptServer();
  let from = await kept.start({ shards: 2 });
  const names = Array.from({ length: 40 }, (_, nth) => `k${nth}`);
  await from.call('MSET', ...names.flatMap((name) => [name, name]));
  for (const victims of [names.slice(0, 10), names.slice(10, 25), names.slice(25)]) {
    let taken = 0;
    const killing = await PlayedTarget.start(([name]) => {
      if (name !== 'RESTORE') return '+OK\r\n';
      taken += 1;
      // Some were answered, and the log may say so, or not yet.
      if (taken === victims.length) kept.server.signal('SIGKILL');
      return '+OK\r\n';
    });
    await from.reply(...migrate(killing.port, 'KEYS', ...victims)).catch(() => undefined);
    await kept.server.ended;
    const there = new Set(
      killing.connections.flat().flatMap(([name, key]) => (name === 'RESTORE' ? [key] : [])),
    );
    await killing.stop();
    from = await kept.start({ shards: 2 });
    for (const name of victims) {
      const isHere = textOf(await from.call('EXISTS', name)) === '1';
      assert.ok(isHere || there.has(name), name);
    }
    const untouched = names.slice(names.indexOf(victims.at(-1)!) + 1);
    if (untouched.length > 0) assert.is(await from.call('EXISTS', ...untouched), untouched.length);
  }
  await kept.server.stop();
});

migrating('what has moved is gone after a start on its log', async () => {
  const kept = new KeptServer();
  let from = await kept.start({ shards: SHARDS });
  await from.call('MSET', ...ALL.flatMap((key) => [key, 'v']));
  assert.is(await said(from, migrate(target.port, 'KEYS', one, three)), 'OK');
  await kept.server.stop();
  from = await kept.start({ shards: SHARDS });
  assert.equal(await from.call('MGET', ...ALL), [null, 'v', null]);
  await kept.server.stop();
});

migrating(
  'a replica is told of what has gone, one that is cut short by a new role keeps all',
  async () => {
    const replica = await startServer({ shards: 2 });
    const follower = await replica.client();
    await follower.call('REPLICAOF', '127.0.0.1', source.port);
    await client.call('MSET', ...ALL.flatMap((key) => [key, 'v']));
    const has = async (key: string): Promise<boolean> => (await follower.reply('GET', key)) === 'v';
    await until(() => has(three), 'the replica has the keys');
    assert.is(await said(client, migrate(target.port, 'KEYS', one, two)), 'OK');
    await until(async () => !(await has(one)) && !(await has(two)), 'they are gone there too');
    assert.ok(await has(three));
    await follower.call('REPLICAOF', 'NO', 'ONE');
    let goOn: (() => void) | undefined;
    const slow = await PlayedTarget.start(([name], _nth, answer) => {
      if (name === 'SELECT') return '+OK\r\n';
      goOn = () => {
        answer('+OK\r\n');
      };
      return undefined;
    });
    const moved = said(follower, migrate(slow.port, 'KEYS', three));
    await until(() => goOn !== undefined, 'the key is on its way');
    const other = await replica.client();
    await other.call('REPLICAOF', '127.0.0.1', 1);
    goOn?.();
    assert.match(String(await moved), /^-UNBLOCKED/);
    assert.is(await other.call('GET', three), 'v');
    await slow.stop();
    await replica.stop();
  },
);

migrating.run();
