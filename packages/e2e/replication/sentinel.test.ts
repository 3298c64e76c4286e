/** Redis' own Sentinel watches a primary and two replicas: it fails over, and clients find the new primary through it. */
// test-tier: long

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { createSentinel } from 'redis';
import {
  type ChildServer,
  freePort,
  needs,
  redisProgram,
  type Reply,
  ReplyError,
  RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { untilLinked } from './info.test-helper.ts';
import { caughtUp } from './replicas.test-helper.ts';

const failover = suite('failover by Sentinel');

const NAME = 'mymaster';
const AT_ONCE = ['--set', 'replication.diskless-sync-delay-secs=0'];

/** Redis' Sentinel as a child process. */
class Sentinel {
  readonly port: number;
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
    this.#child = spawn(redisProgram(), [path.join(folder, 'sentinel.conf'), '--sentinel'], {
      stdio: 'ignore',
    });
    this.#ended = new Promise((resolve) => this.#child.once('exit', resolve));
  }

  /** Has one watch the primary at a port. */
  static async over(primary: number): Promise<Sentinel> {
    const folder = mkdtempSync(path.join(tmpdir(), 'svc-sentinel-'));
    const port = await freePort();
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor ${NAME} 127.0.0.1 ${primary} 1`,
      `sentinel down-after-milliseconds ${NAME} 1000`,
      `sentinel failover-timeout ${NAME} 3000`,
    ];
    writeFileSync(path.join(folder, 'sentinel.conf'), `${lines.join('\n')}\n`);
    return new Sentinel(port, folder);
  }

  async ask(...words: readonly string[]): Promise<unknown> {
    try {
      const client = await RespClient.connect({ port: this.port });
      const reply = await client.call('SENTINEL', ...words);
      client.socket.destroy();
      return reply;
    } catch {
      return undefined;
    }
  }

  /** Port of the primary that clients receive. */
  async primary(): Promise<number> {
    const reply = (await this.ask('GET-MASTER-ADDR-BY-NAME', NAME)) as string[] | undefined;
    return Number(reply?.[1]);
  }

  async untilReplicas(count: number): Promise<void> {
    await until(async () => {
      const replicas = (await this.ask('REPLICAS', NAME)) as string[][] | undefined;
      const good = (replicas ?? []).filter((fields) => {
        const at = (name: string): string | undefined => fields[fields.indexOf(name) + 1];
        return at('flags') === 'slave' && at('master-link-status') === 'ok';
      });
      return good.length >= count;
    }, `${count} replicas are known to Sentinel`);
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface Clients {
  readonly ioredis: Redis;
  readonly finder: ReturnType<typeof finderAt>;
}

function finderAt(place: { host: string; port: number }) {
  return createSentinel({ name: NAME, sentinelRootNodes: [place] });
}

/** Clients that find the primary through Sentinel, ended behind the test. */
async function withClients(
  sentinel: Sentinel,
  run: (clients: Clients) => Promise<void>,
): Promise<void> {
  const place = { host: '127.0.0.1', port: sentinel.port };
  // A stopped primary closes no connection: ioredis has to listen to Sentinel.
  const ioredis = new Redis({
    sentinels: [place],
    name: NAME,
    maxRetriesPerRequest: null,
    failoverDetector: true,
  });
  const finder = finderAt(place);
  ioredis.on('error', ignore);
  finder.on('error', ignore);
  try {
    await finder.connect();
    await run({ ioredis, finder });
  } finally {
    ioredis.disconnect();
    await finder.destroy();
  }
}

const ignore = (): void => undefined;

/** Waits until Sentinel reports another primary than that to clients; returns which of the servers it is. */
async function nextPrimary(
  sentinel: Sentinel,
  servers: readonly ChildServer[],
  last: ChildServer,
): Promise<ChildServer> {
  let next: ChildServer | undefined;
  await until(async () => {
    const port = await sentinel.primary();
    next = servers.find((server) => server.port === port);
    return next !== undefined && next !== last;
  }, 'another is the primary');
  return next!;
}

/** Asks a server until it answers: Sentinel closes connections of clients when it gives a server another role. */
async function asked(server: ChildServer, ...words: readonly string[]): Promise<Reply> {
  for (;;) {
    const client = await server.client();
    try {
      return await client.call(...words);
    } catch (error) {
      if (error instanceof ReplyError) throw error;
    }
  }
}

async function roleOf(server: ChildServer): Promise<string> {
  return String(((await asked(server, 'ROLE')) as unknown[])[0]);
}

if (needs(redisProgram())) {
  failover(
    'of a primary that stands still, which comes back as a replica, and of one that is killed',
    async () => {
      const servers: ChildServer[] = [];
      let sentinel: Sentinel | undefined;
      try {
        const first = await startServer({ args: AT_ONCE });
        servers.push(first);
        const follows = [
          ...AT_ONCE,
          ...['--set', 'replication.primary-host=127.0.0.1'],
          ...['--set', `replication.primary-port=${first.port}`],
        ];
        for (let nth = 0; nth < 2; nth += 1) {
          const replica = await startServer({ args: follows });
          servers.push(replica);
          await untilLinked(await replica.client());
        }
        const watcher = await Sentinel.over(first.port);
        sentinel = watcher;
        await watcher.untilReplicas(2);
        await withClients(watcher, async ({ ioredis, finder }) => {
          await ioredis.set('by', 'ioredis');
          await finder.set('and', 'node-redis');
          await caughtUp(await first.client(), 2);

          first.signal('SIGSTOP');
          const second = await nextPrimary(watcher, servers, first);
          assert.is(await ioredis.set('behind', 'the first failover'), 'OK');
          first.signal('SIGCONT');
          await until(
            async () => (await roleOf(first)) === 'slave',
            'who stood still is a replica',
          );
          await watcher.untilReplicas(2);
          assert.is(textOf(await asked(first, 'GET', 'behind')), 'the first failover');

          await caughtUp(await second.client(), 2);
          second.signal('SIGKILL');
          const third = await nextPrimary(watcher, servers, second);
          assert.is(await ioredis.set('behind', 'the second'), 'OK');
          assert.is(await ioredis.get('by'), 'ioredis');
          assert.is(await finder.get('and'), 'node-redis');
          assert.is(await roleOf(third), 'master');
        });
      } finally {
        await sentinel?.stop();
        for (const server of servers) {
          server.signal('SIGCONT');
          await server.stop();
        }
      }
    },
  );
}

failover.run();
