/**
 * Logs of the first format, as written by earlier versions: they are read, and the log continues in the newest format.
 */
// test-tier: long
import { keyPerShard } from '#testkit';
import fs from 'node:fs';
import { crc32 } from 'node:zlib';
import { BlockReader } from '#persistence';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { segmentsOf } from './data-files.ts';
import { differences, keptServers, stateOf } from '../durability/kept-server.ts';

const format = suite('logs of the first format');

const SHARDS = 2;
const ARGS = ['--set', 'snapshot.interval-secs=0', '--set', 'persistence.durability-mode=sync'];
const FILE_HEAD_BYTES = 64;
const MAGIC = 0x4243_5653;

const newServer = keptServers(format);

/** A block as the first format has it. */
function blockOf(records: Uint8Array, number: number): Buffer {
  const head = Buffer.alloc(32);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(records.length, 4);
  head.writeUInt32LE(crc32(records), 8);
  head.writeDoubleLE(number, 16);
  head.writeDoubleLE(number - 1, 24);
  head.writeUInt32LE(crc32(head), 12);
  return Buffer.concat([head, records]);
}

/** Rewrites a segment in the first format. */
function makeFirst(file: string): void {
  const head = fs.readFileSync(file).subarray(0, FILE_HEAD_BYTES);
  head.writeUInt32LE(1, 8);
  head.writeUInt32LE(0, 28);
  head.writeUInt32LE(crc32(head), 28);
  const reader = new BlockReader('log', file);
  const blocks: Buffer[] = [];
  for (let block = reader.next(); block !== undefined; block = reader.next()) {
    blocks.push(blockOf(block, blocks.length + 1));
  }
  reader.close();
  assert.ok(blocks.length > 5, 'the log has something');
  fs.writeFileSync(file, Buffer.concat([head, ...blocks]));
}

format('all kinds of records are done again, and the next start reads both formats', async () => {
  const server = newServer();
  let client = await server.start({ shards: SHARDS, args: ARGS });
  const [a, b] = keyPerShard(SHARDS) as [string, string];
  const commands = [
    ...[
      ['MSET', a, '1', b, '2'],
      ['RENAME', a, `to:${b}`],
      ['RPUSH', a, 'x', 'y'],
      ['DEL', b],
    ],
    ...[['LMOVE', a, b, 'LEFT', 'RIGHT'], ['MULTI'], ['SET', 'one', '1'], ['DBSIZE'], ['EXEC']],
    ...[['MULTI'], ['INCR', `${a}:n`], ['INCR', `${b}:n`], ['EXEC'], ['SADD', 's', '1', '2', '3']],
    ...[
      ['SPOP', 's'],
      ['SET', 'gone', '1', 'PX', '1'],
      ['SELECT', '3'],
      ['HSET', 'h', 'f', 'v'],
    ],
    ...[
      ['SWAPDB', '3', '4'],
      ['SELECT', '0'],
      ['XADD', 'stream', '*', 'f', 'v'],
    ],
  ];
  for (const command of commands) await client.call(...command);
  const wanted = await stateOf(client);
  await server.kill();
  for (let shard = 0; shard < SHARDS; shard += 1) makeFirst(segmentsOf(server.data, shard)[0]!);
  for (let round = 0; round < 2; round += 1) {
    client = await server.start({ shards: SHARDS, args: ARGS });
    await client.call('DEL', 'later');
    assert.equal(differences(wanted, await stateOf(client)), []);
    await client.call('SET', 'later', '1');
    await server.kill();
  }
});

format.run();
