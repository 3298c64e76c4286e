/** Strings as node-redis uses them since Redis 8.4: conditions, digests, MSETEX and INCREX. */
import { createClient } from 'redis';
import { startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const strings = suite('strings of node-redis');

for (const RESP of [2, 3] as const) {
  strings(`RESP${RESP}: its commands of Redis 8.4 to 8.8`, async () => {
    const server = await startServer({ shards: 2 });
    const redis = createClient({ url: `redis://127.0.0.1:${server.port}`, RESP });
    try {
      await redis.connect();
      await redis.set('a', 'hello');
      const digest = await redis.digest('a');
      assert.is(digest, '9555e8555c62dcfd');
      assert.is(await redis.set('a', 'x', { condition: 'IFEQ', matchValue: 'y' }), null);
      assert.is(await redis.set('a', 'x', { condition: 'IFDEQ', matchValue: digest }), 'OK');
      assert.is(await redis.delEx('a', { condition: 'IFNE', matchValue: 'x' }), 0);
      assert.is(await redis.delEx('a', { condition: 'IFEQ', matchValue: 'x' }), 1);
      const expiration = { type: 'EX', value: 100 } as const;
      assert.is(await redis.mSetEx({ a: '1', b: '2' }, { expiration, mode: 'NX' }), 1);
      assert.is(await redis.ttl('b'), 100);
      assert.is(await redis.mSetEx(['c', '1', 'b', '2'], { mode: 'NX' }), 0);
      assert.equal(await redis.increx('n', { by: 5, upperBound: 3, saturate: true }), [3, 3]);
      const ending = { type: 'EX', value: 100, ENX: true } as const;
      const sums = await redis.incrExByFloat('n', 0.5, { expiration: ending });
      assert.equal(sums.map(Number), [3.5, 0.5]);
      assert.is(await redis.ttl('n'), 100);
    } finally {
      redis.destroy();
      await server.stop();
    }
  });
}

strings.run();
