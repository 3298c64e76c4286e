/** Values of every size, both ways, and what happens while rings or sockets are full. */
import {
  type ChildServer,
  encodeCommand,
  keyPerShard,
  keysOnShard,
  type Reply,
  type RespClient,
  startServer,
  textOf,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const values = suite('values and full rings');

const SHARDS = 2;
const MIB = 1024 ** 2;

let server: ChildServer;

values.before(async () => {
  server = await startServer({ shards: SHARDS });
});
values.after(async () => {
  await server.stop();
});

/** Bytes that differ everywhere, so that a piece that went astray shows. */
function pattern(length: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let state = seed;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  bytes.fill(seed & 0xff, at);
  return bytes;
}

/** Around the read buffer, an output block, a frame of replies, and a frame of requests. */
const edges = [16, 64, 256].flatMap((kib) =>
  [-70, -40, -1, 0, 1, 40].map((near) => kib * 1024 + near),
);
const sizes = [0, 1, 2, 24, 25, 1_000, ...edges, MIB, MIB + 1, 3 * MIB];

values('keeps values of every size, and answers them in turn', async () => {
  const client = await server.client({ buffers: true });
  const commands = sizes.flatMap((size) => {
    const value = pattern(size, size + 1);
    return [['SET', `size:${size}`, value] as const, ['GET', `size:${size}`] as const];
  });
  const replies = await client.pipeline(commands);
  for (const [nth, size] of sizes.entries()) {
    assert.is(textOf(replies[2 * nth]), 'OK');
    const got = replies[2 * nth + 1] as Buffer;
    assert.ok(got.equals(pattern(size, size + 1)), `${size} bytes come back as they were`);
  }
  for (const size of sizes) assert.is(await client.call('STRLEN', `size:${size}`), size);
});

values('keeps a value of 64 MiB', async () => {
  const client = await server.client({ buffers: true });
  const value = pattern(64 * MIB);
  await client.call('SET', 'huge', value);
  assert.is(await client.call('STRLEN', 'huge'), value.length);
  assert.ok(value.equals((await client.call('GET', 'huge')) as Buffer));
  await client.call('DEL', 'huge');
});

values('gathers and lends large values', async () => {
  const client = await server.client({ buffers: true });
  const [a = '', b = ''] = keyPerShard(SHARDS, 'large');
  const value = pattern(2 * MIB, 5);
  await client.call('MSET', a, value, b, 'small');
  assert.is(await client.call('RENAME', a, b), 'OK');
  assert.is(await client.call('EXISTS', a), 0);
  assert.is(await client.call('COPY', b, a), 1);
  const both = (await client.call('MGET', a, b, 'none')) as (Buffer | null)[];
  assert.ok(both[0]?.equals(value));
  assert.ok(both[1]?.equals(value));
  assert.is(both[2], null);
});

values('loses nothing when a ring is full, and answers others meanwhile', async () => {
  const writer = await server.client({ buffers: true });
  const other = await server.client();
  const keys = keysOnShard(0, SHARDS, 200, 'full');
  const sleeper = await server.client();
  const slept = sleeper.call('DEBUG', 'SLEEP', '0.5');
  // Twenty times what the ring holds.
  const written = writer.pipeline(keys.map((key, nth) => ['SET', key, pattern(100_000, nth + 1)]));
  assert.is(await other.call('PING'), 'PONG');
  assert.is(await other.call('CLIENT', 'SETNAME', 'awake'), 'OK');
  assert.is(await slept, 'OK');
  assert.ok((await written).every((reply) => textOf(reply) === 'OK'));
  const replies = await writer.pipeline(keys.map((key) => ['GET', key]));
  for (const [nth, reply] of replies.entries()) {
    assert.ok(reply instanceof Buffer && reply.equals(pattern(100_000, nth + 1)), keys[nth]);
  }
  const info = textOf(await other.call('INFO', 'stats'));
  assert.ok(Number(/full_ring_stalls:(\d+)/.exec(info)?.[1]) > 0, 'the ring was full');
});

/** Keeps one shard busy for a while; settles at the end. */
function occupy(client: RespClient, key: string): Promise<Reply[]> {
  const slow = ['LCS', `{${key}}a`, `{${key}}b`, 'LEN'];
  return client.pipeline(Array.from({ length: 8 }, () => slow));
}

values('a busy shard does not hold up the clients of the other one', async () => {
  const [busyKey = '', freeKey = ''] = keyPerShard(SHARDS, 'busy');
  const client = await server.client();
  await client.call('SET', `{${busyKey}}a`, 'ab'.repeat(2_000));
  await client.call('SET', `{${busyKey}}b`, 'bc'.repeat(2_000));
  const order: string[] = [];
  const busy = occupy(client, busyKey).then(() => order.push('busy shard'));
  const other = await server.client();
  const replies = await other.pipeline(
    Array.from({ length: 1_000 }, (_, nth) => ['SET', freeKey, nth]),
  );
  order.push('free shard');
  await busy;
  assert.ok(replies.every((reply) => reply === 'OK'));
  assert.equal(order, ['free shard', 'busy shard']);
});

values('a client that never reads harms nobody, and finds its replies whole', async () => {
  const lazy = await server.client({ buffers: true });
  const value = pattern(300_000, 77);
  await lazy.call('SET', 'unread', value);
  lazy.socket.pause();
  const count = 150;
  const received = Array.from({ length: count }, () => lazy.receive());
  lazy.raw(Buffer.concat(Array.from({ length: count }, () => encodeCommand(['GET', 'unread']))));
  const other = await server.client();
  const outputBytes = async (): Promise<number> => {
    const list = textOf(await other.call('CLIENT', 'LIST'));
    return Math.max(...[...list.matchAll(/ omem=(\d+)/g)].map(([, bytes]) => Number(bytes)));
  };
  while ((await outputBytes()) < 20 * MIB);
  // What waits for the lazy client must outlive all that others make the server do meanwhile.
  for (let round = 0; round < 20; round += 1) {
    const replies = await other.pipeline(
      Array.from({ length: 200 }, (_, nth) => ['SET', `churn:${nth}`, pattern(20_000, nth)]),
    );
    assert.ok(replies.every((reply) => reply === 'OK'));
    await other.pipeline(Array.from({ length: 50 }, (_, nth) => ['GET', `churn:${nth}`]));
  }
  lazy.socket.resume();
  for (const reply of await Promise.all(received)) assert.ok((reply as Buffer).equals(value));
});

values('a long value that was kept as it came is changed as any other', async () => {
  const client = await server.client({ buffers: true });
  const value = pattern(2 * MIB, 7);
  await client.call('SET', 'kept', value);
  await client.call('SETRANGE', 'kept', '1048576', 'here');
  await client.call('COPY', 'kept', 'copy');
  await client.call('APPEND', 'kept', 'end');
  value.write('here', MIB, 'latin1');
  assert.ok(((await client.call('GET', 'copy')) as Buffer).equals(value));
  assert.ok(
    ((await client.call('GET', 'kept')) as Buffer).equals(
      Buffer.concat([value, Buffer.from('end')]),
    ),
  );
  await client.call('SET', 'kept', 'short');
  assert.is(textOf(await client.call('GET', 'kept')), 'short');
});

values.run();
