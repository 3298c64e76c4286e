/** Replicas of replicas, and what becomes of them when one is promoted. */
// test-tier: long

import {
  type ChildServer,
  contentsOf,
  fill,
  needs,
  redisProgram,
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
import { infoOf, untilLinked, untilSame } from './info.test-helper.ts';

const chain = suite('a chain of replicas');

const REDIS_AT_ONCE = ['--repl-diskless-sync-delay', '0'];
/** A PING that comes when one is promoted is no part of what follows: its old primary would need all data then. */
const AT_ONCE = [
  ...['--set', 'replication.diskless-sync-delay-secs=0'],
  ...['--set', 'replication.ping-period-secs=3600'],
];

/** Starts the server described by a word: a server with a number of shards, or a Redis. */
function start(what: string): Promise<ChildServer> {
  if (what === 'redis') return startRedis(REDIS_AT_ONCE);
  return startServer({ shards: Number(what), args: AT_ONCE });
}

/** Runs with a chain of servers, each the replica of the one before. */
async function inChain(
  whats: readonly string[],
  run: (clients: readonly RespClient[], servers: readonly ChildServer[]) => Promise<void>,
): Promise<void> {
  const servers: ChildServer[] = [];
  try {
    for (const what of whats) servers.push(await start(what));
    const clients = await Promise.all(servers.map((server) => server.client({ buffers: true })));
    await fill(clients[0]!);
    for (const [nth, client] of clients.entries()) {
      if (nth === 0) continue;
      await client.call('REPLICAOF', '127.0.0.1', servers[nth - 1]!.port);
      await untilLinked(client);
    }
    await run(clients, servers);
  } finally {
    for (const server of servers) await server.stop();
  }
}

const chains = [
  ['2', '3', '1'],
  ...(needs(redisProgram())
    ? [
        ['redis', '2', 'redis'],
        ['3', 'redis', '2'],
      ]
    : []),
];
for (const whats of chains) {
  chain(`${whats.join(' to ')}: all have the same in the end`, () =>
    inChain(whats, async (clients) => {
      const [first, middle, last] = clients as [RespClient, RespClient, RespClient];
      for (let round = 0; round < 30; round += 1) await change(first, round);
      await untilSame(first, middle);
      await untilSame(first, last);
      const wanted = await contentsOf(first);
      assert.equal(await contentsOf(middle), wanted);
      assert.equal(await contentsOf(last), wanted);
      assert.is((await infoOf(last))['master_replid'], (await infoOf(first))['master_replid']);
    }),
  );
}

chain(
  'who is promoted goes on with the stream, for those who followed it and for its old primary',
  () =>
    inChain(['2', '2', '2'], async (clients, servers) => {
      const [first, middle, last] = clients as [RespClient, RespClient, RespClient];
      for (let round = 0; round < 5; round += 1) await change(first, round);
      // What is over has to be removed: later it would be news that its replica never had.
      await until(
        async () => (await infoOf(first, 'keyspace'))['db0']?.includes('expires=2') === true,
        'what is over has been removed',
      );
      await untilSame(first, last);
      assert.is(textOf(await middle.call('REPLICAOF', 'NO', 'ONE')), 'OK');
      await middle.call('SET', 'of', 'the new primary');
      await first.call('REPLICAOF', '127.0.0.1', servers[1]!.port);
      await untilSame(middle, first);
      await untilSame(middle, last);
      const wanted = await contentsOf(middle);
      assert.equal(await contentsOf(first), wanted);
      assert.equal(await contentsOf(last), wanted);
      const at = servers[1]!;
      const count = (event: string): number => at.stdout.split(` ${event} `).length - 1;
      // Lines of the log come in their own time.
      await until(() => count('partial-sync') > 1, 'both have come again');
      const events = ['full-sync-asked', 'partial-sync', 'partial-sync-refused'];
      assert.equal(events.map(count), [1, 2, 0], at.stdout);
      await first.call('REPLICAOF', 'NO', 'ONE');
      await until(() => servers[1]!.stdout.includes('replica-left'), 'it is gone');
    }),
);

chain('nobody can follow a replica without a link', async () => {
  const server = await startServer();
  try {
    const client = await server.client();
    await client.call('REPLICAOF', '127.0.0.1', '1');
    await client.call('REPLCONF', 'capa', 'eof');
    await until(async () => {
      const reply = await client.reply('PSYNC', '?', '-1');
      return reply instanceof ReplyError && reply.message.startsWith('NOMASTERLINK');
    }, 'PSYNC is refused');
  } finally {
    await server.stop();
  }
});

chain.run();
