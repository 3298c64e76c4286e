/** Each setting of durability, and each command of snapshots, by what it does. */
// test-tier: long
import fs from 'node:fs';
import path from 'node:path';
import { ReplyError, type RespClient, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  blocksIn,
  clearSegments,
  obstructSegments,
  segmentsOf,
  snapshotsOf,
  writtenBytes,
} from '../damage/data-files.ts';
import { keptServers, type KeptServer } from './kept-server.ts';

const settings = suite('settings of durability');

const NEVER = ['--set', 'snapshot.interval-secs=0'];
const SYNC = [...NEVER, '--set', 'persistence.durability-mode=sync'];

const newServer = keptServers(settings);

const textOfReply = async (client: RespClient, ...words: string[]): Promise<string> => {
  const reply = await client.reply(...words);
  return reply instanceof ReplyError ? reply.message : textOf(reply);
};

/** Bytes of a shard's segments. */
const logBytes = (server: KeptServer, shard = 0): number =>
  segmentsOf(server.data, shard).reduce((sum, file) => sum + writtenBytes(file), 0);

settings('persistence.enabled: off writes nothing, and snapshots are refused', async () => {
  const server = newServer();
  const client = await server.start({ args: ['--set', 'persistence.enabled=false'] });
  await client.call('SET', 'key', 'value');
  for (const command of ['SAVE', 'BGSAVE', 'BGREWRITEAOF']) {
    const said = await textOfReply(client, command);
    assert.is(said, 'ERR nothing is kept on disk: persistence.enabled is off');
  }
  await server.stop();
  assert.not.ok(fs.existsSync(server.data));
});

settings('persistence.data-dir: there the data is', async () => {
  const server = newServer();
  const args = [...SYNC, '--data-dir', 'elsewhere/data'];
  const client = await server.start({ args });
  await client.call('SET', 'key', 'value');
  await server.kill();
  assert.not.ok(fs.existsSync(server.data));
  assert.ok(fs.existsSync(path.join(server.folder, 'elsewhere/data/log/shard-0')));
  const again = await server.start({ args });
  assert.is(await again.call('GET', 'key'), 'value');
  await server.stop();
});

settings('persistence.durability-mode: live to sync, the log has what was answered', async () => {
  const server = newServer();
  const client = await server.start({
    shards: 1,
    args: [...NEVER, '--set', 'persistence.durability-mode=async'],
  });
  await client.call('CONFIG', 'SET', 'persistence-durability-mode', 'sync');
  // The disk thread and the shard hear of it each by itself; from then on every reply waits.
  await client.call('SET', 'first', '1');
  for (let nth = 0; nth < 50; nth += 1) {
    const before = logBytes(server);
    await client.call('SET', `key:${nth}`, 'x'.repeat(100));
    assert.ok(logBytes(server) >= before + 100, `the write ${nth} is in the file`);
  }
  await server.kill();
  assert.is(await (await server.start({ shards: 1 })).call('DBSIZE'), 51);
  await server.stop();
});

settings('persistence.sync-interval-ms: how much is on disk for certain, live', async () => {
  const server = newServer();
  const client = await server.start({
    shards: 1,
    args: [...NEVER, '--set', 'persistence.sync-interval-ms=3600000'],
  });
  const written = async (): Promise<{ blocks: number; synced: number }> => {
    const before = logBytes(server);
    await client.call('INCR', 'counter');
    await until(() => logBytes(server) > before, 'the write is in the file');
    return blocksIn(segmentsOf(server.data, 0)[0]!);
  };
  await until(() => fs.existsSync(path.join(server.data, 'log', 'shard-0')), 'the log has begun');
  await written();
  // What is written first is synced at once; then the interval begins.
  let last = await written();
  while (last.synced === 0) last = await written();
  const first = last;
  while (last.blocks < first.blocks + 20) last = await written();
  assert.is(last.synced, first.synced);
  await client.call('CONFIG', 'SET', 'persistence-sync-interval-ms', '1');
  const isSynced = async (): Promise<boolean> => (await written()).synced >= last.blocks;
  await until(isSynced, 'what was written is on disk');
  await server.stop();
});

