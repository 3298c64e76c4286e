/** Timestamps in the stream: between servers of this kind, and beside a Redis, which stays in step. */
// test-tier: long

import type { ReplicationDocument } from '#api-types';
import {
  type ChildServer,
  needs,
  redisProgram,
  request,
  type RespClient,
  startServer,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { infoOf, untilLinked, untilOnline } from '../info.test-helper.ts';
import { AT_ONCE, caughtUp, differences, startReplica } from '../replicas.test-helper.ts';

const stamps = suite('timestamps in the stream');

const document = async (server: ChildServer): Promise<ReplicationDocument> =>
  (await request(server.httpPort, '/debug/api/replication')).json() as ReplicationDocument;

/** Writes until a server has a measured lag of its link. */
async function untilMeasured(writer: RespClient, replica: ChildServer): Promise<void> {
  await until(async () => {
    await writer.call('INCR', 'count');
    return typeof (await document(replica)).primary?.lag_ms === 'number';
  }, 'a timestamp has come');
}

if (needs(redisProgram())) {
  stamps(
    'a Redis beside a replica of our own answers them, and has all that there is',
    async () => {
      const primary = await startServer({ shards: 2, http: true, args: AT_ONCE });
      const writer = await primary.client();
      const redis = await startReplica(primary);
      const reader = await redis.client();
      await untilLinked(reader);
      await writer.call('INCR', 'count');
      await caughtUp(writer, 1);
      const [exclusive] = (await document(primary)).replicas;
      assert.is(exclusive?.lag_source, 'acknowledgements');
      const own = await startServer({ http: true, args: AT_ONCE });
      await (await own.client()).call('REPLICAOF', '127.0.0.1', primary.port);
      await untilOnline(writer, 2);
      await untilMeasured(writer, own);
      await caughtUp(writer, 2);
      assert.equal(await differences(primary, redis), []);
      const { replicas } = await document(primary);
      assert.equal(replicas.map((replica) => replica.lag_source).sort(), [
        'acknowledgements',
        'timestamps',
      ]);
      const stats = await infoOf(reader, 'stats');
      assert.is(stats['unexpected_error_replies'], '0');
      await until(async () => {
        const { master_repl_offset: at } = await infoOf(writer);
        return (await infoOf(reader))['slave_repl_offset'] === at;
      }, 'the Redis is where the stream is');
      for (const server of [own, redis, primary]) await server.stop();
    },
  );
}

stamps('a replica of a replica measures them too, and so does the one between', async () => {
  const servers: ChildServer[] = [];
  for (let nth = 0; nth < 3; nth += 1) {
    servers.push(await startServer({ http: true, args: AT_ONCE }));
  }
  const [first, middle, last] = servers as [ChildServer, ChildServer, ChildServer];
  const writer = await first.client();
  await (await middle.client()).call('REPLICAOF', '127.0.0.1', first.port);
  await untilLinked(await middle.client());
  await (await last.client()).call('REPLICAOF', '127.0.0.1', middle.port);
  await untilLinked(await last.client());
  await untilMeasured(writer, last);
  await until(async () => {
    await writer.call('INCR', 'count');
    return (await document(middle)).replicas[0]?.lag_source === 'timestamps';
  }, 'the one between has an answer');
  for (const server of [last, middle, first]) await server.stop();
});

stamps('a stream that rests does not grow by itself', async () => {
  const primary = await startServer({
    http: true,
    args: [...AT_ONCE, '--set', 'replication.ping-period-secs=3600'],
  });
  const replica = await startServer({ http: true, args: AT_ONCE });
  const writer = await primary.client();
  await (await replica.client()).call('REPLICAOF', '127.0.0.1', primary.port);
  await untilOnline(writer, 1);
  await untilMeasured(writer, replica);
  const offset = (await document(primary)).offset;
  // A second and more without writes, according to acknowledgements.
  const acknowledged = async (): Promise<number> =>
    (await document(primary)).replicas[0]!.ack_age_ms;
  for (let nth = 0; nth < 2; nth += 1) {
    await until(async () => (await acknowledged()) > 500, 'half a second has passed');
    await until(async () => (await acknowledged()) < 500, 'the replica has acknowledged');
  }
  assert.is((await document(primary)).offset, offset);
  await replica.stop();
  await primary.stop();
});

stamps.run();
