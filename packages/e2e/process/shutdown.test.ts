/** Ends of a server: graceful, at once, or because a shard has died. */
// test-tier: long
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keysOnShard, ReplyError, RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from './main-process.ts';

const shutdown = suite('shutdown');

const folder = mkdtempSync(path.join(tmpdir(), 'svc-shutdown-'));
shutdown.after(() => {
  rmSync(folder, { recursive: true });
});

const CLEAN = { exitCode: 0, signal: null };

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  shutdown(`${signal} answers what was sent, takes nobody new, and ends with 0`, async () => {
    const server = await startServer({ shards: 2 });
    const client = await server.client();
    const slept = client.pipeline([
      ['DEBUG', 'SLEEP', '0.5'],
      ['SET', 'k', 'v'],
      ['GET', 'k'],
    ]);
    const idle = await server.client();
    await idle.call('PING');
    server.signal(signal);
    await idle.closed;
    const refused = await RespClient.connect({ port: server.port }).catch((e: unknown) => e);
    assert.match(String(refused), /ECONNREFUSED/);
    assert.equal(await slept, ['OK', 'OK', 'v']);
    await client.closed;
    assert.equal(await server.ended, CLEAN);
    assert.match(server.stdout, /svc has stopped/);
    await server.stop();
  });
}

shutdown('a second signal ends it at once', async () => {
  const server = await startServer({ shards: 2 });
  const client = await server.client();
  const slept = client.call('DEBUG', 'SLEEP', '100').catch(() => 'lost');
  await (await server.client()).call('PING');
  server.signal('SIGTERM');
  const other = await server.client().catch(() => undefined);
  await other?.closed;
  // For a second after the first it counts as the same signal.
  await until(() => {
    if (server.isRunning) server.signal('SIGTERM');
    return !server.isRunning;
  }, 'a later signal ends it');
  const end = await server.ended;
  assert.ok(end.exitCode !== 0, 'what was cut off is no clean end');
  assert.is(await slept, 'lost');
  await server.stop();
});

shutdown(
  'is refused while the first snapshot, without which nothing is on disk, is written',
  async () => {
    const server = await startServer({
      args: ['--set', 'persistence.enabled=no', '--set', 'server.shutdown-timeout-secs=0'],
    });
    const client = await server.client();
    await client.call('MSET', 'a', '1', 'b', '2');
    await client.call('CONFIG', 'SET', 'rdb-key-save-delay', '100000000');
    await client.call('CONFIG', 'SET', 'appendonly', 'yes');
    for (const words of [['SHUTDOWN'], ['SHUTDOWN', 'NOW']]) {
      const reply = await client.reply(...words);
      assert.match(reply instanceof ReplyError ? reply.message : '', 'Errors trying to SHUTDOWN.');
    }
    assert.match(server.stdout, 'shutdown-refused');
    await client.call('CONFIG', 'SET', 'rdb-key-save-delay', '0');
    await until(
      async () => /log_awaits_snapshot:0/.test(textOf(await client.call('INFO', 'persistence'))),
      'the first snapshot is on disk',
    );
    const ends = client.call('SHUTDOWN').catch(() => 'ended');
    assert.equal(await server.ended, CLEAN);
    assert.is(await ends, 'ended');
    await server.stop();
  },
);

shutdown('does not wait longer than the settings say', async () => {
  const server = await startServer({ args: ['--set', 'server.shutdown-timeout-secs=0'] });
  const client = await server.client();
  const slept = client.call('DEBUG', 'SLEEP', '100').catch(() => 'lost');
  await (await server.client()).call('PING');
  server.signal('SIGTERM');
  assert.equal(await server.ended, CLEAN);
  assert.is(await slept, 'lost');
  await server.stop();
});

/** Timeout longer than the time of this file: a test that waits for it has failed. */
const PATIENT = ['--set', 'server.shutdown-timeout-secs=1000'];

shutdown('is not kept up by a client that waits for something', async () => {
  const server = await startServer({ args: PATIENT });
  const client = await server.client();
  const waited = client.call('WAIT', 1, 600_000).catch(() => 'lost');
  const admin = await server.client();
  while (!/ cmd=wait /.test(textOf(await admin.call('CLIENT', 'LIST'))));
  server.signal('SIGTERM');
  assert.equal(await server.ended, CLEAN);
  assert.is(await waited, 'lost');
  await server.stop();
});

for (const words of [['SHUTDOWN'], ['SHUTDOWN', 'NOSAVE'], ['SHUTDOWN', 'NOW']]) {
  shutdown(`${words.join(' ')} ends with 0 and closes the connection`, async () => {
    const server = await startServer({ args: PATIENT });
    const client = await server.client();
    const answer = await client.reply(...words).catch((error: unknown) => String(error));
    assert.match(textOf(answer), /connection is closed/);
    assert.equal(await server.ended, CLEAN);
    await server.stop();
  });
}

shutdown('SHUTDOWN NOSAVE ends a script that is busy, of which nothing is left', async () => {
  const data = path.join(folder, 'busy');
  const args = [...PATIENT, '--data-dir', data];
  const busy = ['--set', 'scripting.busy-reply-threshold-ms=1'];
  const server = await startServer({ args: [...args, ...busy] });
  const [client, admin] = [await server.client(), await server.client()];
  await client.call('SET', 'before', '1');
  const script = "redis.call('SET', KEYS[1], '2') while true do end";
  // A script that is killed before it has written, or is refused while the killed one ends, is run once more.
  const run = async (): Promise<string> => {
    for (;;) {
      const [reply] = await client.pipeline([['EVAL', script, 1, 'before']]).catch(() => ['lost']);
      if (reply === 'lost') return reply;
    }
  };
  const lost = run();
  const isUnkillable = async (): Promise<boolean> =>
    (await refusalOf(admin, 'SCRIPT', 'KILL')).startsWith('UNKILLABLE');
  await until(isUnkillable, 'the script has written');
  await until(async () => {
    const { shards } = JSON.parse(textOf(await admin.call('STATUS', 'JSON'))) as Status;
    return shards.some(({ executing }) => (executing?.elapsed_us ?? 0) > 1_000);
  }, 'the script is busy');
  assert.match(await refusalOf(admin, 'SHUTDOWN'), /^BUSY .*SHUTDOWN NOSAVE/);
  await admin.reply('SHUTDOWN', 'NOSAVE').catch(() => undefined);
  assert.is(await lost, 'lost');
  assert.equal(await server.ended, CLEAN);
  await server.stop();
  const next = await startServer({ args });
  assert.is(textOf(await (await next.client()).call('GET', 'before')), '1');
  await next.stop();
});