settings('snapshot.interval-secs: one is taken by itself when something has changed', async () => {
  const server = newServer();
  const client = await server.start({ args: NEVER });
  await client.call('SET', 'key', 'value');
  assert.equal(snapshotsOf(server.data), []);
  await client.call('CONFIG', 'SET', 'snapshot-interval-secs', '1');
  await until(() => snapshotsOf(server.data).length === 1, 'a snapshot is there');
  await server.stop();
});

settings('save: of several points, the one is reached that asks for so many changes', async () => {
  const server = newServer();
  const client = await server.start({ args: NEVER });
  await client.call('CONFIG', 'SET', 'save', '3600 1 1 3');
  await client.call('SET', 'key', '1');
  await client.call('SET', 'key', '2');
  assert.equal(await client.call('CONFIG', 'GET', 'save'), ['save', '3600 1 1 3']);
  const started = (await client.call('LASTSAVE')) as number;
  await until(() => Date.now() / 1_000 > started + 3, 'the second has passed');
  assert.equal(snapshotsOf(server.data), [], 'two changes are too few');
  await client.call('SET', 'key', '3');
  await until(() => snapshotsOf(server.data).length === 1, 'three are enough');
  await server.stop();
});

settings('snapshot.stop-writes-on-error: refuses writes until one has succeeded', async () => {
  const server = newServer();
  const client = await server.start({ args: ['--set', 'snapshot.interval-secs=3600'] });
  await client.call('SET', 'key', '1');
  fs.writeFileSync(path.join(server.data, 'snapshots'), '');
  assert.match(await textOfReply(client, 'SAVE'), /^ERR the snapshot failed/);
  assert.is(await client.call('SET', 'key', '2'), 'OK', 'the log has it');
  await client.call('CONFIG', 'SET', 'stop-writes-on-bgsave-error', 'yes');
  assert.match(
    await textOfReply(client, 'SET', 'key', '3'),
    /^MISCONF Redis is configured to save/,
  );
  assert.is(await client.call('GET', 'key'), '2');
  await client.call('CONFIG', 'SET', 'save', '');
  assert.is(await client.call('SET', 'key', '4'), 'OK', 'no snapshot is asked for');
  await client.call('CONFIG', 'SET', 'save', '3600 1');
  fs.rmSync(path.join(server.data, 'snapshots'));
  await client.call('SAVE');
  assert.is(await client.call('SET', 'key', '5'), 'OK');
  await server.stop();
});

settings('snapshot.max-snapshots: older ones go, live', async () => {
  const server = newServer();
  const client = await server.start({ args: [...NEVER, '--set', 'snapshot.max-snapshots=3'] });
  for (let nth = 0; nth < 5; nth += 1) await client.call('SAVE');
  assert.is(snapshotsOf(server.data).length, 3);
  const newest = snapshotsOf(server.data).at(-1);
  await client.call('CONFIG', 'SET', 'snapshot-max-snapshots', '1');
  await client.call('SAVE');
  assert.is(snapshotsOf(server.data).length, 1);
  assert.not.equal(snapshotsOf(server.data), [newest]);
  await server.stop();
});

settings('snapshot.compression: packs what can be packed, and both are read; live', async () => {
  const bytes: number[] = [];
  for (const packs of ['yes', 'no']) {
    const server = newServer();
    const client = await server.start({ shards: 1, args: NEVER });
    await client.call('CONFIG', 'SET', 'rdbcompression', packs);
    await client.call('SET', 'key', 'x'.repeat(100_000));
    await client.call('SAVE');
    await server.kill();
    bytes.push(fs.statSync(path.join(snapshotsOf(server.data)[0]!, 'shard-0.snapshot')).size);
    fs.rmSync(path.join(server.data, 'log'), { recursive: true });
    const again = await server.start({ shards: 1 });
    assert.is(await again.call('STRLEN', 'key'), 100_000);
    await server.stop();
  }
  assert.ok(bytes[0]! < 10_000 && bytes[1]! > 100_000, bytes.join());
});

