/** The project's alerts, each provoked on a real server that a Prometheus scrapes: its state, its name and its sentence. */
// test-tier: long
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  Certificates,
  type ChildServer,
  freePort,
  needs,
  Prometheus,
  type RespClient,
  type ServerOptions,
  SmallDisk,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tlsArguments } from '../tls/tls-server.ts';

const alerts = suite('alerts');

const QUIET = ['--set', 'snapshot.interval-secs=0'];

let prometheus: Prometheus;

async function scraped(options: ServerOptions = {}): Promise<ChildServer> {
  const server = await startServer({ shards: 1, ...options, http: true });
  prometheus.scrape(server.httpPort);
  return server;
}

/** Waits until Prometheus has scraped a server, since growth needs a value before it. */
async function known(server: ChildServer): Promise<void> {
  await until(async () => (await prometheus.scrapes(server.httpPort)) >= 2, 'it is scraped');
}

/** Waits until an alert of a server fires; returns its sentence. */
async function fired(server: ChildServer, alert: string): Promise<string> {
  let summary: string | undefined;
  await until(async () => {
    const firing = await prometheus.firing(server.httpPort);
    summary = firing.find(({ name }) => name === alert)?.summary;
    return summary !== undefined;
  }, `${alert} fires`);
  return summary!;
}

if (needs('prometheus')) {
  alerts.before(async () => {
    prometheus = await Prometheus.start();
  });
  alerts.after(async () => {
    await prometheus.stop();
  });

  alerts('of memory that is full, and of writes that are refused', async () => {
    const server = await scraped({ args: QUIET });
    await known(server);
    const client = await server.client();
    await client.call('SET', 'k', 'x'.repeat(3_000_000));
    await client.call('CONFIG', 'SET', 'maxmemory', '1000000');
    assert.match(textOf(await client.reply('SET', 'more', 'x')), /OOM/);
    assert.match(await fired(server, 'SvcMemoryHigh'), /uses \d+(\.\d+)?% of maxmemory$/);
    assert.match(await fired(server, 'SvcMemoryFull'), /uses \d+(\.\d+)?% of maxmemory$/);
    assert.match(await fired(server, 'SvcWritesRefusedForMemory'), /refused [\d.]+ commands/);
    await server.stop();
  });

  alerts('of connections, refused ones and denials', async () => {
    const server = await scraped({ args: QUIET });
    await known(server);
    const client = await server.client();
    await client.call('ACL', 'SETUSER', 'someone', 'on', '>secret');
    for (let nth = 0; nth < 80; nth += 1) await client.reply('AUTH', 'someone', 'wrong');
    assert.match(await fired(server, 'SvcDenials'), /denied [\d.]+ logins and commands/);
    await client.call('CONFIG', 'SET', 'maxclients', '1');
    for (let nth = 0; nth < 5; nth += 1) {
      const refused = await server.client();
      await refused.reply('PING').catch(() => undefined);
    }
    assert.match(await fired(server, 'SvcConnectionsHigh'), /has 100% of its maximum connections$/);
    assert.match(await fired(server, 'SvcConnectionsRejected'), /has refused [\d.]+ connections/);
    await server.stop();
  });

  alerts('of a main that is stuck', async () => {
    const server = await scraped({ args: QUIET });
    await known(server);
    const client = await server.client();
    const slept = client.call('DEBUG', 'MAIN-SLEEP', '12');
    assert.match(await fired(server, 'SvcMainStuck'), /main of .* has not responded for /);
    await slept;
    assert.match(await fired(server, 'SvcThreadStalled'), /was stuck for /);
    await server.stop();
  });

  alerts('of a server that restarts, and of one that is down', async () => {
    const folder = fs.mkdtempSync(path.join(tmpdir(), 'svc-alerts-'));
    const first = await startServer({ shards: 1, http: true, folder, args: QUIET });
    prometheus.scrape(first.httpPort);
    await known(first);
    await first.shutDown();
    assert.match(await fired(first, 'SvcDown'), /is down: scrapes fail$/);
    const place = ['--set', 'http.enabled=true', '--http-port', String(first.httpPort)];
    const second = await startServer({
      shards: 1,
      folder,
      args: [...QUIET, ...place],
    });
    assert.match(await fired(first, 'SvcRestarted'), /restarted within the last 15 minutes$/);
    await second.shutDown();
    fs.rmSync(folder, { recursive: true });
  });

  alerts('of replication', async () => {
    const primary = await scraped({ args: QUIET });
    const replica = await scraped({ args: QUIET });
    const client = await primary.client();
    const follower = await replica.client();
    await follower.call('REPLICAOF', '127.0.0.1', String(primary.port));
    await until(
      async () => textOf(await client.call('INFO', 'replication')).includes('state=online'),
      'the replica is online',
    );
    await client.call('CONFIG', 'SET', 'min-replicas-to-write', '1', 'min-replicas-max-lag', '2');
    await until(
      async () => (await prometheus.value('svc_replicas_connected', primary.httpPort)) === 1,
      'the replica is known',
    );
    replica.signal('SIGSTOP');
    await noGoodReplicas(client);
    assert.match(await fired(primary, 'SvcNoGoodReplicas'), /refuses writes: too few replicas/);
    assert.match(
      await fired(primary, 'SvcReplicaBehind'),
      /^replica 127.0.0.1:\d+ of .* is behind/,
    );
    replica.signal('SIGCONT');
    await primary.shutDown();
    assert.match(await fired(replica, 'SvcPrimaryLinkDown'), /has no link to its primary/);
    await replica.stop();
  });

  alerts('of certificates that expire', async () => {
    const certificates = new Certificates();
    const { certificate, key } = certificates.newPair('soon', 'server.test', { hasExpired: true });
    const settings = { 'tls.cert-file': certificate, 'tls.key-file': key };
    const expiring = await scraped({
      args: [...QUIET, ...tlsArguments(certificates, await freePort(), settings)],
    });
    assert.match(await fired(expiring, 'SvcCertificateExpires'), /certificate of .* expires in /);
    await expiring.stop();
    certificates.remove();
  });

  if (needs('mount')) {
    alerts('of a disk that fills', async () => {
      const folder = fs.mkdtempSync(path.join(tmpdir(), 'svc-alerts-'));
      const disk = SmallDisk.mount(path.join(folder, 'disk'), 12);
      if (disk === undefined) return;
      const data = `persistence.data-dir=${path.join(disk.folder, 'data')}`;
      const server = await scraped({ args: [...QUIET, '--set', data] });
      await known(server);
      const { bavail, bsize } = fs.statfsSync(disk.folder);
      const filler = Buffer.alloc(Math.floor(0.97 * bavail) * bsize);
      fs.writeFileSync(path.join(disk.folder, 'filler'), filler);
      assert.match(await fired(server, 'SvcDiskNearlyFull'), /^the disk of .* has \S+% free$/);
      await server.stop();
      disk.unmount();
    });
  }
}

/** Waits until writes are refused for want of replicas. */
async function noGoodReplicas(client: RespClient): Promise<void> {
  await until(
    async () => textOf(await client.reply('SET', 'k', 'v')).includes('NOREPLICAS'),
    'writes are refused',
  );
}

alerts.run();
