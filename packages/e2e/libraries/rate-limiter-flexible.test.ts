/** rate-limiter-flexible, whose points are counted by a script. */
// test-tier: long
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type ChildServer, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const limits = suite('rate-limiter-flexible');

const POINTS = 5;
/** Nothing of this ends while a test runs. */
const LONG_S = 3_600;

/** Returns what a limiter answers, whether it grants the points or not. */
const answered = (asked: Promise<unknown>): Promise<unknown> =>
  asked.catch((refusal: unknown) => refusal);

for (const shards of [1, 3]) {
  let server: ChildServer;
  limits(`${String(shards)} shards: the server starts`, async () => {
    server = await startServer({ shards });
  });

  const test = (name: string, run: (client: Redis) => Promise<void>): void => {
    limits(`${String(shards)} shards: ${name}`, async () => {
      const client = new Redis(server.port, '127.0.0.1', { maxRetriesPerRequest: 0 });
      client.on('error', () => undefined);
      try {
        await run(client);
      } finally {
        client.disconnect();
      }
    });
  };
  const limiterOf = (storeClient: unknown, keyPrefix: string): RateLimiterRedis =>
    new RateLimiterRedis({ storeClient, keyPrefix, points: POINTS, duration: LONG_S });

  test('points are consumed until none is left', async (client) => {
    const limiter = limiterOf(client, 'consume');
    for (let nth = 1; nth <= POINTS; nth += 1) {
      const granted = await limiter.consume('key');
      assert.equal(
        [granted.consumedPoints, granted.remainingPoints, granted.isFirstInDuration],
        [nth, POINTS - nth, nth === 1],
      );
      assert.ok(granted.msBeforeNext > 0 && granted.msBeforeNext <= LONG_S * 1_000);
    }
    const refused = await answered(limiter.consume('key', 2));
    assert.instance(refused, RateLimiterRes);
    assert.is((refused as RateLimiterRes).consumedPoints, POINTS + 2);
    assert.is((await limiter.get('key'))?.consumedPoints, POINTS + 2);
    assert.is(await limiter.get('other'), null);
  });

  test('many consumers at a time get no more than there is', async (client) => {
    const limiter = limiterOf(client, 'many');
    const other = new Redis(server.port, '127.0.0.1');
    const others = limiterOf(other, 'many');
    const keys = Array.from({ length: 8 }, (_, nth) => `key:${String(nth)}`);
    try {
      for (const key of keys) {
        const asked = Array.from({ length: 4 * POINTS }, (_, nth) =>
          (nth % 2 === 0 ? limiter : others).consume(key),
        );
        const ends = await Promise.allSettled(asked);
        assert.is(ends.filter(({ status }) => status === 'fulfilled').length, POINTS);
      }
    } finally {
      other.disconnect();
    }
  });

  test('penalties, rewards, blocks, and an end of them', async (client) => {
    const limiter = limiterOf(client, 'penalty');
    assert.is((await limiter.penalty('key', 3)).consumedPoints, 3);
    assert.is((await limiter.reward('key', 2)).consumedPoints, 1);
    assert.is((await limiter.consume('key')).remainingPoints, POINTS - 2);
    await limiter.block('key', LONG_S);
    assert.instance(await answered(limiter.consume('key')), RateLimiterRes);
    assert.ok(await limiter.delete('key'));
    assert.not(await limiter.delete('key'));
    assert.is((await limiter.consume('key')).consumedPoints, 1);
    await limiter.set('key', POINTS, 0);
    assert.is((await limiter.get('key'))?.msBeforeNext, -1);
  });

  test('a key that was consumed too often is blocked for longer', async (client) => {
    const limiter = new RateLimiterRedis({
      storeClient: client,
      keyPrefix: 'block',
      points: 1,
      duration: LONG_S,
      blockDuration: 2 * LONG_S,
    });
    await limiter.consume('key');
    const refused = (await answered(limiter.consume('key'))) as RateLimiterRes;
    assert.ok(refused.msBeforeNext > LONG_S * 1_000);
    assert.ok((await client.pttl('block:key')) > LONG_S * 1_000);
  });

  test('points end with their time', async (client) => {
    const limiter = new RateLimiterRedis({
      storeClient: client,
      keyPrefix: 'short',
      points: 1,
      duration: 1,
    });
    await limiter.consume('key');
    await client.pexpire('short:key', 1);
    await until(async () => (await limiter.get('key')) === null, 'the points have ended');
    assert.is((await limiter.consume('key')).consumedPoints, 1);
  });

  test('node-redis counts on the same keys', async (client) => {
    const redis = createClient({ socket: { port: server.port, host: '127.0.0.1' } });
    try {
      await redis.connect();
      const limiter = new RateLimiterRedis({
        storeClient: redis,
        useRedisPackage: true,
        keyPrefix: 'both',
        points: POINTS,
        duration: LONG_S,
      });
      assert.is((await limiterOf(client, 'both').consume('key', 2)).consumedPoints, 2);
      assert.is((await limiter.consume('key', 2)).consumedPoints, 4);
      assert.instance(await answered(limiter.consume('key', 2)), RateLimiterRes);
    } finally {
      redis.destroy();
    }
  });

  test('the insurance stands in when the server is gone', async (client) => {
    const limiter = new RateLimiterRedis({
      storeClient: client,
      keyPrefix: 'insured',
      points: POINTS,
      duration: LONG_S,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory({ points: 1, duration: LONG_S }),
    });
    await client.ping();
    assert.is((await limiter.consume('key', 3)).remainingPoints, POINTS - 3);
    const gone = new Promise((resolve) => client.once('close', resolve));
    await server.stop();
    await gone;
    assert.is((await limiter.consume('key')).remainingPoints, 0);
    assert.instance(await answered(limiter.consume('key')), RateLimiterRes);
  });
}

limits.run();
