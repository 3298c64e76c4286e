/** Strings that are longer than a shift of 32 bits reaches, and more of them than memory for their copies. */
// test-tier: long
import { type ChildServer, keysOnShard, type RespClient, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const far = suite('far offsets');

const SHARDS = 2;
const MIB = 1024 ** 2;
const LAST_BIT = 2 ** 32 - 1;
const badOffset = /bit offset is not an integer or out of range/;

let server: ChildServer;
let client: RespClient;

far.before(async () => {
  server = await startServer({ shards: SHARDS, args: ['--set', 'persistence.enabled=false'] });
  client = await server.client();
});
far.after(async () => {
  await server.stop();
});
far.after.each(async () => {
  await client.call('FLUSHALL');
});

async function refused(pattern: RegExp, ...words: string[]): Promise<void> {
  const error: unknown = await client.call(...words).catch((thrown: unknown) => thrown);
  assert.match(String(error), pattern, words.join(' '));
  assert.is(await client.call('PING'), 'PONG');
}

far('bits up to the last one that a string may have are kept, and beyond is an error', async () => {
  assert.equal(await client.call('BITFIELD', 's', 'SET', 'u8', '4294967289', '1'), [0]);
  assert.is(await client.call('STRLEN', 's'), 512 * MIB + 1);
  assert.is(await client.call('SETBIT', 't', String(LAST_BIT), '1'), 0);
  await refused(badOffset, 'SETBIT', 't', String(LAST_BIT + 1), '1');
  await refused(badOffset, 'BITFIELD', 't', 'SET', 'u8', '#536870912', '1');
  assert.is(await client.call('GETBIT', 't', String(LAST_BIT)), 1);
});

far('bits of more than 256 MiB are counted and found', async () => {
  for (const bit of ['3', '2147483648', '2147483655', '3000000000']) {
    await client.call('SETBIT', 's', bit, '1');
  }
  assert.is(await client.call('BITCOUNT', 's'), 4);
  assert.is(await client.call('BITCOUNT', 's', '4', '-1'), 3);
  assert.is(await client.call('BITCOUNT', 's', '2147483648', '2147483655', 'BIT'), 2);
  assert.is(await client.call('BITPOS', 's', '1', '1'), 2_147_483_648);
  assert.is(await client.call('BITPOS', 's', '1', '2147483656', '-1', 'BIT'), 3_000_000_000);
  assert.is(await client.call('BITOP', 'AND', 'd', 's', 's'), 375_000_001);
  assert.is(await client.call('BITCOUNT', 'd'), 4);
});

far('a longer limit is kept to as far as values go', async () => {
  await refused(
    /must be between 1048576 and 1073741824/,
    'CONFIG',
    'SET',
    'proto-max-bulk-len',
    '1025mb',
  );
  await client.call('CONFIG', 'SET', 'proto-max-bulk-len', '1gb');
  assert.is(await client.call('SETRANGE', 's', String(600 * MIB), 'end'), 600 * MIB + 3);
  assert.is(await client.call('GETRANGE', 's', '-3', '-1'), 'end');
  assert.is(await client.call('APPEND', 's', '!'), 600 * MIB + 4);
  await refused(/string exceeds maximum allowed size/, 'SETRANGE', 's', String(1024 * MIB), 'end');
  await client.call('CONFIG', 'SET', 'proto-max-bulk-len', '512mb');
});

far('keys whose copies no memory holds are not lent, and stay', async () => {
  // Untouched memory costs nothing: a copy of all of them would be more than a buffer can have.
  const sources = keysOnShard(0, SHARDS, 9);
  // Who has most of the keys is the host.
  const others = keysOnShard(1, SHARDS, sources.length + 1, 'd');
  const [target] = others as [string];
  for (const key of sources) await client.call('SETBIT', key, String(LAST_BIT), '1');
  await refused(/insufficient memory/, 'BITOP', 'OR', ...others, ...sources);
  assert.is(await client.call('EXISTS', target), 0);
  // A transaction is refused whole, whose keys would have been written.
  await client.call('MULTI');
  for (const key of [...others, ...sources]) await client.call('SETBIT', key, '7', '1');
  await refused(/insufficient memory/, 'EXEC');
  assert.is(await client.call('EXISTS', target), 0);
  assert.is(await client.call('GETBIT', sources[0]!, '7'), 0);
  // No other client waits for them.
  assert.is(await client.call('SETBIT', sources[0]!, '0', '1'), 0);
  assert.is(await client.call('STRLEN', sources[8]!), 512 * MIB);
});

far.run();
