/**
 * Restarts of a primary, of its replica and of both: after a clean shutdown replication resumes, after a kill it does
 * not.
 */
// test-tier: long
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type ChildServer,
  contentsOf,
  fill,
  needs,
  type Random,
  redisProgram,
  type RespClient,
  startRedis,
  startServer,
  until,
  withRandom,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from '../process/main-process.ts';
import { change } from './changes.test-helper.ts';
import { infoOf, untilLinked, untilSame } from './info.test-helper.ts';
import { AT_ONCE } from './replicas.test-helper.ts';

const restart = suite('replication over restarts');

/** A run of CI tries some of the cases; a longer one by hand all of them. */
const ROUNDS = Number(process.env['TEST_ROUNDS'] ?? 2);
const MODES = ['periodic', 'sync', 'async'];
const WAYS = [[], ['SHUTDOWN'], ['SHUTDOWN', 'NOW'], ['SHUTDOWN', 'NOSAVE'], ['SHUTDOWN', 'SAVE']];

/** A server that keeps its data over restarts. */
class Restarted {
  server!: ChildServer;
  client!: RespClient;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'svc-restart-'));
  readonly #args: readonly string[];
  readonly #shards: number;

  constructor(shards: number, args: readonly string[] = []) {
    this.#shards = shards;
    this.#args = args;
  }

  async start(primary?: ChildServer): Promise<void> {
    const follows =
      primary === undefined
        ? []
        : [
            ...['--set', 'replication.primary-host=127.0.0.1'],
            ...['--set', `replication.primary-port=${primary.port}`],
          ];
    const args = [...AT_ONCE, ...this.#args, ...follows];
    this.server = await startServer({ shards: this.#shards, folder: this.#folder, args });
    const client = await this.server.client({ buffers: true });
    this.client = client;
    await until(
      async () => !((await client.reply('DBSIZE')) instanceof Error),
      'its data are back',
    );
  }

  /** Ends the server in good order: by a command, or by a signal. */
  async end(way: readonly string[]): Promise<void> {
    if (way.length === 0) await this.server.stop();
    else this.client.call(...way).catch(() => undefined);
    const { exitCode } = await this.server.ended;
    assert.is(exitCode, 0);
  }

  /** Writes its data as a snapshot of Redis. */
  async export(file: string): Promise<void> {
    const kept = ['--set', 'persistence.enabled=yes', '--shards', String(this.#shards)];
    const { exitCode, stderr } = await runMain([...kept, '--export-rdb', file], {}, this.#folder);
    assert.is(exitCode, 0, stderr);
  }

  async kill(): Promise<void> {
    this.server.signal('SIGKILL');
    await this.server.ended;
  }

  async remove(): Promise<void> {
    await this.server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function countsOf(client: RespClient): Promise<readonly [full: number, partial: number]> {
  const stats = await infoOf(client, 'stats');
  return [Number(stats['sync_full']), Number(stats['sync_partial_ok'])];
}

async function someChanges(client: RespClient, random: Random): Promise<void> {
  for (let left = random.integer(0, 3); left >= 0; left -= 1)
    await change(client, random.integer(0, 999));
}

async function areSame(primary: RespClient, replica: RespClient): Promise<void> {
  await untilSame(primary, replica);
  assert.equal(await contentsOf(replica), await contentsOf(primary));
}

async function offsetOf(client: RespClient): Promise<number> {
  return Number((await infoOf(client))['master_repl_offset']);
}

interface Pair {
  readonly primary: Restarted;
  readonly replica: Restarted;
}

async function restartReplica({ primary, replica }: Pair, random: Random): Promise<void> {
  const [full, partial] = await countsOf(primary.client);
  await replica.end(random.pick(WAYS));
  await someChanges(primary.client, random);
  await replica.start(primary.server);
  await areSame(primary.client, replica.client);
  assert.equal(await countsOf(primary.client), [full, partial + 1]);
}

async function restartPrimary({ primary, replica }: Pair, random: Random): Promise<void> {
  const offset = await offsetOf(primary.client);
  const isBoth = random.chance(0.5);
  if (isBoth) await replica.end(random.pick(WAYS));
  const way = random.pick(WAYS);
  await primary.end(way);
  await primary.start();
  assert.ok((await offsetOf(primary.client)) >= offset);
  await someChanges(primary.client, random);
  if (isBoth) await replica.start(primary.server);
  else await replica.client.call('REPLICAOF', '127.0.0.1', primary.server.port);
  await areSame(primary.client, replica.client);
  assert.equal(await countsOf(primary.client), [0, 1], `${way.join(' ')}, both: ${isBoth}`);
}

restart(
  'who stops in good order goes on where it was',
  withRandom(async (random) => {
    const args = ['--set', `persistence.durability-mode=${random.pick(MODES)}`];
    const pair = { primary: new Restarted(3, args), replica: new Restarted(2, args) };
    const { primary, replica } = pair;
    await primary.start();
    await fill(primary.client);
    await replica.start(primary.server);
    await untilLinked(replica.client);
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        await someChanges(primary.client, random);
        if (random.chance(0.5)) await untilSame(primary.client, replica.client);
        await (random.chance(0.4) ? restartReplica : restartPrimary)(pair, random);
      }
    } finally {
      await replica.remove();
      await primary.remove();
    }
  }),
);

restart('who was killed needs all data, or gives it', async () => {
  const [primary, replica] = [new Restarted(2), new Restarted(2)];
  await primary.start();
  await replica.start(primary.server);
  await untilLinked(replica.client);
  try {
    await change(primary.client, 1);
    await areSame(primary.client, replica.client);
    // What was kept at an earlier stop counts for nothing later.
    await replica.end([]);
    await replica.start(primary.server);
    await areSame(primary.client, replica.client);
    const [full, partial] = await countsOf(primary.client);
    await change(primary.client, 2);
    await replica.kill();
    await replica.start(primary.server);
    await areSame(primary.client, replica.client);
    assert.equal(await countsOf(primary.client), [full + 1, partial]);
    await primary.kill();
    await primary.start();
    await replica.client.call('REPLICAOF', '127.0.0.1', primary.server.port);
    await areSame(primary.client, replica.client);
    assert.equal(await countsOf(primary.client), [1, 0]);
  } finally {
    await replica.remove();
    await primary.remove();
  }
});

restart('a primary is known by its old id, and has the end of its stream', async () => {
  const primary = new Restarted(2);
  await primary.start();
  const replica = await startServer({ args: AT_ONCE });
  try {
    const follower = await replica.client();
    await follower.call('REPLICAOF', '127.0.0.1', primary.server.port);
    await untilLinked(follower);
    await primary.client.call('SET', 'here', 'x', 'PX', '1');
    await change(primary.client, 1);
    await untilSame(primary.client, follower);
    const before = await infoOf(primary.client);
    await primary.end([]);
    await primary.start();
    const info = await infoOf(primary.client);
    assert.is(info['master_replid2'], before['master_replid']);
    assert.is.not(info['master_replid'], before['master_replid']);
    assert.is(info['repl_backlog_active'], '1');
    assert.is(info['repl_backlog_first_byte_offset'], '1');
    assert.ok(Number(info['second_repl_offset']) > Number(before['master_repl_offset']));
    assert.is.not(info['repl_backlog_histlen'], '0');
    assert.is(await primary.client.call('EXISTS', 'here'), 0);
  } finally {
    await replica.stop();
    await primary.remove();
  }
});

if (needs(redisProgram())) {
  restart('goes on with Redis on either side', async () => {
    const redis = await startRedis(['--repl-diskless-sync-delay', '0']);
    const here = new Restarted(3);
    const there = await redis.client({ buffers: true });
    await fill(there);
    await here.start(redis);
    try {
      await change(there, 1);
      await areSame(there, here.client);
      await here.end([]);
      await change(there, 2);
      await here.start(redis);
      await areSame(there, here.client);
      assert.equal(await countsOf(there), [1, 1]);

      await here.client.call('REPLICAOF', 'NO', 'ONE');
      await there.call('REPLICAOF', '127.0.0.1', here.server.port);
      await areSame(here.client, there);
      await change(here.client, 3);
      await here.end(['SHUTDOWN']);
      await here.start();
      await until(async () => (await infoOf(here.client))['role'] === 'master', 'it leads');
      await there.call('REPLICAOF', '127.0.0.1', here.server.port);
      await areSame(here.client, there);
      assert.equal(await countsOf(here.client), [0, 1]);
    } finally {
      await redis.stop();
      await here.remove();
    }
  });

  restart('an export has the place of its data: a Redis that begins with it goes on', async () => {
    const here = new Restarted(2);
    await here.start();
    const first = await startServer({ args: AT_ONCE });
    const folder = mkdtempSync(path.join(tmpdir(), 'svc-export-'));
    let redis: ChildServer | undefined;
    try {
      await fill(here.client);
      const follower = await first.client();
      await follower.call('REPLICAOF', '127.0.0.1', here.server.port);
      await untilLinked(follower);
      await change(here.client, 1);
      await here.end([]);
      await here.export(path.join(folder, 'dump.rdb'));
      await here.start();
      await change(here.client, 2);
      redis = await startRedis(['--replicaof', `127.0.0.1 ${here.server.port}`], folder);
      await areSame(here.client, await redis.client({ buffers: true }));
      assert.equal(await countsOf(here.client), [0, 1]);
    } finally {
      await redis?.stop();
      await first.stop();
      await here.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

restart.run();
