/** svc as the primary of a Redis server: synchronisation, the stream, and reports of both. */
// test-tier: long
// test-again: SVC_SERVER__FRONT_THREADS=1
import {
  fill,
  keyPerShard,
  needs,
  redisProgram,
  ReplyError,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import type { ReplicationDocument, StatusDocument } from '#api-types';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { infoOf, untilLinked } from './info.test-helper.ts';
import { AT_ONCE, caughtUp, differences, startReplica } from './replicas.test-helper.ts';

const primary = suite('svc as the primary of Redis');

const SHARDS = 3;
const MIB = 1024 * 1024;
const LARGE_BYTES = 24 * MIB;
const LIBRARY = "#!lua name=lib\nredis.register_function('answer', function() return 42 end)";

const stat = async (client: RespClient, name: string): Promise<string | undefined> =>
  (await infoOf(client, 'stats'))[name];

/** Text of the error that a SET is answered with. */
async function errorOf(client: RespClient, value: string): Promise<string | undefined> {
  const reply = await client.reply('SET', 'a', value);
  return reply instanceof ReplyError ? reply.message : undefined;
}

if (needs(redisProgram())) {
  primary(
    'two replicas have all data by one full synchronisation, and what comes behind',
    async () => {
      const server = await startServer({
        shards: SHARDS,
        args: [
          ...['--set', 'replication.diskless-sync-delay-secs=3600'],
          ...['--set', 'replication.diskless-sync-max-replicas=2'],
        ],
      });
      const client = await server.client();
      await fill(client);
      await client.call('SET', 'large', Buffer.alloc(LARGE_BYTES, 'x'));
      await client.call('FUNCTION', 'LOAD', LIBRARY);
      const replicas = await Promise.all([startReplica(server), startReplica(server)]);
      const readers = await Promise.all(replicas.map((replica) => replica.client()));
      for (const reader of readers) await untilLinked(reader);
      await client.call('APPEND', 'large', Buffer.alloc(LARGE_BYTES, 'y'));
      await client.call('SET', 'other', Buffer.alloc(LARGE_BYTES, 'z'));
      await caughtUp(client, 2);
      for (const replica of replicas) assert.equal(await differences(server, replica), []);
      assert.is(await readers[0]!.call('FCALL_RO', 'answer', 0).catch(() => 'no'), 'no');
      assert.is(await readers[0]!.call('STRLEN', 'large'), 2 * LARGE_BYTES);
      assert.is(await stat(client, 'sync_full'), '2');
      for (const replica of replicas) await replica.stop();
      await server.stop();
    },
  );

  primary('a link that was cut goes on from the backlog', async () => {
    const server = await startServer({ shards: SHARDS, args: AT_ONCE });
    const client = await server.client();
    const replica = await startReplica(server);
    const reader = await replica.client();
    await untilLinked(reader);
    for (let round = 0; round < 5; round += 1) {
      await client.pipeline(
        Array.from({ length: 200 }, (_, nth) => ['RPUSH', `list:${nth % 7}`, `${round}.${nth}`]),
      );
      assert.is(await client.call('CLIENT', 'KILL', 'TYPE', 'replica'), 1);
      await client.call('SET', 'round', round);
      await caughtUp(client, 1);
    }
    assert.equal(await differences(server, replica), []);
    assert.is(await stat(client, 'sync_full'), '1');
    assert.is(await stat(client, 'sync_partial_ok'), '5');
    await replica.stop();
    await server.stop();
  });

  primary('what is told of a replica', async () => {
    const server = await startServer({ shards: SHARDS, args: AT_ONCE });
    const client = await server.client();
    assert.equal(await client.call('ROLE'), ['master', 0, []]);
    const replica = await startReplica(server);
    const reader = await replica.client();
    await untilLinked(reader);
    await client.call('SET', 'a', '1');
    await caughtUp(client, 1);
    const [role, offset, replicas] = (await client.call('ROLE')) as [string, number, unknown[]];
    assert.is(role, 'master');
    assert.ok(offset > 0);
    assert.is(replicas.length, 1);
    assert.equal((replicas[0] as unknown[]).slice(0, 2), ['127.0.0.1', String(replica.port)]);
    const info = await infoOf(client);
    assert.is(info['connected_slaves'], '1');
    assert.match(
      info['slave0'] ?? '',
      new RegExp(`^ip=127.0.0.1,port=${replica.port},state=online,offset=\\d+,lag=\\d+$`),
    );
    assert.is(info['master_replid'], (await infoOf(reader))['master_replid']);
    assert.is(info['repl_backlog_active'], '1');
    assert.is(Number(info['repl_backlog_histlen']) > 0, true);
    const list = textOf(await client.call('CLIENT', 'LIST', 'TYPE', 'replica'));
    assert.match(list, /flags=S /);
    await replica.stop();
    await until(async () => (await infoOf(client))['connected_slaves'] === '0', 'it is gone');
    await server.stop();
  });

  primary('the debug API and STATUS tell of replicas', async () => {
    const server = await startServer({ shards: SHARDS, http: true, args: AT_ONCE });
    const client = await server.client();
    const status = async (): Promise<StatusDocument> =>
      (await request(server.httpPort, '/status/json')).json() as StatusDocument;
    assert.is((await status()).cluster.mode, 'standalone');
    const replica = await startReplica(server);
    await untilLinked(await replica.client());
    await client.call('SET', 'a', '1');
    await caughtUp(client, 1);
    const document = (
      await request(server.httpPort, '/debug/api/replication')
    ).json() as ReplicationDocument;
    assert.is(document.role, 'primary');
    assert.is(document.primary, null);
    assert.is(document.backlog.active, true);
    assert.is(document.waiting_units, 0);
    const [report] = document.replicas;
    assert.is(report?.state, 'online');
    assert.is(report?.listening_port, replica.port);
    assert.ok((report?.offset ?? 0) > 0);
    assert.is((await status()).cluster.mode, 'primary');
    await replica.stop();
    const codes = async (): Promise<string[]> =>
      (await status()).health.issues.map(({ code }) => code);
    await until(async () => (await codes()).includes('REPLICA_DOWN'), 'its absence is told');
    await server.stop();
  });

  primary('a server that ends leaves its replicas with all data', async () => {
    const server = await startServer({ shards: SHARDS, args: AT_ONCE });
    const client = await server.client();
    const replica = await startReplica(server);
    const reader = await replica.client();
    await untilLinked(reader);
    const commands = Array.from({ length: 20_000 }, (_, nth) => ['RPUSH', `list:${nth % 9}`, 'x']);
    await client.pipeline(commands);
    await server.stop();
    let length = 0;
    for (let nth = 0; nth < 9; nth += 1) {
      length += Number(await reader.call('LLEN', `list:${nth}`));
    }
    assert.is(length, commands.length);
    await replica.stop();
  });

  primary(
    'a replica that reads nothing is closed at its limit, which is no less than the backlog',
    async () => {
      const server = await startServer({ shards: SHARDS, args: AT_ONCE });
      const client = await server.client();
      await client.call('CONFIG', 'SET', 'client-output-buffer-limit', 'replica 1mb 0 0');
      await client.call('CONFIG', 'SET', 'repl-backlog-size', 8 * MIB);
      const slow = await server.client();
      await slow.call('REPLCONF', 'capa', 'eof');
      slow.raw('PSYNC ? -1\r\n');
      slow.socket.pause();
      const connected = async (): Promise<string | undefined> =>
        (await infoOf(client))['connected_slaves'];
      await until(async () => (await connected()) === '1', 'it is a replica');
      await client.call('SET', 'a', Buffer.alloc(2 * MIB));
      assert.is(await connected(), '1');
      await until(async () => {
        await client.call('SET', 'a', Buffer.alloc(2 * MIB));
        return (await connected()) === '0';
      }, 'it is closed');
      await server.stop();
    },
  );

  primary('writes need as many replicas as is said', async () => {
    const server = await startServer({ shards: SHARDS, args: AT_ONCE });
    const client = await server.client();
    await client.call('CONFIG', 'SET', 'min-replicas-to-write', '1');
    const refused = 'NOREPLICAS Not enough good replicas to write.';
    assert.is(await errorOf(client, '1'), refused);
    assert.is(await client.call('GET', 'a'), null);
    const ofScript = async (command: string, script: string): Promise<unknown> => {
      const reply = await client.reply(command, script, 0);
      return reply instanceof ReplyError ? reply.message.replace(/ script: .*/, '') : reply;
    };
    const write = "return redis.call('SET', 'a', '1')";
    assert.is(await ofScript('EVAL', write), refused);
    assert.is(await ofScript('EVAL', `#!lua\nreturn 1`), refused);
    assert.is(await ofScript('EVAL', '#!lua flags=no-writes\nreturn 1'), 1);
    assert.is(await ofScript('EVAL', "return redis.call('GET', 'a')"), null);
    assert.is(await ofScript('EVAL_RO', 'return 1'), 1);
    const replica = await startReplica(server);
    await untilLinked(await replica.client());
    await until(async () => (await client.reply('SET', 'a', '1')) === 'OK', 'writes are taken');
    assert.is(await ofScript('EVAL', write), 'OK');
    await replica.stop();
    await until(async () => (await errorOf(client, '2')) === refused, 'they are not');
    await server.stop();
  });

  primary('nobody sees half of what concerns several shards', async () => {
    const server = await startServer({ shards: SHARDS, args: AT_ONCE });
    const client = await server.client();
    const writer = await server.client();
    const replica = await startReplica(server);
    const reader = await replica.client();
    await untilLinked(reader);
    const keys = keyPerShard(SHARDS);
    let isDone = false;
    const write = async (): Promise<void> => {
      for (let nth = 0; nth < 600; nth += 1) {
        const pairs = keys.flatMap((key) => [key, String(nth)]);
        if (nth % 3 === 0) await client.call('MSET', ...pairs);
        else if (nth % 3 === 1) {
          await client.pipeline([
            ['MULTI'],
            ...keys.map((key) => ['SET', key, String(nth)]),
            ['EXEC'],
          ]);
        } else {
          const script = 'for i, k in ipairs(KEYS) do redis.call("set", k, ARGV[1]) end';
          await client.call('EVAL', script, keys.length, ...keys, nth);
        }
      }
      isDone = true;
    };
    const disturb = async (): Promise<void> => {
      for (let nth = 0; !isDone; nth += 1) {
        await writer.call('RENAME', `from:${nth}`, `to:${nth}`).catch(() => undefined);
        await writer.call('SUNIONSTORE', `u:${nth % 5}`, 'a', 'b', 'c');
        await writer.call('MSET', `from:${nth + 1}`, '1', `x:${nth % 9}`, '2', `y:${nth % 5}`, '3');
      }
    };
    const read = async (): Promise<void> => {
      while (!isDone) {
        const values = (await reader.call('MGET', ...keys)) as (string | null)[];
        assert.is(new Set(values).size, 1, `half of a unit: ${values.join(' ')}`);
      }
    };
    await Promise.all([write(), disturb(), read()]);
    await caughtUp(client, 1);
    assert.equal(await differences(server, replica), []);
    await replica.stop();
    await server.stop();
  });

  primary("messages that are published are the replicas' too", async () => {
    const server = await startServer({ shards: SHARDS, args: AT_ONCE });
    const client = await server.client();
    const replica = await startReplica(server);
    const listener = await replica.client();
    await untilLinked(listener);
    await listener.call('SUBSCRIBE', 'channel');
    await client.call('PUBLISH', 'channel', 'message');
    await until(() => listener.pushes.length > 0, 'the message has come');
    assert.equal(listener.pushes[0], ['message', 'channel', 'message']);
    await replica.stop();
    await server.stop();
  });
}

primary.run();
