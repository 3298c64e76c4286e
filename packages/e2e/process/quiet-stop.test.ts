/** A planned stop is no fault: it logs no error, regardless of clients, replicas and data. */

import { type ChildServer, type RespClient, startServer, textOf, until } from '#testkit';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const stops = suite('a planned stop');

const folder = mkdtempSync(path.join(tmpdir(), 'svc-stop-'));
stops.after(() => {
  rmSync(folder, { recursive: true, force: true });
});

const WAYS: readonly (readonly [name: string, stop: (server: ChildServer) => Promise<unknown>])[] =
  [
    [
      'SIGTERM',
      async (server) => {
        server.signal('SIGTERM');
        await server.ended;
      },
    ],
    ['SHUTDOWN', async (server) => (await server.client()).reply('SHUTDOWN')],
    ['SHUTDOWN NOSAVE', async (server) => (await server.client()).reply('SHUTDOWN', 'NOSAVE')],
  ];

/** Stops a server, and demands that it ends well without an error in its log. */
async function demandQuietEnd(server: ChildServer, stop: () => Promise<unknown>): Promise<void> {
  await stop().catch(() => undefined);
  const { exitCode } = await server.ended;
  assert.equal([exitCode, server.stderr], [0, '']);
  const [, end = ''] = server.stdout.split(' main stopping ');
  assert.match(end, / INFO +main stopped /);
  assert.not.match(end, / ERROR /);
}

/** Clients at work: some pipeline writes, others are blocked, subscribed, or in a transaction. */
async function occupy(server: ChildServer): Promise<void> {
  const ignore = (reply: Promise<unknown>): void => {
    reply.catch(() => undefined);
  };
  const clients: RespClient[] = await Promise.all(Array.from({ length: 6 }, () => server.client()));
  const [writer, blocked, stream, subscriber, monitor, transaction] = clients;
  ignore(blocked!.call('BLPOP', 'none', '0'));
  ignore(stream!.call('XREAD', 'BLOCK', '0', 'STREAMS', 'none', '$'));
  await subscriber!.call('SUBSCRIBE', 'news');
  await monitor!.call('MONITOR');
  await transaction!.call('MULTI');
  await transaction!.call('SET', 'in', 'transaction');
  for (let nth = 0; nth < 1_000; nth += 1) {
    ignore(writer!.call('SET', `key:${String(nth)}`, 'v'.repeat(1_000)));
  }
}

for (const [name, stop] of WAYS) {
  stops(`by ${name} with clients at work logs no error`, async () => {
    const server = await startServer();
    await occupy(server);
    await demandQuietEnd(server, () => stop(server));
  });

  stops(`by ${name} with persistence logs no error`, async () => {
    const own = mkdtempSync(path.join(folder, 'kept-'));
    const server = await startServer({
      folder: own,
      args: ['--set', 'persistence.enabled=yes', '--set', 'snapshot.save-points=3600 1'],
    });
    await occupy(server);
    await demandQuietEnd(server, () => stop(server));
  });

  stops(`by ${name} during a snapshot logs no error`, async () => {
    const own = mkdtempSync(path.join(folder, 'saving-'));
    const server = await startServer({
      folder: own,
      args: ['--set', 'persistence.enabled=yes', '--set', 'snapshot.save-points='],
    });
    const client = await server.client();
    await client.call('DEBUG', 'POPULATE', '200000', 'key', '200');
    assert.match(textOf(await client.call('BGSAVE')), 'started');
    await demandQuietEnd(server, () => stop(server));
  });

  stops(`by ${name} of a replica and of its primary logs no error`, async () => {
    const primary = await startServer();
    const replica = await startServer({
      args: ['--set', 'replication.primary-host=127.0.0.1'].concat([
        ...['--set', `replication.primary-port=${String(primary.port)}`],
      ]),
    });
    const client = await replica.client();
    const isUp = async (): Promise<boolean> =>
      textOf(await client.call('INFO', 'replication')).includes('master_link_status:up');
    await until(isUp, 'the link is up');
    await occupy(primary);
    await demandQuietEnd(primary, () => stop(primary));
    await demandQuietEnd(replica, () => stop(replica));
  });
}

stops.run();