interface Status {
  readonly shards: readonly { readonly executing?: { readonly elapsed_us: number } | null }[];
}

async function refusalOf(client: RespClient, ...words: string[]): Promise<string> {
  const [reply] = await client.pipeline([words]);
  return reply instanceof Error ? reply.message : '';
}

shutdown('SHUTDOWN keeps its connection until the data folder and the port are free', async () => {
  const data = path.join(folder, 'kept');
  const server = await startServer({ args: [...PATIENT, '--data-dir', data] });
  const [client, other] = [await server.client(), await server.client()];
  await client.call('DEBUG', 'POPULATE', 200_000);
  const ended = client.reply('SHUTDOWN', 'SAVE').catch((error: unknown) => String(error));
  await other.closed;
  assert.ok(existsSync(path.join(data, 'lock')), 'it saves while others are cut off');
  await ended;
  assert.not.ok(existsSync(path.join(data, 'lock')));
  assert.equal(await server.ended, CLEAN);
  await server.stop();
});

shutdown('SHUTDOWN SAVE is refused while nothing can be saved, unless FORCE is given', async () => {
  const args = [...PATIENT, '--set', 'persistence.enabled=no'];
  const server = await startServer({ args });
  const client = await server.client();
  const [refused, alive] = await client.pipeline([['SHUTDOWN', 'SAVE'], ['PING']]);
  assert.match((refused as Error).message, /^ERR Errors trying to SHUTDOWN/);
  assert.is(alive, 'PONG');
  await client.reply('SHUTDOWN', 'SAVE', 'FORCE').catch(() => undefined);
  assert.equal(await server.ended, CLEAN);
  await server.stop();
});

/** Sends the process a signal as soon as it heeds it, while the start is under way. */
const HASTE = `
import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  process.on('newListener', (name) => {
    if (name === 'SIGTERM') setImmediate(() => process.kill(process.pid, 'SIGTERM'));
  });
}
`;

shutdown('a signal during the start is a clean end too', async () => {
  const preload = path.join(folder, 'haste.mjs');
  writeFileSync(preload, HASTE);
  const data = path.join(folder, 'hasty');
  const args = ['--port', '0', '--set', 'persistence.enabled=yes', '--data-dir', data];
  const end = await runMain(args, { NODE_OPTIONS: `--import ${preload}` });
  assert.is(end.exitCode, 0, end.stdout + end.stderr);
  assert.match(end.stdout, /svc has stopped/);
  assert.not.match(end.stdout, /svc is ready/);
});

/** Makes shard 0 fail inside DEBUG SLEEP, from outside of the product. */
const SABOTAGE = `
import { isMainThread, workerData } from 'node:worker_threads';
if (!isMainThread && workerData?.index === 0 && workerData.memory !== undefined) {
  const wait = Atomics.wait;
  Atomics.wait = (array, index, value, timeout) => {
    if (array.length === 1) throw new Error('arranged by a test');
    return wait(array, index, value, timeout);
  };
}
`;

shutdown('a shard that dies is reported, its clients are told, and the end is 1', async () => {
  const preload = path.join(folder, 'sabotage.mjs');
  writeFileSync(preload, SABOTAGE);
  const data = path.join(folder, 'data');
  const server = await startServer({
    shards: 2,
    environment: { NODE_OPTIONS: `--import ${preload}` },
    args: ['--data-dir', data],
  });
  const [key = ''] = keysOnShard(0, 2, 1);
  const client = await server.client();
  await client.call('SET', key, 'a secret value');
  const doomed = client
    .pipeline([
      ['DEBUG', 'SLEEP', '1'],
      ['GET', key],
    ])
    .catch(() => undefined);
  const reported = client.receive().catch((error: unknown) => String(error));
  client.socket.once('data', (bytes: Buffer) => {
    assert.is(bytes.toString(), '-SHARDDOWN shard 0 has stopped\r\n');
  });
  await Promise.all([doomed, reported, client.closed]);
  assert.equal(await server.ended, { exitCode: 1, signal: null });
  const said = server.stdout + server.stderr;
  assert.match(said, /shard 0 died while running debug\|sleep: arranged by a test/);
  const files = readdirSync(data).filter((file) => /^crash-.*\.json$/.test(file));
  assert.is(files.length, 1);
  assert.ok(said.includes(files[0]!), 'the log says where the report is');
  const text = readFileSync(path.join(data, files[0]!), 'utf8');
  assert.not.match(text, /a secret value/);
  const report = JSON.parse(text) as Record<string, unknown>;
  assert.is(report['shard'], 0);
  assert.is(report['reason'], 'arranged by a test');
  assert.match(String(report['stack']), /at /);
  const executing = report['executing'] as Record<string, unknown>;
  assert.is(executing['command'], 'debug|sleep');
  assert.match(String(executing['client']), /^127\.0\.0\.1:\d+$/);
  await server.stop();
});

shutdown.run();
