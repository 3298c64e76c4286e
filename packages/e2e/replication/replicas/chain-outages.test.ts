/** Outages of each link of a chain of replicas: all have the same bytes of the stream in the end, and the same data. */
// test-tier: long
// test-limit: 120s

import net from 'node:net';
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
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { change } from '../changes.test-helper.ts';
import { infoOf, untilLinked, untilSame } from '../info.test-helper.ts';

const outages = suite('outages in a chain of replicas');

/** Pings that each server sends while a link is down, at least. */
const PINGS = 1;
const ARGS = [
  ...['--set', 'replication.diskless-sync-delay-secs=0'],
  ...['--set', 'replication.ping-period-secs=1'],
];
const REDIS_ARGS = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'];

/** Bytes of a server's stream between two offsets. */
function streamOf(
  server: ChildServer,
  id: string,
  { from, to }: { from: number; to: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(server.port, '127.0.0.1');
    let text = '';
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error(`the stream has ended: ${text.slice(0, 100)}`));
    });
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      const begin = text.indexOf('\r\n') + 2;
      if (text.length - begin < to - from) return;
      resolve(text.slice(begin, begin + to - from));
      socket.destroy();
    });
    socket.write(`PSYNC ${id} ${from + 1}\r\n`);
  });
}

const offsetOf = async (client: RespClient): Promise<number> =>
  Number((await infoOf(client))['master_repl_offset']);

const kinds = needs(redisProgram()) ? ['svc', 'redis'] : ['svc'];
for (const middle of kinds) {
  outages(`${middle} in the middle: each has every byte after outages of each link`, async () => {
    const servers: ChildServer[] = [];
    const proxies: LinkProxy[] = [];
    const start = async (kind: string): Promise<RespClient> => {
      const server = await (kind === 'redis'
        ? startRedis(REDIS_ARGS)
        : startServer({ shards: 2, args: ARGS }));
      servers.push(server);
      return server.client({ buffers: true });
    };
    try {
      const clients = [await start('svc'), await start(middle)];
      for (const kind of kinds) clients.push(await start(kind));
      const [first] = clients as [RespClient];
      await fill(first);
      for (const [nth, client] of clients.entries()) {
        if (nth === 0) continue;
        const proxy = await LinkProxy.to(servers[nth === 1 ? 0 : 1]!.port);
        proxies.push(proxy);
        await client.call('REPLICAOF', '127.0.0.1', proxy.port);
        await untilLinked(client);
      }
      const from = await offsetOf(first);
      for (const [nth, proxy] of proxies.entries()) {
        await change(first, nth);
        proxy.isClosed = true;
        proxy.cut();
        const isSilent = async (): Promise<boolean> =>
          Number((await infoOf(clients[nth + 1]!))['master_link_down_since_seconds']) > PINGS;
        await change(first, nth);
        await until(isSilent, 'the link has been down for some pings');
        await change(first, nth);
        proxy.isClosed = false;
        for (const client of clients.slice(1)) await untilSame(first, client);
      }
      const to = await offsetOf(first);
      const id = (await infoOf(first))['master_replid']!;
      const wanted = await contentsOf(first);
      const stream = await streamOf(servers[0]!, id, { from, to });
      for (const [nth, client] of clients.entries()) {
        assert.equal(await contentsOf(client), wanted, `the data of server ${nth}`);
        const has = await streamOf(servers[nth]!, id, { from, to });
        assert.ok(has === stream, `the stream of server ${nth}`);
        const stats = await infoOf(client, 'stats');
        assert.is(stats['unexpected_error_replies'], '0');
        if (nth > 0) assert.is(stats['replica_sync_full'] ?? '1', '1', `server ${nth}`);
      }
    } finally {
      for (const server of servers.reverse()) await server.stop();
      for (const proxy of proxies) await proxy.close();
    }
  });
}

outages.run();
