/** Full syncs whose length is sent in advance, for replicas and tools without support for an end mark. */
// test-tier: long
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Socket } from 'node:net';
import {
  type ChildServer,
  dial,
  encodeCommand,
  fill,
  needs,
  redisProgram,
  type RespClient,
  startRedis,
  startServer,
  until,
  type Word,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runTool, watchTool } from '../clients/redis-tool.ts';
import { infoOf, untilLinked } from './info.test-helper.ts';
import { AT_ONCE, caughtUp, differences, startReplica } from './replicas.test-helper.ts';

const inFile = suite('full synchronisations in files');

const SHARDS = 3;
/** Bytes of a value that is written in steps. */
const LONG_BYTES = 1_500_000;
const MEMBERS = 25_000;

let server: ChildServer;
let client: RespClient;

inFile.before(async () => {
  server = await startServer({ shards: SHARDS, args: AT_ONCE });
  client = await server.client();
  await fill(client);
  await fillLong(client);
});
inFile.after(async () => {
  await server.stop();
});

/** Long values of every type, on every shard. */
async function fillLong(to: RespClient): Promise<void> {
  const members = Array.from({ length: MEMBERS }, (_, nth) => `member ${nth}`);
  await to.pipeline([
    ...['a', 'b', 'c'].map((key) => ['SET', `long:${key}`, Buffer.alloc(LONG_BYTES, key)]),
    ['PEXPIREAT', 'long:a', '4102444800123'],
    ['RPUSH', 'long list', ...members],
    ['SADD', 'long set', ...members],
    ['HSET', 'long hash', ...members, ...members],
    ['ZADD', 'long zset', ...members.flatMap((member, nth) => [String(nth % 99), member])],
    ['XGROUP', 'CREATE', 'long stream', 'group', '0', 'MKSTREAM'],
    ...members.slice(0, 9_000).map((member) => ['XADD', 'long stream', '*', member, 'value']),
    ['XREADGROUP', 'GROUP', 'group', 'consumer', 'COUNT', '9000', 'STREAMS', 'long stream', '>'],
  ]);
}

