/** STATUS: the document, its health rules by the live settings, and its answer while a shard is stuck. */
import {
  type ChildServer,
  keyPerShard,
  letTimePass,
  type RespClient,
  startServer,
  textOf,
  until,
  untilShardsSleep,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const status = suite('STATUS');

const SHARDS = 2;
const ANSWER_MS_MAX = 50;

interface Document {
  frogdb: { version: string; uptime_secs: number; process_id: number; timestamp: number };
  cluster: { database_available: boolean; mode: string; num_shards: number };
  health: { status: string; issues: { severity: string; code: string; message: string }[] };
  clients: { connected: number; max_clients: number; blocked: number };
  memory: Record<string, number>;
  shards: {
    id: number;
    state: string;
    keys: number;
    queue_depth: number;
    queue_bytes: number;
    busy_percent: number;
    executing: {
      command: string;
      key: string | null;
      client_id: number;
      elapsed_us: number;
    } | null;
  }[];
  keyspace: { total_keys: number };
  commands: { total_processed: number; top: { command: string; calls: number }[] };
}

let server: ChildServer;
let client: RespClient;

status.before(async () => {
  server = await startServer({ shards: SHARDS });
  client = await server.client();
});
status.after(async () => {
  await server.stop();
});

const read = async (): Promise<Document> =>
  JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as Document;

status('is help by itself', async () => {
  const bare = (await client.call('STATUS')) as string[];
  assert.equal(await client.call('status', 'help'), bare);
  assert.ok(bare.some((line) => line === 'JSON'));
});

status('tells of a healthy server', async () => {
  for (const key of keyPerShard(SHARDS, 'status')) await client.call('SET', key, 'v');
  const document = await read();
  assert.equal([document.health.status, document.health.issues], ['healthy', []]);
  assert.is(document.frogdb.process_id, server.pid);
  assert.equal(document.cluster, {
    database_available: true,
    mode: 'standalone',
    num_shards: SHARDS,
  });
  assert.is(document.keyspace.total_keys, SHARDS);
  assert.equal(
    document.shards.map(({ id, state, keys, executing }) => ({ id, state, keys, executing })),
    [0, 1].map((id) => ({ id, state: 'running', keys: 1, executing: null })),
  );
  assert.equal(
    document.commands.top.filter(({ command }) => command === 'set').map(({ calls }) => calls),
    [SHARDS],
  );
});

status('names the shard whose executions are slow, and no other', async () => {
  const scripted = await startServer({ shards: SHARDS, http: true });
  const caller = await scripted.client();
  const issues = async (): Promise<{ code: string; object: string }[]> =>
    (
      JSON.parse(textOf(await caller.call('STATUS', 'JSON'))) as {
        health: { issues: { code: string; object: string }[] };
      }
    ).health.issues.filter(({ code }) => code === 'HIGH_LATENCY');
  const [fast, slow] = keyPerShard(SHARDS, 'slow');
  const script = 'local n = 0 for i = 1, 200000 do n = n + i end return n';
  await caller.call('CONFIG', 'SET', 'status-execution-latency-warning-ms', '1');
  await until(async () => {
    for (let round = 0; round < 10; round += 1) {
      await caller.call('EVAL', script, '1', slow!);
      for (let get = 0; get < 10; get += 1) await caller.call('GET', fast!);
    }
    return (await issues()).length > 0;
  }, 'the issue');
  assert.equal(
    (await issues()).map(({ object }) => object),
    ['execution of shard 1'],
  );
  await caller.call('CONFIG', 'SET', 'status-execution-latency-warning-ms', '0');
  await until(async () => (await issues()).length === 0, 'no issue without a limit');
  await scripted.stop();
});

status('follows the live settings of its rules', async () => {
  const codes = async (): Promise<string[]> =>
    (await read()).health.issues.map(({ severity, code }) => `${severity} ${code}`);
  await client.call('CONFIG', 'SET', 'maxclients', '2', 'status-connection-warning-percent', '100');
  assert.equal(await codes(), []);
  await client.call('CONFIG', 'SET', 'status-connection-warning-percent', '50');
  assert.equal(await codes(), ['warning NEAR_CONNECTION_LIMIT']);
  await client.call('CONFIG', 'SET', 'maxclients', '10000');
  const { memory } = await read();
  const used = memory['used_bytes'] ?? 0;
  await client.call('CONFIG', 'SET', 'maxmemory', String(used * 2));
  assert.equal(await codes(), []);
  await client.call('CONFIG', 'SET', 'status-memory-warning-percent', '40');
  assert.equal(await codes(), ['warning MEMORY_PRESSURE']);
  await client.call('CONFIG', 'SET', 'maxmemory', String(used));
  assert.equal(await codes(), ['critical MEMORY_PRESSURE']);
  assert.is((await read()).health.status, 'unhealthy');
  await client.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  assert.equal(await codes(), [], 'a full cache is as it should be');
  await client.call('CONFIG', 'SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
});

status('takes no shard for stuck that has only begun to work after a long rest', async () => {
  const sleeper = await server.client();
  for (let round = 0; round < 3; round += 1) {
    await letTimePass(client, 1_100);
    const sleep = { isOver: false };
    const slept = sleeper.call('DEBUG', 'SLEEP', '0.3').then(() => {
      sleep.isOver = true;
    });
    while (!sleep.isOver) {
      const { shards, health } = await read();
      // On a busy machine the sleep itself may become a long one.
      if (shards.some(({ executing }) => Number(executing?.elapsed_us) >= 1_000_000)) break;
      assert.equal(health.issues, []);
    }
    await slept;
  }
});

status('answers at once while shards are stuck, and says which in what', async () => {
  const sleeper = await server.client();
  const id = await sleeper.call('CLIENT', 'ID');
  const slept = sleeper.call('DEBUG', 'SLEEP', '2');
  await untilShardsSleep(client);
  const others = await server.client();
  const [first = ''] = keyPerShard(SHARDS, 'status');
  const waiting = others.pipeline([
    ['GET', first],
    ['GET', first],
  ]);
  const early = await read();
  assert.ok(
    early.shards.every(({ state }) => state === 'running'),
    'not stuck yet',
  );
  assert.is(early.shards[0]?.executing?.command, 'debug|sleep');
  await until(async () => (await read()).health.issues.length === 2, 'they are stuck');
  const times: number[] = [];
  let document = early;
  for (let nth = 0; nth < 5; nth += 1) {
    const beganMs = performance.now();
    document = await read();
    times.push(performance.now() - beganMs);
  }
  // Who waits for a shard that is stuck is late each time; one that is quick may be late on a busy machine.
  assert.ok(Math.min(...times) < ANSWER_MS_MAX, `answered within ${Math.min(...times)} ms`);
  assert.is(document.health.status, 'unhealthy');
  assert.equal(
    document.health.issues.map(({ code }) => code),
    ['SHARD_STUCK', 'SHARD_STUCK'],
  );
  assert.match(document.health.issues[0]!.message, /^shard 0 has been running debug\|sleep for /);
  const shard = document.shards[0]!;
  const executing = shard.executing!;
  assert.is(shard.state, 'stuck');
  assert.is(executing.client_id, id);
  assert.is(executing.key, null);
  assert.ok(executing.elapsed_us > 1_000_000);
  assert.ok(shard.queue_depth >= 3, 'the sleep itself and what waits behind it');
  assert.ok(shard.queue_bytes > 0);
  assert.ok(shard.busy_percent > 70, 'a shard that is stuck is busy');
  assert.is(await slept, 'OK');
  await waiting;
  const after = await read();
  assert.is(after.health.status, 'healthy');
  assert.equal(
    after.shards.map(({ queue_depth: depth }) => depth),
    [0, 0],
  );
});

status('shows the key of a command that takes long, whatever bytes it has', async () => {
  const busy = await server.client();
  const key = Buffer.from([0x7b, 0x61, 0x7d, 0x00, 0xff]);
  await busy.call('SET', key, 'ab'.repeat(2_000));
  await busy.call('SET', '{a}2', 'bc'.repeat(2_000));
  const through = busy.pipeline(Array.from({ length: 10 }, () => ['LCS', key, '{a}2', 'LEN']));
  let executing = null;
  for (let tries = 0; tries < 200 && executing === null; tries += 1) {
    executing = (await read()).shards.find((shard) => shard.executing !== null)?.executing ?? null;
  }
  assert.is(executing?.command, 'lcs');
  assert.is(executing?.key, key.toString('latin1'));
  await through;
});

status.run();
