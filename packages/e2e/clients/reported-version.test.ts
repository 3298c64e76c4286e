/** Reports of HELLO and other surfaces about the server: the version of Redis, and the role. */
import { request, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const reported = suite('reported version of Redis');

for (const [version, number, args] of [
  ['7.4.0', 0x0007_0400, []],
  ['8.6.12', 0x0008_060c, ['--set', 'server.reported-redis-version=8.6.12']],
] as const) {
  reported(`${version} is told everywhere`, async () => {
    const names = ['--set', 'http.redis-exporter-names=true'];
    const server = await startServer({ shards: 2, http: true, args: [...args, ...names] });
    try {
      const client = await server.client();
      const info = textOf(await client.call('INFO', 'server'));
      assert.ok(info.includes(`redis_version:${version}\r\n`), info);
      const hello = (await client.call('HELLO', '2')) as unknown[];
      assert.is(hello[hello.indexOf('version') + 1], version);
      assert.ok(textOf(await client.call('LOLWUT')).includes(`Redis ver. ${version}`));
      const script = 'return {redis.REDIS_VERSION, redis.REDIS_VERSION_NUM}';
      for (const key of ['a', 'b', 'c']) {
        assert.equal(await client.call('EVAL', script, '1', key), [version, number], key);
      }
      const { text } = await request(server.httpPort, '/metrics');
      assert.match(text, new RegExp(`redis_version="${version}"`));
    } finally {
      await server.stop();
    }
  });
}

reported('stands beside the role, which a replica has too', async () => {
  const server = await startServer();
  try {
    const client = await server.client();
    const role = async (): Promise<unknown> => {
      const hello = (await client.call('HELLO', '2')) as unknown[];
      return hello[hello.indexOf('role') + 1];
    };
    assert.is(await role(), 'master');
    await client.call('REPLICAOF', '127.0.0.1', '1');
    assert.is(await role(), 'replica');
    await client.call('REPLICAOF', 'NO', 'ONE');
    assert.is(await role(), 'master');
  } finally {
    await server.stop();
  }
});

reported('is refused when it is no version', async () => {
  for (const version of ['8', '8.6', 'x.y.z', '8.6.256', '8.6.0-rc1']) {
    const args = ['--set', `server.reported-redis-version=${version}`];
    const error = await startServer({ args }).then(
      () => undefined,
      (reason: unknown) => String(reason),
    );
    assert.match(error ?? '', /reported-redis-version/, version);
  }
});

reported.run();
