/** Streams as node-redis uses them since Redis 8.2: references, claims, idempotent ids, released entries. */
import { createClient } from 'redis';
import { startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const streams = suite('streams of node-redis');

for (const RESP of [2, 3] as const) {
  streams(`RESP${RESP}: its commands of Redis 8.2 to 8.8`, async () => {
    const server = await startServer({ shards: 2 });
    const redis = createClient({ url: `redis://127.0.0.1:${server.port}`, RESP });
    try {
      await redis.connect();
      const IDMP = { pid: 'producer', iid: '1' };
      const first = await redis.xAdd('s', '*', { f: 'v' }, { IDMP });
      assert.is(await redis.xAdd('s', '*', { f: 'other' }, { IDMP }), first);
      const second = await redis.xAdd('s', '*', { a: '1', b: '2' }, { IDMPAUTO: { pid: 'p' } });
      const same = await redis.xAdd('s', '*', { b: '2', a: '1' }, { IDMPAUTO: { pid: 'p' } });
      assert.is(same, second);
      assert.is(await redis.xCfgSet('s', { IDMP_DURATION: 60, IDMP_MAXSIZE: 10 }), 'OK');
      const info = await redis.xInfoStream('s');
      assert.is(info['idmp-duration'], 60);
      assert.is(info['iids-added'], 2);
      assert.is(info['iids-duplicates'], 2);

      await redis.xGroupCreate('s', 'g', '0');
      await redis.xReadGroup('g', 'c', { key: 's', id: '>' });
      assert.is(await redis.xNack('s', 'g', 'FAIL', [first]), 1);
      const claimed = await redis.xReadGroup('g', 'd', { key: 's', id: '>' }, { CLAIM: 1_000_000 });
      const texts = JSON.stringify(claimed);
      assert.ok(texts.includes(first) && !texts.includes(second), texts);

      assert.equal(await redis.xDelEx('s', [first, second], 'ACKED'), [2, 2]);
      assert.equal(await redis.xAckDel('s', 'g', first, 'DELREF'), [1]);
      assert.equal(await redis.xDelEx('s', [second, '1-1'], 'DELREF'), [1, -1]);
      const TRIM = { strategy: 'MAXLEN', threshold: 0, policy: 'ACKED' } as const;
      await redis.xAdd('s', '*', { f: 'v' }, { TRIM });
      assert.is(await redis.xLen('s'), 1);
    } finally {
      redis.destroy();
      await server.stop();
    }
  });
}

streams.run();
