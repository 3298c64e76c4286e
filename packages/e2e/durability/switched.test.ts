/** CONFIG SET appendonly: persistence is switched on and off while the server runs. */
// test-tier: long
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { needs, type Reply, ReplyError, type RespClient, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checksumsOf, snapshotsOf } from '../damage/data-files.ts';
import { keptServers, type KeptServer } from './kept-server.ts';

const switched = suite('persistence is switched');

const QUIET = ['--set', 'snapshot.interval-secs=0'];
const OFF = [...QUIET, '--set', 'persistence.enabled=no'];
const SYNC = ['--set', 'persistence.durability-mode=sync'];
const KEYS = 300;
const KEY_BYTES = 1_000;

const newServer = keptServers(switched);

const keep = (client: RespClient, value: string): Promise<unknown> =>
  client.call('CONFIG', 'SET', 'appendonly', value);

const said = async (client: RespClient, ...words: string[]): Promise<string> => {
  const reply = await client.reply(...words);
  return reply instanceof ReplyError ? reply.message : textOf(reply);
};

/** Fields of INFO's section, as numbers or text. */
async function persistenceOf(client: RespClient): Promise<ReadonlyMap<string, string>> {
  const text = textOf(await client.call('INFO', 'persistence'));
  return new Map(
    text.split('\r\n').map((line) => {
      const [name = '', value = ''] = line.split(':');
      return [name, value];
    }),
  );
}

/** Switches it on, and waits until all that there is is on disk. */
async function keepAll(client: RespClient): Promise<void> {
  assert.is(await keep(client, 'yes'), 'OK');
  await isFounded(client);
}

async function isFounded(client: RespClient): Promise<void> {
  const field = async (): Promise<string | undefined> =>
    (await persistenceOf(client)).get('log_awaits_snapshot');
  await until(async () => (await field()) === '0', 'the first snapshot is on disk');
}

/** Writes `count` keys, over all shards. */
async function fill(client: RespClient, prefix: string, count = KEYS): Promise<void> {
  const value = 'x'.repeat(KEY_BYTES);
  await client.pipeline(
    Array.from({ length: count }, (_, nth) => ['SET', `${prefix}:${String(nth)}`, value]),
  );
}

/** Counts the keys of each prefix. */
async function counts(client: RespClient, ...prefixes: string[]): Promise<number[]> {
  const all = (await client.call('KEYS', '*')) as string[];
  return prefixes.map((prefix) => all.filter((key) => textOf(key).startsWith(prefix)).length);
}

/** Leaves a folder with other data, of a number of shards. */
async function leaveOld(server: KeptServer, shards: number): Promise<void> {
  const client = await server.start({ shards, args: [...QUIET] });
  await fill(client, 'old', 50);
  await client.call('SAVE');
  await fill(client, 'older', 20);
  await server.kill();
}

