/** Data for another number of shards, from Redis, and to Redis. */
// test-tier: long
import fs from 'node:fs';
import path from 'node:path';
import { contentsOf, fill, needs, redisProgram, startRedis } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checksumsOf, IN_FIRST_BLOCK, snapshotsOf, turnBit } from '../damage/data-files.ts';
import { differences, keptServers, stateOf } from './kept-server.ts';

const migration = suite('data that moves');

const SYNC = ['--set', 'persistence.durability-mode=sync'];

const newServer = keptServers(migration);

migration('from 2 to 3 to 1 shards and back: every key is there to the last byte', async () => {
  const server = newServer();
  const client = await server.start({ shards: 2, args: SYNC });
  await fill(client);
  await client.call('HPEXPIREAT', 'hash', '4102444800123', 'FIELDS', '1', 'field');
  await client.call('BGSAVE');
  await client.call('MSET', 'a', '1', 'b', '2', 'c', '3', 'd', '4');
  let before = await stateOf(client);
  for (const shards of [3, 1, 2]) {
    await server.kill();
    const next = await server.start({ shards, args: SYNC });
    assert.equal(differences(before, await stateOf(next)), [], `${shards} shards`);
    await server.reported(/Redistributed \d+ keys/);
    await next.call('INCR', 'starts');
    before = await stateOf(next);
    await server.kill();
    const again = await server.start({ shards });
    assert.equal(differences(before, await stateOf(again)), [], `${shards} shards again`);
    assert.not.match(server.server.stdout, /Redistributed \d+ keys/);
  }
  await server.stop();
});

migration(
  'a snapshot without a log behind it, as a restored folder has, can be redistributed',
  async () => {
    const server = newServer();
    const client = await server.start({ shards: 1 });
    await fill(client);
    const before = await stateOf(client);
    await server.stop();
    fs.rmSync(path.join(server.data, 'log'), { recursive: true });
    for (const shards of [2, 3]) {
      const next = await server.start({ shards });
      assert.equal(differences(before, await stateOf(next)), [], `${shards} shards`);
      await server.stop();
      fs.rmSync(path.join(server.data, 'log'), { recursive: true });
    }
  },
);

if (needs(redisProgram())) {
  migration('a snapshot of Redis comes in whole, and is refused where there is data', async () => {
    const redis = await startRedis();
    const there = await redis.client({ buffers: true });
    await fill(there);
    await there.call('SAVE');
    const server = newServer();
    const file = path.join(server.folder, 'dump.rdb');
    fs.copyFileSync(path.join(redis.folder, 'dump.rdb'), file);
    await server.start({ args: [...SYNC, '--import-rdb', file] });
    const here = await server.server.client({ buffers: true });
    const wanted = await contentsOf(there);
    assert.ok(wanted.length >= 17, `${wanted.length} keys`);
    assert.equal(await contentsOf(here), wanted);
    await here.call('SET', 'later', '1');
    await server.kill();
    const data = checksumsOf(server.data);
    const again = await server.main('--import-rdb', file);
    assert.is(again.exitCode, 1);
    assert.match(again.stderr, 'has data already: nothing was imported');
    delete (data as Record<string, string>)['lock'];
    assert.equal(checksumsOf(server.data), data);
    await server.start({ args: SYNC });
    const kept = await server.server.client({ buffers: true });
    await kept.call('DEL', 'later');
    assert.equal(await contentsOf(kept), wanted, 'after a kill');
    await server.kill();
    await redis.stop();
    // The log does not have what was imported: without the snapshot there must be no start.
    const [snapshot] = snapshotsOf(server.data);
    turnBit(path.join(snapshot!, 'shard-0.snapshot'), IN_FIRST_BLOCK);
    const damaged = await server.main();
    assert.is(damaged.exitCode, 1);
    assert.match(damaged.stderr, 'shard-0.snapshot is damaged at offset');
    fs.writeFileSync(path.join(snapshot!, 'manifest.json'), '');
    const lost = await server.main();
    assert.is(lost.exitCode, 1);
    assert.match(lost.stderr, 'the log has a gap');
  });

  migration('how often keys were used comes in under a policy that counts it', async () => {
    const policy = ['--maxmemory-policy', 'allkeys-lfu', '--lfu-decay-time', '0'];
    const redis = await startRedis(policy);
    const there = await redis.client({ buffers: true });
    await there.call('SET', 'cold', 'x'.repeat(10));
    const payload = (await there.call('DUMP', 'cold')) as Buffer;
    await there.call('RESTORE', 'hot', '0', payload, 'FREQ', '200');
    await there.call('SAVE');
    const server = newServer();
    const file = path.join(server.folder, 'dump.rdb');
    fs.copyFileSync(path.join(redis.folder, 'dump.rdb'), file);
    await redis.stop();
    const lfu = ['memory.maxmemory-policy=allkeys-lfu', 'memory.lfu-decay-time=0'];
    const args = [...SYNC, ...lfu.flatMap((each) => ['--set', each])];
    const here = await server.start({ args: [...args, '--import-rdb', file] });
    assert.is(await here.call('OBJECT', 'FREQ', 'hot'), 200);
    assert.ok(((await here.call('OBJECT', 'FREQ', 'cold')) as number) < 20);
    await server.stop();
  });

  migration('an export is loaded by Redis with equal contents', async () => {
    const server = newServer();
    const client = await server.start({ args: SYNC });
    await fill(client);
    const wanted = await contentsOf(await server.server.client({ buffers: true }));
    await server.kill();
    const file = path.join(server.folder, 'dump.rdb');
    const { exitCode, stdout, stderr } = await server.main('--export-rdb', file);
    assert.is(exitCode, 0, stderr);
    assert.match(stdout, `Exported ${wanted.length} keys to ${file}`);
    const redis = await startRedis(['--dir', server.folder, '--dbfilename', 'dump.rdb']);
    assert.equal(await contentsOf(await redis.client({ buffers: true })), wanted);
    await redis.stop();
    const twice = await server.main('--export-rdb', file);
    assert.is(twice.exitCode, 1);
    assert.match(twice.stderr, 'EEXIST');
  });
}

