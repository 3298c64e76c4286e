/** Replication over TLS: svc and Redis in both roles. */
// test-tier: long
import {
  Certificates,
  type ChildServer,
  freePort,
  isSecure,
  needs,
  redisProgram,
  ReplyError,
  settingArguments,
  startRedis,
  startServer,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tlsArguments } from '../tls/tls-server.ts';
import { infoOf, untilLinked } from './info.test-helper.ts';
import { AT_ONCE, caughtUp } from './replicas.test-helper.ts';

const secure = suite('replication over TLS');

let certificates: Certificates;
let primary: ChildServer;
let primaryPort: number;

secure.before(async () => {
  certificates = new Certificates();
  primaryPort = await freePort();
  const required = { 'tls.client-certs': 'required' };
  const args = [...AT_ONCE, ...tlsArguments(certificates, primaryPort, required)];
  primary = await startServer({ shards: 2, args });
});
secure.after(async () => {
  await primary.stop();
  certificates.remove();
});

/** Starts a replica of the primary's port of TLS. */
async function startSecure(settings: Readonly<Record<string, string>> = {}): Promise<ChildServer> {
  const { server, authority } = certificates;
  const args = settingArguments({
    'tls.replication': 'yes',
    'tls.ca-file': authority.certificate,
    'tls.cert-file': server.certificate,
    'tls.key-file': server.key,
    'replication.primary-host': '127.0.0.1',
    'replication.primary-port': String(primaryPort),
    ...settings,
  });
  return startServer({ shards: 2, args });
}

const redisTls = (port: number): string[] => [
  ...['--tls-port', String(port), '--tls-replication', 'yes'],
  ...['--tls-cert-file', certificates.server.certificate],
  ...['--tls-key-file', certificates.server.key],
  ...['--tls-ca-cert-file', certificates.authority.certificate],
];

secure('svc follows svc, and shows its certificate', async () => {
  const client = await primary.client();
  await client.call('SET', 'before', '1');
  const replica = await startSecure();
  const reader = await replica.client();
  await untilLinked(reader);
  await client.call('SET', 'after', Buffer.alloc(5 * 1024 * 1024, 'x'));
  await caughtUp(client, 1);
  assert.is(await reader.call('GET', 'before'), '1');
  assert.is(await reader.call('STRLEN', 'after'), 5 * 1024 * 1024);
  assert.is(await client.call('CLIENT', 'KILL', 'TYPE', 'replica'), 1);
  await client.call('SET', 'again', '1');
  await until(async () => (await reader.call('GET', 'again')) === '1', 'it has come again');
  await replica.stop();
});

secure('another certificate can be shown to primaries', async () => {
  const own = certificates.newPair('replica', 'replica.test', { passphrase: 'open' });
  const replica = await startSecure({
    'tls.cert-file': '',
    'tls.key-file': '',
    'tls.client-cert-file': own.certificate,
    'tls.client-key-file': own.key,
    'tls.client-key-file-pass': 'open',
  });
  await untilLinked(await replica.client());
  await replica.stop();
});

secure('a primary with a certificate of strangers is not followed', async () => {
  const strangers = certificates.newAuthority('strangers');
  const replica = await startSecure({ 'tls.ca-file': strangers.certificate });
  const reader = await replica.client();
  await until(() => /unable to verify|self.signed/.test(replica.stdout), 'the log says why');
  assert.is((await infoOf(reader))['master_link_status'], 'down');
  await reader.call('CONFIG', 'SET', 'tls-ca-cert-file', certificates.authority.certificate);
  await untilLinked(reader);
  await replica.stop();
});

secure('without authorities links cannot be secured', async () => {
  const server = await startServer({ shards: 1 });
  const client = await server.client();
  const reply = await client.reply('CONFIG', 'SET', 'tls-replication', 'yes');
  assert.ok(reply instanceof ReplyError);
  assert.match(reply.message, 'tls.replication needs authorities in tls.ca-file or tls.ca-dir');
  await server.stop();
});

if (needs(redisProgram())) {
  secure('svc follows Redis', async () => {
    const port = await freePort();
    const redis = await startRedis([...redisTls(port), '--repl-diskless-sync-delay', '0']);
    const client = await redis.client();
    await client.call('SET', 'a', '1');
    const replica = await startSecure({ 'replication.primary-port': String(port) });
    const reader = await replica.client();
    await untilLinked(reader);
    await client.call('SET', 'b', '2');
    await caughtUp(client, 1);
    assert.equal(await reader.call('MGET', 'a', 'b'), ['1', '2']);
    await replica.stop();
    await redis.stop();
  });

  secure('Redis follows svc', async () => {
    const client = await primary.client();
    const replica = await startRedis([
      ...redisTls(await freePort()),
      ...['--replicaof', '127.0.0.1', String(primaryPort)],
    ]);
    const reader = await replica.client();
    await untilLinked(reader);
    await client.call('SET', 'c', '3');
    await caughtUp(client, 1);
    assert.is(await reader.call('GET', 'c'), '3');
    await replica.stop();
  });
}

// The servers' own ports are plain here.
if (!isSecure) secure.run();
