/** Applications come with ioredis or node-redis: what they do on their own must work too. */
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { type ChildServer, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const applications = suite('clients of Node');

let server: ChildServer;

applications.before(async () => {
  server = await startServer({ shards: 2 });
});
applications.after(async () => {
  await server.stop();
});

const killAll = async (): Promise<void> => {
  const admin = await server.client();
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal');
  await admin.end();
};

applications('ioredis: strings, pipelines, binary values, several keys', async () => {
  const redis = new Redis(server.port, '127.0.0.1');
  try {
    assert.is(await redis.set('io', 'value', 'EX', 100), 'OK');
    assert.is(await redis.get('io'), 'value');
    assert.is(await redis.ttl('io'), 100);
    assert.is(await redis.incrby('io:n', 5), 5);
    const bytes = Buffer.from([0, 255, 13, 10, 0]);
    await redis.set('io:bytes', bytes);
    assert.ok(bytes.equals((await redis.getBuffer('io:bytes'))!));
    await redis.mset({ 'io:a': '1', 'io:b': '2' });
    assert.equal(await redis.mget('io:a', 'io:none', 'io:b'), ['1', null, '2']);
    const results = await redis.pipeline().incr('io:n').get('io:n').getrange('io', 1, 2).exec();
    assert.equal(results, [
      [null, 6],
      [null, '6'],
      [null, 'al'],
    ]);
    const failed = await redis.pipeline().incr('io').exec();
    assert.match(String(failed?.[0]?.[0]), /value is not an integer/);
    const found: string[] = [];
    for await (const keys of redis.scanStream({ match: 'io:*', count: 2 })) {
      found.push(...(keys as string[]));
    }
    assert.equal([...new Set(found)].sort(), ['io:a', 'io:b', 'io:bytes', 'io:n']);
  } finally {
    redis.disconnect();
  }
});

applications('ioredis: comes back after its connection was killed', async () => {
  const redis = new Redis(server.port, '127.0.0.1', { retryStrategy: () => 10 });
  try {
    await redis.set('kept', 'yes');
    const back = new Promise((resolve) => redis.once('reconnecting', resolve));
    await killAll();
    await back;
    assert.is(await redis.get('kept'), 'yes');
  } finally {
    redis.disconnect();
  }
});

for (const RESP of [2, 3] as const) {
  applications(`node-redis over RESP${String(RESP)}: strings, pipelines, options`, async () => {
    const redis = createClient({
      RESP,
      name: 'application',
      database: 2,
      socket: { port: server.port, host: '127.0.0.1' },
    });
    try {
      await redis.connect();
      assert.is(await redis.set('node', 'value', { expiration: { type: 'EX', value: 50 } }), 'OK');
      assert.is(await redis.get('node'), 'value');
      assert.is(await redis.clientGetName(), 'application');
      await redis.mSet([
        ['node:a', '1'],
        ['node:b', '2'],
      ]);
      assert.equal(await redis.mGet(['node:a', 'node:none', 'node:b']), ['1', null, '2']);
      // Sent in one turn, and so as one pipeline.
      const replies = await Promise.all([
        redis.incr('node:a'),
        redis.rename('node:a', 'node:c'),
        redis.get('node:c'),
        redis.exists(['node:a', 'node:b']),
      ]);
      assert.equal(replies, [2, 'OK', '2', 1]);
      const config = await redis.configGet('maxmemory-policy');
      assert.equal({ ...config }, { 'maxmemory-policy': 'noeviction' });
      const failure: unknown = await redis.incr('node').catch((error: unknown) => error);
      assert.match(String(failure), /value is not an integer/);
      const found: string[] = [];
      for await (const keys of redis.scanIterator({ MATCH: 'node*' })) found.push(...keys);
      assert.equal([...new Set(found)].sort(), ['node', 'node:b', 'node:c']);
      assert.is(await redis.flushDb(), 'OK');
    } finally {
      redis.destroy();
    }
  });
}

applications('node-redis: comes back after its connection was killed', async () => {
  const redis = createClient({
    socket: { port: server.port, host: '127.0.0.1', reconnectStrategy: () => 10 },
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.set('node:kept', 'yes');
    const back = new Promise((resolve) => redis.once('ready', resolve));
    await killAll();
    await back;
    assert.is(await redis.get('node:kept'), 'yes');
  } finally {
    redis.destroy();
  }
});

applications('ioredis: publish and subscribe', async () => {
  const listener = new Redis(server.port, '127.0.0.1');
  const publisher = new Redis(server.port, '127.0.0.1');
  try {
    const got: string[][] = [];
    const all = new Promise<void>((resolve) => {
      const take = (...message: string[]): void => {
        got.push(message);
        if (got.length === 3) resolve();
      };
      listener.on('message', take);
      listener.on('pmessage', take);
    });
    assert.is(await listener.subscribe('io:news', 'io:other'), 2);
    assert.is(await listener.psubscribe('io:n*'), 3);
    assert.is(await publisher.publish('io:news', 'one'), 2);
    assert.is(await publisher.publish('io:other', 'two'), 1);
    await all;
    assert.equal(got, [
      ['io:news', 'one'],
      ['io:n*', 'io:news', 'one'],
      ['io:other', 'two'],
    ]);
    await listener.unsubscribe('io:news', 'io:other');
    await listener.punsubscribe('io:n*');
    assert.is(await listener.get('io:none'), null);
  } finally {
    listener.disconnect();
    publisher.disconnect();
  }
});

for (const RESP of [2, 3] as const) {
  applications(`node-redis over RESP${String(RESP)}: publish and subscribe`, async () => {
    const options = { RESP, socket: { port: server.port, host: '127.0.0.1' } };
    const listener = createClient(options);
    const publisher = createClient(options);
    try {
      await listener.connect();
      await publisher.connect();
      const got: string[][] = [];
      let isDone: () => void;
      const all = new Promise<void>((resolve) => {
        isDone = resolve;
      });
      const take = (message: string, channel: string): void => {
        got.push([channel, message]);
        if (got.length === 3) isDone();
      };
      await listener.subscribe('node:news', take);
      await listener.pSubscribe('node:*', take);
      await listener.sSubscribe('node:shard', take);
      assert.is(await publisher.publish('node:news', 'one'), 2);
      assert.is(await publisher.sPublish('node:shard', 'two'), 1);
      await all;
      assert.equal(got.sort(), [
        ['node:news', 'one'],
        ['node:news', 'one'],
        ['node:shard', 'two'],
      ]);
      await listener.unsubscribe();
      await listener.pUnsubscribe();
      await listener.sUnsubscribe();
      assert.is(await publisher.publish('node:news', 'three'), 0);
    } finally {
      listener.destroy();
      publisher.destroy();
    }
  });
}

/** Makes a user that may only read and write keys that begin with its name. */
const makeUser = async (name: string): Promise<void> => {
  const admin = await server.client();
  await admin.call(
    'ACL',
    'SETUSER',
    name,
    'reset',
    'on',
    '>pw of it',
    '+@all',
    '-@admin',
    `~${name}:*`,
  );
  await admin.end();
};

applications('ioredis: as a user, whose denials are errors', async () => {
  await makeUser('io-user');
  const redis = new Redis(server.port, '127.0.0.1', {
    username: 'io-user',
    password: 'pw of it',
    retryStrategy: () => 10,
  });
  try {
    assert.is(await redis.acl('WHOAMI'), 'io-user');
    assert.is(await redis.set('io-user:k', 'v'), 'OK');
    const failure = (action: Promise<unknown>): Promise<unknown> =>
      action.catch((error: unknown) => error);
    assert.match(
      String(await failure(redis.get('other'))),
      /NOPERM No permissions to access a key/,
    );
    assert.match(
      String(await failure(redis.config('GET', 'port'))),
      /NOPERM User io-user has no permissions to run the 'config\|get' command/,
    );
    const results = await redis.pipeline().get('io-user:k').get('other').exec();
    assert.is(results?.[0]?.[1], 'v');
    assert.match(String(results?.[1]?.[0]), /NOPERM/);
    const transaction = await failure(redis.multi().get('io-user:k').get('other').exec());
    assert.match(String(transaction), /EXECABORT/);
    const back = new Promise((resolve) => redis.once('reconnecting', resolve));
    await killAll();
    await back;
    assert.is(await redis.acl('WHOAMI'), 'io-user');
    assert.is(await redis.get('io-user:k'), 'v');
  } finally {
    redis.disconnect();
  }
});

applications('ioredis: a wrong password is told', async () => {
  await makeUser('io-user');
  const options = { username: 'io-user', password: 'wrong', retryStrategy: () => null };
  const redis = new Redis(server.port, '127.0.0.1', { ...options, lazyConnect: true });
  const reported = new Promise((resolve) => redis.once('error', resolve));
  const failure: unknown = await redis.connect().catch((error: unknown) => error);
  assert.match(`${String(failure)} ${String(await reported)}`, /WRONGPASS/);
  redis.disconnect();
});

for (const RESP of [2, 3] as const) {
  applications(
    `node-redis over RESP${String(RESP)}: as a user, also when it comes back`,
    async () => {
      await makeUser('node-user');
      const redis = createClient({
        RESP,
        username: 'node-user',
        password: 'pw of it',
        socket: { port: server.port, host: '127.0.0.1', reconnectStrategy: () => 10 },
      });
      redis.on('error', () => undefined);
      try {
        await redis.connect();
        assert.is(await redis.aclWhoAmI(), 'node-user');
        assert.is(await redis.set('node-user:k', 'v'), 'OK');
        const failure: unknown = await redis.get('other').catch((error: unknown) => error);
        assert.match(String(failure), /NOPERM No permissions to access a key/);
        const back = new Promise((resolve) => redis.once('ready', resolve));
        await killAll();
        await back;
        assert.is(await redis.aclWhoAmI(), 'node-user');
        assert.is(await redis.get('node-user:k'), 'v');
      } finally {
        redis.destroy();
      }
    },
  );

  applications(`node-redis over RESP${String(RESP)}: a wrong password is told`, async () => {
    await makeUser('node-user');
    const redis = createClient({
      RESP,
      username: 'node-user',
      password: 'wrong',
      socket: { port: server.port, host: '127.0.0.1', reconnectStrategy: false },
    });
    redis.on('error', () => undefined);
    const failure: unknown = await redis.connect().catch((error: unknown) => error);
    assert.match(String(failure), /WRONGPASS/);
  });
}

applications.run();