const refused: readonly (readonly [what: string, bytes: string | undefined, reason: string])[] = [
  ['no file', undefined, 'ENOENT'],
  ['no snapshot', 'something else than a snapshot', 'cannot be imported'],
  ['a snapshot that ends too soon', 'REDIS0011\xfe\x00\x00\x01a', 'cannot be imported'],
];
for (const [what, bytes, reason] of refused) {
  migration(`${what} is not imported, and the folder stays empty`, async () => {
    const server = newServer();
    const file = path.join(server.folder, 'in.rdb');
    if (bytes !== undefined) fs.writeFileSync(file, bytes, 'latin1');
    const { exitCode, stderr } = await server.main('--import-rdb', file);
    assert.is(exitCode, 1);
    assert.match(stderr, `${file} cannot be imported`);
    assert.match(stderr, reason);
    assert.equal(checksumsOf(server.data), {});
  });
}

migration('what can be read of a damaged snapshot is imported, if it is wanted', async () => {
  const server = newServer();
  const file = path.join(server.folder, 'in.rdb');
  const keys = '\x00\x03one\x011\x04\x04none\x00\x0b\x03bad\x02xx\x00\x03two\x012';
  fs.writeFileSync(file, `REDIS0003\xfe\x00${keys}\x00\x07cut`, 'latin1');
  const { exitCode, stderr } = await server.main('--import-rdb', file);
  assert.is(exitCode, 1);
  assert.match(stderr, 'the value of key "bad" in database 0 is damaged; --skip-damaged imports');
  const client = await server.start({ args: ['--import-rdb', file, '--skip-damaged'] });
  assert.is(await client.call('MGET', 'one', 'two').then(String), '1,2');
  assert.is(await client.call('DBSIZE'), 2);
  assert.match(server.server.stdout, '1 empty keys were skipped: "none"');
  assert.match(server.server.stdout, 'the value of key "bad"');
  assert.match(server.server.stdout, 'is longer than the file');
  await server.stop();
});

migration('a first start begins with the snapshot of Redis in its data folder', async () => {
  const server = newServer();
  const client = await server.start({ args: SYNC });
  await fill(client);
  const wanted = await contentsOf(await server.server.client({ buffers: true }));
  await server.kill();
  const { exitCode, stderr } = await server.main('--export-rdb', 'out.rdb');
  assert.is(exitCode, 0, stderr);
  const moved = newServer();
  fs.mkdirSync(path.join(moved.data, 'appendonlydir'), { recursive: true });
  const named = ['--set', 'persistence.rdb-file=redis.rdb'];
  fs.renameSync(path.join(server.folder, 'out.rdb'), path.join(moved.data, 'redis.rdb'));
  const refused = await moved.main(...named);
  assert.is(refused.exitCode, 1);
  assert.match(refused.stderr, 'appendonlydir contains changes that Redis wrote after redis.rdb');
  fs.rmdirSync(path.join(moved.data, 'appendonlydir'));
  const here = await moved.start({ args: [...SYNC, ...named] });
  assert.equal(await here.call('CONFIG', 'GET', 'dbfilename'), ['dbfilename', 'redis.rdb']);
  assert.equal(await contentsOf(await moved.server.client({ buffers: true })), wanted);
  await moved.reported('rdb-imported');
  await here.call('FLUSHALL');
  await moved.kill();
  assert.is(await moved.startedKeys({ args: [...SYNC, ...named] }), 0, 'only the first start does');
  await moved.server.stop();
});

migration('an export has the oldest version that can say what there is', async () => {
  const server = newServer();
  const versionOf = async (name: string): Promise<string> => {
    const { exitCode, stderr } = await server.main('--export-rdb', name);
    assert.is(exitCode, 0, stderr);
    return fs.readFileSync(path.join(server.folder, name)).toString('latin1', 0, 9);
  };
  const client = await server.start({ args: SYNC });
  await fill(client);
  await server.kill();
  assert.is(await versionOf('old.rdb'), 'REDIS0010');
  const again = await server.start({ args: SYNC });
  await again.call('HPEXPIREAT', 'hash', '4102444800123', 'FIELDS', '1', 'field');
  await server.kill();
  assert.is(await versionOf('new.rdb'), 'REDIS0012');
});

migration('an export of nothing is refused', async () => {
  const server = newServer();
  fs.mkdirSync(server.data);
  const { exitCode, stderr } = await server.main('--export-rdb', 'out.rdb');
  assert.is(exitCode, 1);
  assert.match(stderr, 'there is no data to export');
});

migration.run();