/** A connection that is no client of ours: what comes over it is kept. */
class OldReplica {
  readonly #socket: Socket;
  #came: Buffer = Buffer.alloc(0);
  isClosed = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
    socket.on('data', (piece: Buffer) => {
      this.#came = Buffer.concat([this.#came, piece]);
    });
  }

  send(...words: readonly Word[]): void {
    this.#socket.write(encodeCommand(words));
  }

  /** The next line that is not empty. */
  async line(): Promise<string> {
    const ends = (): boolean => {
      while (this.#came[0] === 10) this.#came = this.#came.subarray(1);
      return this.#came.includes('\n');
    };
    await until(ends, 'a line has come');
    return (await this.bytes(this.#came.indexOf('\n') + 1)).toString().trimEnd();
  }

  async bytes(count: number): Promise<Buffer> {
    await until(() => this.#came.length >= count, `${count} bytes have come`);
    const bytes = this.#came.subarray(0, count);
    this.#came = this.#came.subarray(count);
    return bytes;
  }

  end(): void {
    this.#socket.destroy();
  }
}

const connect = (): OldReplica => new OldReplica(dial({ host: '127.0.0.1', port: server.port }));

const dataFolder = (): string => path.join(server.folder, 'svc-data');

/** Asserts that a Redis which starts with a snapshot has what the server has. */
async function isWhole(snapshot: Buffer): Promise<void> {
  const folder = path.join(server.folder, 'redis');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'dump.rdb'), snapshot);
  const redis = await startRedis([], folder);
  assert.equal(await differences(server, redis), []);
  await redis.stop();
}

if (needs(redisProgram()) && needs('redis-cli')) {
  inFile('SYNC alone is answered with the length, the data and the stream', async () => {
    const replica = connect();
    replica.send('SYNC');
    const length = Number(/^\$(\d+)$/.exec(await replica.line())?.[1]);
    const snapshot = await replica.bytes(length);
    await client.call('SET', 'after', '1');
    assert.is((await replica.bytes(23)).toString(), '*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n');
    await client.call('DEL', 'after');
    await isWhole(snapshot);
    assert.not.ok(readdirSync(dataFolder()).includes('full-sync.tmp'));
    replica.end();
  });

  inFile('PSYNC without an end mark tells the offset, and goes on from it', async () => {
    const replica = connect();
    replica.send('PSYNC', '?', '-1');
    const [, id, offset] = /^\+FULLRESYNC (\w{40}) (\d+)$/.exec(await replica.line())!;
    const length = Number(/^\$(\d+)$/.exec(await replica.line())?.[1]);
    await replica.bytes(length);
    replica.end();
    await client.call('SET', 'while away', '1');
    const again = connect();
    again.send('PSYNC', id!, String(Number(offset) + 1));
    assert.is(await again.line(), '+CONTINUE');
    assert.is(await again.line(), '*2');
    again.end();
  });

  inFile('with repl-diskless-sync off replicas of today are sent files as well', async () => {
    await client.call('CONFIG', 'SET', 'repl-diskless-sync', 'no');
    const replicas = await Promise.all([startReplica(server), startReplica(server)]);
    for (const replica of replicas) await untilLinked(await replica.client());
    await client.call('APPEND', 'long:b', 'more');
    await caughtUp(client, 2);
    for (const replica of replicas) assert.equal(await differences(server, replica), []);
    assert.match(server.stdout, /Full sync written to its file/);
    await client.call('CONFIG', 'SET', 'repl-diskless-sync', 'yes');
    for (const replica of replicas) await replica.stop();
  });

  inFile('a file that cannot be made is the end of those alone who need one', async () => {
    const inTheWay = path.join(dataFolder(), 'full-sync.tmp', 'file');
    mkdirSync(inTheWay, { recursive: true });
    const replica = await startReplica(server);
    await untilLinked(await replica.client());
    const old = connect();
    old.send('SYNC');
    await until(() => old.isClosed, 'the old one is sent away');
    await until(
      () => /full sync failed: its file cannot be written/.test(server.stdout),
      'the log says why',
    );
    await client.call('SET', 'still', 'here');
    await caughtUp(client, 1);
    await replica.stop();
  });

  inFile('rdb-key-save-delay holds up what is written, and lets it go at once', async () => {
    const isSaving = async (): Promise<boolean> =>
      (await infoOf(client, 'persistence'))['rdb_bgsave_in_progress'] === '1';
    await client.call('CONFIG', 'SET', 'rdb-key-save-delay', '2000000000');
    await client.call('BGSAVE');
    // An abandoned sync may have to end before.
    await until(isSaving, 'a snapshot has begun');
    await client.call('CONFIG', 'SET', 'rdb-key-save-delay', '-2147483648');
    await until(async () => !(await isSaving()), 'the snapshot is there');
    await client.call('CONFIG', 'SET', 'rdb-key-save-delay', '2000000000');
    // A replica that loads data as it arrives would not reply while nothing arrives.
    const replica = await startRedis(['--replicaof', '127.0.0.1', String(server.port)]);
    await until(isSaving, 'a full synchronisation has begun');
    await client.call('SET', 'meanwhile', '1');
    const { slave0 } = await infoOf(client);
    assert.match(slave0 ?? '', 'state=send_bulk');
    await client.call('CONFIG', 'SET', 'rdb-key-save-delay', '0');
    await untilLinked(await replica.client());
    await caughtUp(client, 1);
    assert.is(await (await replica.client()).call('GET', 'meanwhile'), '1');
    assert.equal(await client.call('CONFIG', 'GET', 'rdb-key-save*'), []);
    await replica.stop();
  });

  inFile('how often keys were used is told where the policy goes by it', async () => {
    await client.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu', 'lfu-decay-time', '0');
    const dump = (await (await server.client({ buffers: true })).call('DUMP', 'number')) as Buffer;
    await client.call('RESTORE', 'often', '0', dump, 'FREQ', '200');
    const folder = path.join(server.folder, 'lfu');
    mkdirSync(folder, { recursive: true });
    await runTool(server, ['redis-cli', '--rdb', path.join(folder, 'dump.rdb')]);
    const args = ['--maxmemory-policy', 'allkeys-lfu', '--lfu-decay-time', '0'];
    const redis = await startRedis(args, folder);
    assert.is(await (await redis.client()).call('OBJECT', 'FREQ', 'often'), 200);
    await redis.stop();
    await client.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  });

  inFile('redis-cli --rdb saves all data, in a file and on its output', async () => {
    const file = path.join(server.folder, 'cli.rdb');
    await runTool(server, ['redis-cli', '--rdb', file]);
    await isWhole(readFileSync(file));
    assert.ok((await runTool(server, ['redis-cli', '--rdb', '-'])).includes('REDIS0010'));
  });

  inFile('redis-cli --replica shows the stream', async () => {
    const isDone = watchTool(server, ['redis-cli', '--replica'], /"SET","seen","1"/i);
    let hasSeen = false;
    void isDone.then(() => {
      hasSeen = true;
    });
    await until(async () => {
      await client.call('SET', 'seen', '1');
      return hasSeen;
    }, 'a SET is shown');
  });
}

inFile.run();
