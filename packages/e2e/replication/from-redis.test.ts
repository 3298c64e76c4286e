/** svc as the replica of a Redis: all data, the stream, links that are cut, and what clients of the replica see. */
// test-tier: long

import {
  type ChildServer,
  contentsOf,
  fill,
  LinkProxy,
  needs,
  redisProgram,
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

const replica = suite('a replica of Redis');

const SYNC = ['--set', 'persistence.durability-mode=sync'];
const NOW = ['--set', 'replication.diskless-sync-delay-secs=0'];
const AT_ONCE = ['--repl-diskless-sync-delay', '0'];

interface Pair {
  readonly redis: ChildServer;
  readonly server: ChildServer;
  readonly primary: RespClient;
  readonly here: RespClient;
  /** Makes a proxy before the Redis. */
  readonly proxied: () => Promise<LinkProxy>;
}

/** A Redis and a server, both ended behind the test. */
async function pair(
  run: (pair: Pair) => Promise<void>,
  { redisArgs = AT_ONCE, args = [] as readonly string[] } = {},
): Promise<void> {
  const redis = await startRedis(redisArgs);
  const server = await startServer({ shards: 3, args });
  const proxies: LinkProxy[] = [];
  const proxied = async (): Promise<LinkProxy> => {
    const proxy = await LinkProxy.to(redis.port);
    proxies.push(proxy);
    return proxy;
  };
  try {
    const primary = await redis.client({ buffers: true });
    const here = await server.client({ buffers: true });
    await run({ redis, server, primary, here, proxied });
  } finally {
    await server.stop();
    await redis.stop();
    for (const proxy of proxies) await proxy.close();
  }
}

async function follow({ redis, here }: Pick<Pair, 'redis' | 'here'>): Promise<void> {
  assert.is(textOf(await here.call('REPLICAOF', '127.0.0.1', redis.port)), 'OK');
  await untilLinked(here);
}

if (needs(redisProgram())) {
  for (const isDiskless of ['yes', 'no']) {
    replica(
      `has all data that came ${isDiskless === 'yes' ? 'diskless' : 'as a file'}, and the stream`,
      () =>
        pair(
          async ({ redis, server, primary, here }) => {
            await fill(primary);
            await primary.call('FUNCTION', 'LOAD', LIBRARY);
            await here.call('SET', 'of before', '1');
            await here.call(
              'FUNCTION',
              'LOAD',
              LIBRARY.replace('name=lib', 'name=other').replace("'f'", "'g'"),
            );
            await follow({ redis, here });
            for (let round = 0; round < 30; round += 1) await change(primary, round);
            await untilSame(primary, here);
            assert.equal(await contentsOf(here), await contentsOf(primary));
            assert.is(textOf(await here.call('FCALL_RO', 'f', '0')), '7');
            assert.is((await infoOf(here, 'stats'))['unexpected_error_replies'], '0');
            assert.not.match(server.stdout, 'cannot all be run');
          },
          { redisArgs: [...AT_ONCE, '--repl-diskless-sync', isDiskless] },
        ),
    );
  }

  replica('goes on where a link was cut, under load, within transactions too', () =>
    pair(async ({ redis, primary, here, proxied }) => {
      await fill(primary);
      const proxy = await proxied();
      await here.call('REPLICAOF', '127.0.0.1', proxy.port);
      await untilLinked(here);
      let taken = 0;
      for (let round = 0; round < 40; round += 1) {
        await change(primary, round);
        if (round % 8 === 3) {
          taken = proxy.taken;
          proxy.cut();
        }
        if (round % 8 !== 6) continue;
        await until(() => proxy.taken > taken, 'the link is made again');
        await untilLinked(here);
      }
      await untilSame(primary, here);
      assert.equal(await contentsOf(here), await contentsOf(primary));
      const stats = await infoOf(primary, 'stats');
      assert.is(stats['sync_full'], '1', redis.stdout);
      assert.is(stats['sync_partial_ok'], '5');
    }),
  );

  replica('acknowledges what it has applied, when it is asked', () =>
    pair(async ({ redis, primary, here }) => {
      await follow({ redis, here });
      for (let round = 0; round < 20; round += 1) {
        await primary.call('SET', 'key', String(round));
        assert.is(await primary.call('WAIT', '1', '15000'), 1);
        assert.is(textOf(await here.call('GET', 'key')), String(round));
      }
    }),
  );

  replica('tells what it has on disk, where it keeps a log', async () => {
    const [primary, server] = [await startServer({ args: [...NOW, ...SYNC] }), await startServer()];
    try {
      const writer = await primary.client();
      const here = await server.client();
      await here.call('REPLICAOF', '127.0.0.1', primary.port);
      await untilLinked(here);
      await writer.call('SET', 'key', 'value');
      assert.equal(await writer.call('WAITAOF', '1', '1', '15000'), [1, 1]);
      await here.call('CONFIG', 'SET', 'appendonly', 'no');
      await writer.call('SET', 'key', 'other');
      assert.equal(await writer.call('WAITAOF', '1', '1', '50'), [1, 0]);
    } finally {
      await server.stop();
      await primary.stop();
    }
  });

  replica('refuses writes of clients, of their transactions and scripts', () =>
    pair(async ({ redis, server, primary, here }) => {
      await primary.call('SET', 'key', 'value');
      const READONLY = "READONLY You can't write against a read only replica.";
      await here.call('MULTI');
      await here.call('SET', 'key', 'mine');
      await follow({ redis, here: await server.client() });
      assert.is(
        await errorOf(here.call('EXEC')),
        `EXECABORT Transaction discarded because of: ${READONLY}`,
      );
      assert.is(await errorOf(here.call('SET', 'key', 'mine')), READONLY);
      assert.match(
        await errorOf(here.call('EVAL', "return redis.call('SET', KEYS[1], 'x')", '1', 'key')),
        READONLY,
      );
      assert.is(
        await errorOf(
          here.call('EVAL', "#!lua\nreturn redis.call('SET', KEYS[1], 'x')", '1', 'key'),
        ),
        'READONLY You can not run script with write flag on readonly replica.',
      );
      assert.is(
        textOf(await here.call('EVAL', "return redis.call('GET', KEYS[1])", '1', 'key')),
        'value',
      );
      assert.is(await here.call('PUBLISH', 'channel', 'message'), 0);
      await here.call('CONFIG', 'SET', 'replica-read-only', 'no');
      assert.is(textOf(await here.call('SET', 'own', 'mine')), 'OK');
      // Counted before: on a busy machine, some may expire before they are counted.
      const keys = await here.call('DBSIZE');
      await here.call('SET', 'own and short', 'mine', 'PX', '40');
      await here.call('RPUSH', 'own list', 'mine');
      await here.call('PEXPIRE', 'own list', '50');
      await until(async () => (await here.call('DBSIZE')) === keys, 'own keys are gone');
      assert.is((await infoOf(here, 'stats'))['slave_expires_tracked_keys'], '0');
      assert.is(
        textOf(await here.call('EVAL', "return redis.call('SET', KEYS[1], 'x')", '1', 'own')),
        'OK',
      );
    }),
  );

  replica(
    'ends the waits of clients when it becomes one, and serves writes when it is one no more',
    () =>
      pair(async ({ redis, server, primary, here }) => {
        await primary.call('SET', 'key', 'value');
        const [one, other] = [await server.client(), await server.client()];
        const ended = [
          errorOf(one.call('BLPOP', 'list', '0')),
          errorOf(other.call('BLPOP', 'list:1', 'list:2', 'list:3', 'list:4', '0')),
        ];
        await until(
          async () => (await infoOf(here, 'clients'))['blocked_clients'] === '2',
          'two wait',
        );
        await follow({ redis, here });
        for (const error of ended)
          assert.match(await error, 'UNBLOCKED force unblock from blocking');
        await Promise.all([one.closed, other.closed]);
        assert.equal(roleOf(await here.call('ROLE')), `slave 127.0.0.1 ${redis.port} connected`);
        assert.is(
          textOf(await here.call('REPLICAOF', '127.0.0.1', redis.port)),
          'OK Already connected to specified master',
        );
        assert.equal(((await here.call('CONFIG', 'GET', 'replicaof')) as Buffer[]).map(String), [
          'replicaof',
          `127.0.0.1 ${redis.port}`,
        ]);
        assert.is(textOf(await here.call('REPLICAOF', 'no', 'one')), 'OK');
        assert.match(roleOf(await here.call('ROLE')), 'master');
        assert.is(textOf(await here.call('SET', 'key', 'mine')), 'OK');
        await primary.call('SET', 'key', 'theirs');
        assert.is(textOf(await here.call('GET', 'key')), 'mine');
      }),
  );

  replica('keeps what is over until its primary removes it, and shows it to nobody', () =>
    pair(async ({ redis, primary, here }) => {
      await follow({ redis, here });
      await primary.call('DEBUG', 'SET-ACTIVE-EXPIRE', '0').catch(() => undefined);
      await primary.pipeline([
        ['SET', 'over', 'x', 'PX', '1'],
        ['SET', 'kept', 'x', 'PX', '100000'],
        ['PEXPIREAT', 'kept', '4102444800123'],
      ]);
      await untilSame(primary, here);
      await until(async () => (await here.call('GET', 'over')) === null, 'the key is over');
      assert.is(await here.call('EXISTS', 'over'), 0);
      assert.is(textOf(await here.call('GET', 'kept')), 'x');
      assert.is((await infoOf(here, 'stats'))['expired_keys'], '0');
    }),
  );

  replica('watches break and tracked keys are told when all data are others', () =>
    pair(async ({ redis, server, primary, here }) => {
      await primary.call('SET', 'key', 'theirs');
      const watching = await server.client();
      await watching.call('SET', 'key', 'mine');
      await watching.call('WATCH', 'key');
      await watching.call('MULTI');
      await watching.call('GET', 'key');
      const reader = await server.client();
      await reader.call('HELLO', '3');
      await reader.call('CLIENT', 'TRACKING', 'on');
      await reader.call('GET', 'key');
      await follow({ redis, here });
      assert.is(await watching.call('EXEC'), null);
      await until(
        () => JSON.stringify(reader.pushes).includes('invalidate'),
        'all keys are invalid',
      );
    }),
  );

  replica('without a link answers from what it has, or refuses to', () =>
    pair(async ({ primary, here, proxied }) => {
      await primary.call('SET', 'key', 'value');
      const proxy = await proxied();
      await here.call('REPLICAOF', '127.0.0.1', proxy.port);
      await untilLinked(here);
      proxy.isClosed = true;
      proxy.cut();
      await until(
        async () => (await infoOf(here))['master_link_status'] === 'down',
        'the link is down',
      );
      assert.is(textOf(await here.call('GET', 'key')), 'value');
      await here.call('CONFIG', 'SET', 'replica-serve-stale-data', 'no');
      assert.is(
        await errorOf(here.call('GET', 'key')),
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
      );
      proxy.isClosed = false;
      await untilLinked(here);
      assert.is(textOf(await here.call('GET', 'key')), 'value');
    }),
  );

  replica('a primary that says nothing is left after repl-timeout', () =>
    pair(async ({ here, proxied }) => {
      const proxy = await proxied();
      await here.call('CONFIG', 'SET', 'repl-timeout', '1');
      await here.call('REPLICAOF', '127.0.0.1', proxy.port);
      await untilLinked(here);
      proxy.isSilent = true;
      await until(() => proxy.taken > 1, 'the link is made again');
      proxy.isSilent = false;
      await untilLinked(here);
    }),
  );

  replica('logs in, by settings that a start finds, and says why it cannot', async () => {
    const redis = await startRedis(AT_ONCE);
    const opener = await redis.client();
    await opener.call('CONFIG', 'SET', 'requirepass', 'right');
    const args = [
      '--set',
      'replication.primary-host=127.0.0.1',
      '--set',
      `replication.primary-port=${redis.port}`,
    ];
    const server = await startServer({
      args: [...args, '--set', 'replication.primary-password=wrong'],
    });
    try {
      const here = await server.client();
      await until(() => server.stdout.includes('replied to AUTH with'), 'the login is refused');
      assert.not.match(server.stdout, /replied to AUTH with: .*wrong"/);
      assert.equal(await here.call('CONFIG', 'SET', 'masterauth', 'right'), 'OK');
      await untilLinked(here);
      assert.equal(await here.call('CONFIG', 'SET', 'masteruser', 'nobody'), 'OK');
      assert.is(await here.call('CLIENT', 'KILL', 'TYPE', 'master'), 1);
      await until(
        () => server.stdout.split('replied to AUTH with').length > 2,
        'the user is refused',
      );
      await here.call('CONFIG', 'SET', 'masteruser', 'default');
      await untilLinked(here);
      assert.match(textOf(await here.call('CLIENT', 'LIST', 'TYPE', 'master')), /flags=M.* cmd=/);
    } finally {
      await server.stop();
      await redis.stop();
    }
  });
}

const LIBRARY =
  "#!lua name=lib\nredis.register_function{function_name='f', callback=function() return 7 end, flags={'no-writes'}}";

/** Text of the error that a reply is to be. */
async function errorOf(reply: Promise<unknown>): Promise<string> {
  const [outcome] = await Promise.allSettled([reply]);
  return outcome.status === 'rejected' ? (outcome.reason as Error).message : 'no error';
}

function roleOf(reply: unknown): string {
  return (reply as unknown[]).slice(0, 4).map(String).join(' ');
}

replica.run();
