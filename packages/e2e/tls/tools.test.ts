/** Programs and libraries that people have, over TLS: redis-cli, redis-benchmark, ioredis, node-redis, openssl. */
// test-tier: long
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import {
  Certificates,
  type ChildServer,
  needs,
  type Pair,
  pem,
  startServer,
  textOf,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runTool } from '../clients/redis-tool.ts';
import { SecureServer } from './tls-server.ts';

const tools = suite('tools over tls');

let certificates: Certificates;
let shop: Pair;
let server: SecureServer;

tools.before(async () => {
  certificates = new Certificates();
  shop = certificates.newPair('shop', 'shop');
  server = await SecureServer.start(certificates, { 'tls.client-certs': 'optional' });
});
tools.after(async () => {
  await server.stop();
  certificates.remove();
});

/** Runs a tool of Redis at the TLS port. */
const run = (program: string, args: readonly string[], input = ''): Promise<string> => {
  const place = { port: server.tlsPort } as ChildServer;
  const secure = ['--tls', '--cacert', certificates.authority.certificate];
  return runTool(place, [program, ...secure, ...args], input);
};

const shown = (): string[] => ['--cert', shop.certificate, '--key', shop.key];

tools('redis-cli asks with and without a certificate', async () => {
  assert.is(await run('redis-cli', ['SET', 'cli', 'a value']), 'OK\n');
  assert.is(await run('redis-cli', [...shown(), 'GET', 'cli']), 'a value\n');
  assert.is(await run('redis-cli', ['--sni', 'localhost', '-3', 'GET', 'cli']), 'a value\n');
  assert.match(await run('redis-cli', ['CLIENT', 'LIST']), / tls=TLSv1\.3\/TLS_AES_256_GCM_SHA384/);
});

tools('redis-cli takes no certificate of another authority', async () => {
  const other = certificates.newAuthority('strangers');
  const place = { port: server.tlsPort } as ChildServer;
  const args = ['--tls', '--cacert', other.certificate, 'PING'] as const;
  const failure = await runTool(place, ['redis-cli', ...args]).catch((error: unknown) => error);
  assert.match(String(failure), /certificate verify failed/);
});

tools('redis-cli sends several MB through a pipe, and gets them back', async () => {
  const value = 'x'.repeat(1_000);
  const lines = Array.from({ length: 5_000 }, (_, nth) => `SET pipe:${nth} ${value}${nth}\r\n`);
  assert.match(await run('redis-cli', ['--pipe'], lines.join('')), /errors: 0, replies: 5000/);
  const asking = Array.from({ length: 5_000 }, (_, nth) => `GET pipe:${nth}\n`);
  const expected = Array.from({ length: 5_000 }, (_, nth) => `${value}${nth}\n`);
  assert.ok((await run('redis-cli', [], asking.join(''))) === expected.join(''));
  const long = 'y'.repeat(3_000_000);
  assert.is(await run('redis-cli', ['-x', 'SET', 'long'], long), 'OK\n');
  assert.ok((await run('redis-cli', ['GET', 'long'])) === `${long}\n`);
});

tools('redis-benchmark runs through', async () => {
  for (const load of [['-P', '1'], ['-P', '16'], shown()]) {
    const args = ['-t', 'ping,set,get,lrange_100', '-n', '3000', '-c', '20', '--csv', ...load];
    const output = await run('redis-benchmark', args);
    const rows = output.split('\n').filter((line) => /^"(PING|SET|GET|LRANGE_100)/.test(line));
    assert.is(rows.length, 5, output);
    for (const row of rows) assert.ok(Number(row.split('","')[1]) > 0, row);
    assert.not.match(output, /Error/);
  }
});

for (const isShown of [false, true]) {
  const secured = (): { ca: Buffer; cert?: Buffer; key?: Buffer } => ({
    ca: pem(certificates.authority.certificate),
    ...(isShown ? { cert: pem(shop.certificate), key: pem(shop.key) } : {}),
  });
  const how = isShown ? 'with' : 'without';

  tools(`ioredis ${how} a certificate`, async () => {
    const options = { host: '127.0.0.1', port: server.tlsPort, tls: secured() };
    const [redis, listener] = [new Redis(options), new Redis(options)];
    try {
      const bytes = Buffer.alloc(300_000, 'bytes of any kind \0\r\n');
      assert.is(await redis.set('io', bytes), 'OK');
      assert.ok(bytes.equals((await redis.getBuffer('io'))!));
      const results = await redis.pipeline().incr('io:n').strlen('io').exec();
      assert.is(results?.[1]?.[1], bytes.length);
      const heard = new Promise((resolve) => listener.on('message', (_, text) => resolve(text)));
      await listener.subscribe('io:news');
      assert.is(await redis.publish('io:news', 'one'), 1);
      assert.is(await heard, 'one');
    } finally {
      redis.disconnect();
      listener.disconnect();
    }
  });

  for (const RESP of [2, 3] as const) {
    tools(`node-redis over RESP${String(RESP)} ${how} a certificate`, async () => {
      const place = { host: '127.0.0.1', port: server.tlsPort };
      const redis = createClient({ RESP, socket: { ...place, tls: true, ...secured() } });
      try {
        await redis.connect();
        assert.is(await redis.set('node', 'value'), 'OK');
        const replies = await Promise.all([redis.get('node'), redis.exists('none')]);
        assert.equal(replies, ['value', 0]);
      } finally {
        redis.destroy();
      }
    });
  }
}

tools(
  'a node-redis client that needs no TLS is told so by an error, and nobody else is',
  async () => {
    const redis = createClient({
      socket: { host: '127.0.0.1', port: server.tlsPort, reconnectStrategy: false },
    });
    redis.on('error', () => undefined);
    assert.instance(await redis.connect().catch((error: unknown) => error), Error);
    assert.is(await server.call('PING'), 'PONG');
  },
);

tools('openssl sees a whole chain, and a clean end after QUIT', () => {
  const output = opensslClient('PING\r\nQUIT\r\n');
  assert.match(output, /Verify return code: 0 \(ok\)/);
  assert.match(output, /\+PONG\r?\n\+OK/);
  assert.match(output, /^closed$/m);
});

/** Runs openssl's own client, which continues reading when its input ends. */
function opensslClient(input: string): string {
  const place = `127.0.0.1:${server.tlsPort}`;
  const ca = ['-CAfile', certificates.authority.certificate];
  return certificates.opensslWith(input, 's_client', '-connect', place, ...ca, '-ign_eof');
}

tools('a server that has no TLS is not started with one', async () => {
  const plain = await startServer({ shards: 1 });
  const client = await plain.client();
  assert.equal(await client.call('CONFIG', 'GET', 'tls-port'), ['tls-port', '0']);
  assert.not.match(textOf(await client.call('CLIENT', 'LIST')), /tls=/);
  await plain.stop();
});

if (needs('openssl') && needs('redis-cli') && needs('redis-benchmark')) tools.run();
