/** FAILOVER between svc and svc, and between svc and Redis: who leads in the end, and that no write is lost. */
import {
  type ChildServer,
  contentsOf,
  fill,
  needs,
  redisProgram,
  type Reply,
  ReplyError,
  type RespClient,
  startRedis,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { change } from './changes.test-helper.ts';
import { freeze, infoOf, untilLinked, untilOnline, untilSame } from './info.test-helper.ts';
import { AT_ONCE } from './replicas.test-helper.ts';

const failover = suite('FAILOVER');

const HOST = '127.0.0.1';
const REDIS_AT_ONCE = ['--repl-diskless-sync-delay', '0'];

const start = (what: string): Promise<ChildServer> =>
  what === 'redis'
    ? startRedis(REDIS_AT_ONCE)
    : startServer({ shards: Number(what), args: AT_ONCE });

interface Group {
  readonly servers: readonly ChildServer[];
  readonly clients: readonly RespClient[];
}

/** Starts a primary, and replicas of it. */
async function startGroup(whats: readonly string[]): Promise<Group> {
  const servers = await Promise.all(whats.map(start));
  const clients = await Promise.all(servers.map((server) => server.client({ buffers: true })));
  await fill(clients[0]!);
  for (const client of clients.slice(1)) {
    await client.call('REPLICAOF', HOST, servers[0]!.port);
  }
  for (const client of clients.slice(1)) await untilLinked(client);
  await untilOnline(clients[0]!, whats.length - 1);
  return { servers, clients };
}

async function stopGroup({ servers }: Group): Promise<void> {
  for (const server of servers) server.signal('SIGCONT');
  await Promise.all(servers.map((server) => server.stop()));
}

/** Runs with a primary, and replicas of it. */
async function inGroup(
  whats: readonly string[],
  run: (group: Group) => Promise<void>,
): Promise<void> {
  const group = await startGroup(whats);
  try {
    await run(group);
  } finally {
    await stopGroup(group);
  }
}

/** A primary and its replica, which tests have one after the other. */
let pair: Group;
failover.before(async () => {
  pair = await startGroup(['2', '2']);
});
failover.after(async () => {
  await stopGroup(pair);
});

/** Text of an error that a command is answered with, and of any other reply. */
async function replyOf(asked: Promise<Reply>): Promise<string> {
  const reply = await asked;
  return reply instanceof ReplyError ? reply.message : textOf(reply);
}

const stateOf = async (client: RespClient): Promise<string | undefined> =>
  (await infoOf(client))['master_failover_state'];
const roleOf = async (client: RespClient): Promise<string | undefined> =>
  (await infoOf(client))['role'];
const untilOver = (client: RespClient): Promise<void> =>
  until(async () => (await stateOf(client)) === 'no-failover', 'the failover is over');

async function countsOf(client: RespClient): Promise<readonly number[]> {
  const stats = await infoOf(client, 'stats');
  return ['sync_full', 'sync_partial_ok'].map((name) => Number(stats[name]));
}

/** A client that writes until its server is no primary any more; answers how many writes were acknowledged. */
async function writes(server: ChildServer, key: string): Promise<number> {
  const client = await server.client();
  for (let count = 0; ; count += 1) {
    const reply = await client.reply('INCR', key);
    if (reply instanceof ReplyError) {
      assert.match(reply.message, /^READONLY/);
      return count;
    }
    await client.reply('MSET', `${key}:a`, count, `${key}:b`, count, `${key}:c`, count);
  }
}

failover(
  'to a replica that is named, and back to any: no write is lost, and nobody needs all data',
  () =>
    inGroup(['3', '2', '1'], async ({ servers, clients }) => {
      const [first, second, third] = clients as [RespClient, RespClient, RespClient];
      const written = [writes(servers[0]!, 'x'), writes(servers[0]!, 'y')];
      for (let round = 0; round < 5; round += 1) await change(first, round);
      const blocked = servers[0]!.client().then((client) => client.reply('BLPOP', 'nothing', 0));
      await until(
        async () => (await infoOf(first, 'clients'))['blocked_clients'] === '1',
        'one waits',
      );
      assert.is(textOf(await first.call('FAILOVER', 'TO', HOST, servers[1]!.port)), 'OK');
      const acknowledged = await Promise.all(written);
      await untilOver(first);
      assert.match(await replyOf(blocked), /^UNBLOCKED/);
      assert.is(await roleOf(second), 'master');
      assert.is((await infoOf(first))['master_port'], String(servers[1]!.port));
      await third.call('REPLICAOF', HOST, servers[1]!.port);
      await untilSame(second, first);
      await untilSame(second, third);
      for (const [nth, key] of ['x', 'y'].entries()) {
        assert.is(textOf(await second.call('GET', key)), String(acknowledged[nth]));
      }
      const wanted = await contentsOf(second);
      assert.equal(await contentsOf(first), wanted);
      assert.equal(await contentsOf(third), wanted);
      assert.equal(await countsOf(second), [0, 2]);

      await freeze(servers[2]!);
      await second.call('SET', 'only', 'one has it');
      assert.is(textOf(await second.call('FAILOVER')), 'OK');
      await untilOver(second);
      servers[2]!.signal('SIGCONT');
      assert.is(await roleOf(first), 'master');
      await third.call('REPLICAOF', HOST, servers[0]!.port);
      await untilSame(first, second);
      await untilSame(first, third);
      assert.is(textOf(await third.call('GET', 'only')), 'one has it');
      assert.is((await countsOf(first))[0], 2, 'those of the beginning');
    }),
);

failover('waits for the replica, holds writes back meanwhile, and can be aborted', async () => {
  const { servers, clients } = pair;
  const [first, second] = clients as [RespClient, RespClient];
  const target = ['TO', HOST, servers[1]!.port] as const;
  const synced = await countsOf(first);
  await freeze(servers[1]!);
  await first.call('SET', 'case', '1');
  assert.is(textOf(await first.call('FAILOVER', ...target, 'TIMEOUT', 60_000)), 'OK');
  assert.is(await stateOf(first), 'waiting-for-sync');
  assert.is(textOf(await first.call('GET', 'case')), '1');
  const writer = await servers[0]!.client();
  const held = writer.call('SET', 'case', '2');
  await until(async () => (await infoOf(first, 'clients'))['blocked_clients'] === '1', 'it waits');
  const refused = (...words: readonly (string | number)[]): Promise<string> =>
    replyOf(first.reply(...words));
  assert.match(await refused('FAILOVER'), /FAILOVER already in progress/);
  assert.match(await refused('REPLICAOF', 'NO', 'ONE'), /REPLICAOF not allowed while failing over/);
  assert.match(await refused('PSYNC', '?', '-1'), /NOMASTERLINK Can't SYNC while failing over/);
  // The end of a client's pause is not that of this one.
  await first.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  await first.call('CLIENT', 'UNPAUSE');
  assert.is(textOf(await first.call('GET', 'case')), '1');
  assert.is(textOf(await first.call('FAILOVER', 'ABORT')), 'OK');
  assert.is(await stateOf(first), 'no-failover');
  assert.is(textOf(await held), 'OK');

  await first.call('FAILOVER', ...target, 'TIMEOUT', 100);
  await untilOver(first);
  assert.is(await roleOf(first), 'master');
  servers[1]!.signal('SIGCONT');
  await first.call('SET', 'case', '3');
  await untilSame(first, second);
  assert.is(textOf(await second.call('GET', 'case')), '3');
  assert.equal(await countsOf(first), synced);
  await until(
    () => servers[0]!.stdout.includes('Replica never caught up before timeout'),
    'it is told',
  );
  assert.ok(servers[0]!.stdout.includes('Failover manually aborted'));
});

failover('a target that refuses leaves everything as it was', async () => {
  const { servers, clients } = pair;
  const [first, second] = clients as [RespClient, RespClient];
  await second.call('ACL', 'SETUSER', 'default', '-psync');
  const held = await servers[0]!.client();
  await first.call('FAILOVER', 'TO', HOST, servers[1]!.port);
  const reply = held.reply('SET', 'foo', 'bar');
  await untilOver(first);
  await until(
    () => servers[0]!.stdout.includes('Failover target rejected psync request'),
    'it is told',
  );
  assert.is(await roleOf(first), 'master');
  await second.call('ACL', 'SETUSER', 'default', '+psync');
  await untilLinked(second);
  await first.call('SET', 'behind', 'it');
  await untilSame(first, second);
  assert.equal(await contentsOf(first), await contentsOf(second));
  assert.equal(await countsOf(first), [1, 1]);
  assert.match(await replyOf(reply), /^OK$|^READONLY/);
});

failover(
  'with FORCE the target leads when the time is over; there are never two primaries',
  async () => {
    const { servers, clients } = pair;
    const [first, second] = clients as [RespClient, RespClient];
    await freeze(servers[1]!);
    await first.call('SET', 'case', 'two');
    await first.call('FAILOVER', 'TO', HOST, servers[1]!.port, 'FORCE', 'TIMEOUT', 50);
    await until(async () => (await stateOf(first)) === 'failover-in-progress', 'the time is over');
    assert.is(await roleOf(first), 'slave');
    assert.match(await replyOf(first.reply('SET', 'case', 'three')), /^READONLY/);
    servers[1]!.signal('SIGCONT');
    await untilOver(first);
    assert.is(await roleOf(second), 'master');
    await untilSame(second, first);
    assert.equal(await contentsOf(first), await contentsOf(second));
    await until(() => servers[0]!.stdout.includes('time out exceeded, failing over'), 'it is told');
  },
);

for (const whats of needs(redisProgram())
  ? [
      ['2', 'redis'],
      ['redis', '3'],
    ]
  : []) {
  failover(`${whats.join(' to ')}, and back`, () =>
    inGroup(whats, async ({ servers, clients }) => {
      const [first, second] = clients as [RespClient, RespClient];
      for (let round = 0; round < 5; round += 1) await change(first, round);
      await first.call('FAILOVER', 'TO', HOST, servers[1]!.port);
      await untilOver(first);
      assert.is(await roleOf(second), 'master');
      await second.call('SET', 'by', 'the second');
      await untilSame(second, first);
      assert.equal(await contentsOf(first), await contentsOf(second));
      await untilOnline(second, 1);
      await second.call('FAILOVER');
      await untilOver(second);
      assert.is(await roleOf(first), 'master');
      await first.call('SET', 'by', 'the first');
      await untilSame(first, second);
      assert.equal(await contentsOf(first), await contentsOf(second));
      // All data came once.
      assert.is((await countsOf(first))[0], 1);
      assert.is((await countsOf(second))[0], 0);
    }),
  );
}

failover.run();