for (const mode of ['sync', 'periodic', 'async']) {
  switched(`on, ${mode}: what was there and what comes is kept, on every surface`, async () => {
    const server = newServer();
    const args = [...OFF, '--set', `persistence.durability-mode=${mode}`];
    const client = await server.start({ shards: 3, args, http: true });
    await fill(client, 'before');
    assert.not.ok(fs.existsSync(server.data));
    assert.is((await persistenceOf(client)).get('aof_enabled'), '0');
    await keepAll(client);
    assert.equal(await client.call('CONFIG', 'GET', 'appendonly'), ['appendonly', 'yes']);
    const info = await persistenceOf(client);
    assert.equal([info.get('aof_enabled'), info.get('durability_mode')], ['1', mode]);
    const { persistence } = JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as {
      persistence: Record<string, unknown>;
    };
    assert.equal([persistence['enabled'], persistence['awaits_snapshot']], [true, false]);
    const metrics = await (
      await fetch(`http://127.0.0.1:${String(server.server.httpPort)}/metrics`)
    ).text();
    assert.match(metrics, /^svc_persistence_awaits_snapshot 0$/m);
    assert.match(
      metrics,
      /^svc_persistence_log_segment_bytes\{|^svc_persistence_\w+\{shard="2"\}/m,
    );
    await fill(client, 'after');
    await client.call('MSET', 'several:a', '1', 'several:b', '2', 'several:c', '3');
    await client.call(
      'EVAL',
      "redis.call('SET', 'script:a', 1) redis.call('SET', 'script:b', 2)",
      '0',
    );
    if (mode === 'async') await server.stop();
    else await server.kill();
    const again = await server.start({ shards: 3, args: QUIET });
    assert.equal(await counts(again, 'before', 'after', 'several', 'script'), [KEYS, KEYS, 3, 2]);
    await server.stop();
  });
}

switched('off: what was written stays as it is, and a start reads it', async () => {
  const server = newServer();
  const client = await server.start({ shards: 3, args: [...QUIET, ...SYNC] });
  await fill(client, 'kept');
  assert.is(await keep(client, 'no'), 'OK');
  const left = checksumsOf(server.data);
  await fill(client, 'unkept');
  const info = await persistenceOf(client);
  assert.equal([info.get('aof_enabled'), info.get('aof_rewrite_in_progress')], ['0', '0']);
  assert.equal(await client.call('CONFIG', 'GET', 'appendonly'), ['appendonly', 'no']);
  const nothing = 'ERR nothing is kept on disk: persistence.enabled is';
  for (const command of ['SAVE', 'BGSAVE', 'BGREWRITEAOF']) {
    assert.is(await said(client, command), `${nothing} off`);
  }
  assert.is(await said(client, 'DEBUG', 'LOADAOF'), `${nothing} no`);
  assert.equal(checksumsOf(server.data), left);
  await server.stop();
  assert.match((await server.main('--shards', '3', '--check-data')).stdout, '300 keys');
  const again = await server.start({ shards: 3, args: QUIET });
  assert.equal(await counts(again, 'kept', 'unkept'), [KEYS, 0]);
  await server.stop();
});

switched('on and off and on again: the last snapshot has everything', async () => {
  const server = newServer();
  const client = await server.start({ shards: 3, args: OFF });
  for (let round = 0; round < 6; round += 1) {
    await fill(client, `kept${String(round)}`, 30);
    // Every other time the first snapshot is still under way when it is switched off again.
    if (round % 2 === 0) await keepAll(client);
    else assert.is(await keep(client, 'yes'), 'OK');
    await fill(client, `logged${String(round)}`, 30);
    assert.is(await keep(client, 'no'), 'OK');
    await fill(client, `unlogged${String(round)}`, 30);
  }
  await keepAll(client);
  assert.is(await client.call('SET', 'last', '1'), 'OK');
  const state = (await client.call('DEBUG', 'DIGEST')) as string;
  await client.call('DEBUG', 'LOADAOF');
  assert.is(textOf(await client.call('DEBUG', 'DIGEST')), textOf(state));
  await server.kill();
  const again = await server.start({ shards: 3, args: QUIET });
  assert.is(await again.call('DBSIZE'), 6 * 90 + 1);
  assert.is(textOf(await again.call('DEBUG', 'DIGEST')), textOf(state));
  await server.stop();
});

switched('on over a folder with other data: its snapshot takes their place', async () => {
  const server = newServer();
  await leaveOld(server, 2);
  const client = await server.start({ shards: 3, args: OFF });
  await fill(client, 'new');
  await keepAll(client);
  assert.is(snapshotsOf(server.data).length, 1);
  await fill(client, 'newer');
  await server.kill();
  const again = await server.start({ shards: 3, args: QUIET });
  assert.equal(await counts(again, 'old', 'new:', 'newer'), [0, KEYS, KEYS]);
  await server.stop();
});

switched('on in a folder that another server has, or that cannot be, is refused', async () => {
  const server = newServer();
  const owner = await server.start({ shards: 1, args: QUIET });
  await fill(owner, 'owned', 5);
  const other = newServer();
  const args = [...OFF, '--data-dir', server.data];
  const client = await other.start({ shards: 1, args });
  await client.call('SET', 'key', 'value');
  const inUse = `the data folder ${server.data} is in use by process ${String(server.server.pid)}`;
  const failed = (reason: string): string =>
    `ERR CONFIG SET failed (possibly related to argument 'appendonly') - ${reason}`;
  assert.is(await said(client, 'CONFIG', 'SET', 'appendonly', 'yes'), failed(inUse));
  assert.equal(await client.call('CONFIG', 'GET', 'appendonly'), ['appendonly', 'no']);
  assert.is((await persistenceOf(client)).get('aof_enabled'), '0');
  assert.is(await client.call('SET', 'key', 'other'), 'OK');
  await server.stop();
  await keepAll(client);
  await other.kill();
  assert.equal(await counts(await server.start({ shards: 1 }), 'owned', 'key'), [0, 1]);
  await server.stop();

  const nowhere = newServer();
  fs.writeFileSync(path.join(nowhere.folder, 'file'), '');
  const without = await nowhere.start({ args: [...OFF, '--data-dir', 'file/data'] });
  const why = await said(without, 'CONFIG', 'SET', 'persistence-enabled', 'yes');
  assert.match(why, "(possibly related to argument 'persistence-enabled') - the data folder ");
  assert.match(why, 'cannot be used: its parent is a file');
  await nowhere.stop();
});

switched('within a transaction; off and on in one is refused', async () => {
  const server = newServer();
  const client = await server.start({ shards: 3, args: OFF });
  const exec = async (...commands: string[][]): Promise<string[]> => {
    await client.call('MULTI');
    for (const words of commands) await client.call(...words);
    const replies = (await client.call('EXEC')) as Reply[];
    return replies.map((reply) => (reply instanceof ReplyError ? reply.message : textOf(reply)));
  };
  const [on, off] = ['yes', 'no'].map((value) => ['CONFIG', 'SET', 'appendonly', value]);
  const replies = await exec(['SET', 'a', '1'], on!, ['SET', 'b', '2'], ['DBSIZE']);
  assert.equal(replies, ['OK', 'OK', 'OK', '2']);
  await isFounded(client);
  const [, done, refused = ''] = await exec(['SET', 'c', '3'], off!, on!, ['SET', 'd', '4']);
  assert.is(done, 'OK');
  assert.match(refused, 'the log is still being closed');
  await keepAll(client);
  await server.kill();
  const again = await server.start({ shards: 3, args: QUIET });
  assert.equal(await counts(again, 'a', 'b', 'c', 'd'), [1, 1, 1, 1]);
  await server.stop();
});

for (const [file, head] of [
  ['svc.toml', '[persistence]\nenabled = false\n'],
  ['redis.conf', 'appendonly no\nsave ""\n'],
] as const) {
  switched(`CONFIG REWRITE writes it into ${file}`, async () => {
    const server = newServer();
    const conf = path.join(server.folder, file);
    fs.writeFileSync(conf, head);
    const args = ['--config', conf, '--data-dir', 'svc-data'];
    const client = await server.start({ args });
    await client.call('SET', 'key', 'value');
    await keepAll(client);
    assert.is(await client.call('CONFIG', 'REWRITE'), 'OK');
    await server.kill();
    const again = await server.start({ args });
    assert.is(await again.call('GET', 'key'), 'value');
    assert.equal(await again.call('CONFIG', 'GET', 'appendonly'), ['appendonly', 'yes']);
    await server.stop();
  });
}

if (needs('prlimit')) {
  const limitFiles = (server: KeptServer, bytes: number | 'unlimited'): void => {
    const { pid } = server.server;
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${String(bytes)}:`]);
  };
  /** More than the head of a segment and some records, less than a snapshot. */
  const LITTLE = 40_000;

  switched(
    'the first snapshot fails: told, tried again, and a kill finds what was there',
    async () => {
      const server = newServer();
      await leaveOld(server, 3);
      const before = await server.start({ shards: 3, args: OFF });
      await fill(before, 'new', 2_000);
      limitFiles(server, LITTLE);
      // A value that cannot be packed.
      await before.call('SET', 'noise', randomBytes(4 * LITTLE));
      assert.is(await keep(before, 'yes'), 'OK');
      await server.reported(/Snapshot \d+ failed: EFBIG/);
      const info = await persistenceOf(before);
      const fields = ['aof_enabled', 'log_awaits_snapshot', 'aof_last_bgrewrite_status'];
      assert.equal(
        fields.map((name) => info.get(name)),
        ['1', '1', 'err'],
      );
      assert.match(textOf(await before.call('STATUS', 'JSON')), 'the first snapshot failed');
      assert.match(await said(before, 'DEBUG', 'LOADAOF'), 'its first snapshot is not on disk yet');
      assert.is(await before.call('SET', 'more', '1'), 'OK');
      await server.kill();
      const again = await server.start({ shards: 3, args: QUIET });
      assert.equal(await counts(again, 'old', 'new', 'noise', 'more'), [70, 0, 0, 0]);
      assert.match(server.server.stdout, 'never finished');
      await server.kill();

      const client = await server.start({ shards: 3, args: OFF });
      await client.call('SET', 'noise', randomBytes(4 * LITTLE));
      limitFiles(server, LITTLE);
      await keep(client, 'yes');
      await server.reported(/Snapshot \d+ failed: EFBIG/);
      limitFiles(server, 'unlimited');
      await isFounded(client);
      await server.kill();
      const last = await server.start({ shards: 3, args: QUIET });
      assert.equal(await counts(last, 'old', 'noise'), [0, 1]);
      await server.stop();
    },
  );

  switched('off while the first snapshot is still to come: the folder is as it was', async () => {
    const server = newServer();
    const client = await server.start({ shards: 3, args: [...QUIET, ...SYNC] });
    await fill(client, 'kept', 50);
    await client.call('SAVE');
    await keep(client, 'no');
    const left = checksumsOf(server.data);
    await client.call('SET', 'noise', randomBytes(4 * LITTLE));
    limitFiles(server, LITTLE);
    assert.is(await keep(client, 'yes'), 'OK');
    await server.reported(/Snapshot \d+ failed: EFBIG/);
    await fill(client, 'logged', 5);
    assert.is(await keep(client, 'no'), 'OK');
    assert.equal(checksumsOf(server.data), left);
    limitFiles(server, 'unlimited');
    await keepAll(client);
    await server.kill();
    const again = await server.start({ shards: 3, args: QUIET });
    assert.equal(await counts(again, 'kept', 'noise', 'logged'), [50, 1, 5]);
    await server.stop();
  });

  switched('no room for the logs: refused, and nothing has changed', async () => {
    const server = newServer();
    const client = await server.start({ shards: 3, args: [...QUIET, ...SYNC] });
    await fill(client, 'kept', 50);
    await keep(client, 'no');
    const left = checksumsOf(server.data);
    limitFiles(server, 32);
    assert.match(await said(client, 'CONFIG', 'SET', 'appendonly', 'yes'), 'EFBIG');
    assert.equal(checksumsOf(server.data), left);
    assert.is((await persistenceOf(client)).get('aof_enabled'), '0');
    assert.is(await client.call('SET', 'unkept', '1'), 'OK');
    limitFiles(server, 'unlimited');
    await keepAll(client);
    await server.kill();
    const again = await server.start({ shards: 3, args: QUIET });
    assert.equal(await counts(again, 'kept', 'unkept'), [50, 1]);
    await server.stop();
  });

  switched('a log that has failed is switched off and on again', async () => {
    const server = newServer();
    const client = await server.start({ shards: 1, args: QUIET });
    limitFiles(server, LITTLE);
    const value = 'x'.repeat(10_000);
    let nth = 0;
    let reply = 'OK';
    for (; reply === 'OK'; nth += 1) reply = await said(client, 'SET', `key:${String(nth)}`, value);
    assert.match(reply, /^MISCONF/);
    assert.is(await keep(client, 'no'), 'OK');
    assert.is(await client.call('SET', 'later', '1'), 'OK');
    limitFiles(server, 'unlimited');
    await keepAll(client);
    assert.is(await client.call('SET', 'last', '1'), 'OK');
    const keys = await client.call('DBSIZE');
    await server.kill();
    assert.is(await server.startedKeys({ shards: 1, args: QUIET }), keys);
    await server.stop();
  });
}

switched.run();