settings(
  'persistence.wal-failure-policy: readonly refuses writes until the log is back',
  async () => {
    const server = newServer();
    const client = await server.start({ shards: 1, args: SYNC });
    await client.call('SET', 'before', '1');
    await obstructSegments(server.data, [2, 3]);
    await client.call('SAVE');
    const refused =
      /^MISCONF Errors writing to the AOF file: the log of shard 0 cannot be written: EEXIST/;
    await until(async () => refused.test(await textOfReply(client, 'SET', 'a', '1')), 'a refusal');
    assert.is(await client.call('GET', 'before'), '1', 'what is there is read');
    const healed = async (): Promise<boolean> =>
      (await textOfReply(client, 'SET', 'after', '1')) === 'OK';
    await until(healed, 'writes are taken again');
    clearSegments(server.data);
    await server.kill();
    const again = await server.start({ shards: 1, args: SYNC });
    assert.equal(await again.call('MGET', 'before', 'after'), ['1', '1']);
    await server.stop();
  },
);

settings(
  'persistence.wal-failure-policy: continue takes writes, and says they are not kept',
  async () => {
    const server = newServer();
    const client = await server.start({
      shards: 1,
      args: [...NEVER, '--set', 'persistence.wal-failure-policy=continue'],
    });
    await client.call('SET', 'before', '1');
    await obstructSegments(server.data, [2]);
    await client.call('SAVE');
    await server.reported('writes continue and ARE NOT KEPT');
    assert.is(await textOfReply(client, 'SET', 'meanwhile', '1'), 'OK');
    await server.reported('log-healed');
    clearSegments(server.data);
    await server.kill();
    const again = await server.start({ shards: 1, args: SYNC });
    assert.is(await again.call('GET', 'meanwhile'), '1', 'the snapshot that healed has it');
    await server.stop();
  },
);

settings('SAVE, BGSAVE, BGREWRITEAOF and LASTSAVE: one at a time, and one may follow', async () => {
  const server = newServer();
  const client = await server.start({ args: NEVER });
  const started = (await client.call('LASTSAVE')) as number;
  assert.ok(Math.abs(started - Date.now() / 1_000) < 60);
  await client.call('SET', 'key', 'value');
  const replies = await client.pipeline([
    ['BGSAVE'],
    ['BGSAVE'],
    ['BGSAVE', 'SCHEDULE'],
    ['BGREWRITEAOF'],
    ['BGSAVE', 'NOW'],
    ['SAVE'],
  ]);
  assert.equal(
    replies.map((reply) => (reply instanceof ReplyError ? reply.message : reply)),
    [
      'Background saving started',
      'ERR Background save already in progress, use BGSAVE SCHEDULE to have one follow it',
      'Background saving scheduled',
      'Background append only file rewriting scheduled',
      'ERR syntax error',
      'ERR Background save already in progress',
    ],
  );
  await until(() => snapshotsOf(server.data).length === 2, 'one follows the other, not two');
  const saved = async (): Promise<boolean> => (await textOfReply(client, 'SAVE')) === 'OK';
  await until(saved, 'nothing is under way');
  assert.is(snapshotsOf(server.data).length, 3);
  assert.is(
    await textOfReply(client, 'BGREWRITEAOF'),
    'Background append only file rewriting started',
  );
  assert.ok(((await client.call('LASTSAVE')) as number) >= started);
  await server.stop();
});

settings('a transaction that asks for a snapshot is in it as a whole', async () => {
  const server = newServer();
  const client = await server.start({ args: NEVER });
  const replies = await client.pipeline([['MULTI'], ['SET', 'a', '1'], ['BGREWRITEAOF'], ['EXEC']]);
  const scheduled = 'Background append only file rewriting scheduled';
  assert.equal(replies.at(-1), ['OK', scheduled]);
  await until(() => snapshotsOf(server.data).length === 1, 'a snapshot follows the transaction');
  await server.stop();
});

for (const [words, snapshots] of [
  [['SHUTDOWN', 'SAVE'], 1],
  [['SHUTDOWN', 'NOSAVE'], 0],
] as const) {
  settings(
    `${words.join(' ')} leaves ${snapshots} snapshots, and all data either way`,
    async () => {
      const server = newServer();
      const client = await server.start({ args: NEVER });
      await client.call('SET', 'key', 'value');
      client.reply(...words).catch(() => undefined);
      const { exitCode } = await server.server.ended;
      assert.is(exitCode, 0);
      assert.is(snapshotsOf(server.data).length, snapshots);
      assert.not.ok(fs.existsSync(path.join(server.data, 'lock')));
      assert.is(await (await server.start()).call('GET', 'key'), 'value');
      await server.stop();
    },
  );
}

settings.run();
