/** Memory that clients take: what it counts for, and whom it closes. */
// test-tier: long
import { type ChildServer, RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const memory = suite('memory of clients');

const MIB = 1024 * 1024;

let server: ChildServer;
let control: RespClient;

memory.before(async () => {
  server = await startServer({ shards: 2 });
  control = await server.client();
  await control.call('CLIENT', 'NO-EVICT', 'ON');
});
memory.after(async () => {
  await server.stop();
});
memory.after.each(async () => {
  await control.call('CONFIG', 'SET', 'maxmemory-clients', '0', 'maxmemory', '0');
  await control.call('FLUSHALL');
});

/** A figure of CLIENT LIST; NaN if the client has disconnected. */
async function figure(name: string, field: string): Promise<number> {
  const lines = textOf(await control.call('CLIENT', 'LIST')).split('\n');
  const line = lines.find((each) => each.includes(` name=${name} `)) ?? '';
  return Number(new RegExp(` ${field}=(\\d+)`).exec(line)?.[1] ?? NaN);
}

async function info(field: string): Promise<number> {
  const text = textOf(await control.call('INFO', 'everything'));
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(text)?.[1]);
}

async function named(name: string): Promise<RespClient> {
  const client = await server.client();
  await client.call('CLIENT', 'SETNAME', name);
  return client;
}

/** Commands that make a client take memory, and the least bytes for each. */
const takers: readonly (readonly [
  what: string,
  command: (nth: number) => string[],
  bytes: number,
])[] = [
  ['watched keys', (nth) => ['WATCH', `key${nth}`], 50],
  ['channels', (nth) => ['SUBSCRIBE', `channel${nth}`], 50],
  ['patterns', (nth) => ['PSUBSCRIBE', `pattern${nth}`], 50],
  ['shard channels', (nth) => ['SSUBSCRIBE', `shard${nth}`], 50],
  ['queued commands', (nth) => (nth === 0 ? ['MULTI'] : ['PING']), 40],
];

for (const [what, command, bytes] of takers) {
  memory(`${what} are counted, and close their client above the limit`, async () => {
    const client = await named('taker');
    const before = await figure('taker', 'tot-mem');
    const done = 2_000;
    await client.pipeline(Array.from({ length: done }, (_, nth) => command(nth)));
    const taken = (await figure('taker', 'tot-mem')) - before;
    assert.ok(taken >= done * bytes, `${taken} bytes`);
    assert.ok((await info('mem_clients_normal')) >= before + taken);
    const evicted = await info('evicted_clients');
    const total = await info('mem_clients_normal');
    await control.call('CONFIG', 'SET', 'maxmemory-clients', String(total + 100_000));
    const more = Array.from({ length: 10_000 }, (_, nth) => command(done + nth));
    await client.pipeline(more).catch(() => undefined);
    await client.closed;
    assert.is(await info('evicted_clients'), evicted + 1);
  });
}

memory('the largest clients are closed first, and no more of them than must be', async () => {
  for (const [nth, name] of ['small', 'large', 'middle'].entries()) {
    const client = await named(name);
    const length = [1, 4, 2][nth]! * MIB;
    client.raw(`*1\r\n$${length}\r\n${'v'.repeat(length)}`);
    await until(async () => (await figure(name, 'qbuf')) === length, `${name} has sent all`);
  }
  const total = await info('mem_clients_normal');
  await control.call('CONFIG', 'SET', 'maxmemory-clients', String(total - 1));
  const left = await Promise.all(
    ['small', 'middle', 'large'].map((name) => figure(name, 'tot-mem')),
  );
  assert.equal(
    left.map((bytes) => bytes > 0),
    [true, true, false],
  );
});

memory('a share of maxmemory is a limit as well', async () => {
  const client = await named('taker');
  await control.call('CONFIG', 'SET', 'maxmemory', '20mb', 'maxmemory-clients', '10%');
  client.raw(`*1\r\n$${3 * MIB}\r\n${'v'.repeat(3 * MIB)}`);
  await client.closed;
});

memory('the least limit leaves clients room to set it right again', async () => {
  const client = await server.client();
  assert.is(await client.call('CONFIG', 'SET', 'maxmemory-clients', '1'), 'OK');
  assert.is(await client.call('PING'), 'PONG');
  const later = await server.client();
  assert.is(await later.call('CONFIG', 'SET', 'maxmemory-clients', '0'), 'OK');
});

memory('NO-EVICT spares a client until it is taken back', async () => {
  const client = await named('spared');
  await client.call('CLIENT', 'NO-EVICT', 'ON');
  await client.call('MULTI');
  await client.call('SET', 'key', 'v'.repeat(2 * MIB));
  await control.call('CONFIG', 'SET', 'maxmemory-clients', '1mb');
  assert.ok((await figure('spared', 'tot-mem')) > 2 * MIB);
  await client.call('DISCARD');
  await client.call('PING');
  client.raw(`*1\r\n$${2 * MIB}\r\n${'v'.repeat(2 * MIB)}`);
  await until(async () => (await figure('spared', 'qbuf')) === 2 * MIB, 'it has sent all');
  assert.not(client.socket.destroyed);
  await client.reset();
});

memory('unread replies count toward maxmemory: keys make room for them', async () => {
  await control.call('CONFIG', 'SET', 'maxmemory', '60mb', 'maxmemory-policy', 'allkeys-random');
  for (let nth = 0; nth < 40; nth += 1) {
    await control.call('SET', `key${nth}`, Buffer.alloc(MIB, 'v'));
  }
  assert.is(await control.call('DBSIZE'), 40);
  const reader = await named('reader');
  reader.socket.pause();
  for (let round = 0; round < 200; round += 1) reader.raw(`GET key${round % 40}\r\n`);
  await until(async () => (await info('evicted_keys')) > 0, 'keys have gone');
  const used = await info('used_memory');
  assert.ok(used < 100 * MIB, `${used} bytes are used`);
  await reader.reset();
  await until(async () => (await info('mem_clients_normal')) < MIB, 'its memory is back');
});

memory('who has not authenticated is closed when it leaves replies unread', async () => {
  const locked = await startServer({ shards: 1, password: 'secret' });
  const client = await RespClient.connect({ port: locked.port });
  client.socket.pause();
  const flood = Buffer.from('PING\r\n'.repeat(50_000));
  for (let round = 0; round < 100 && !client.socket.destroyed; round += 1) client.raw(flood);
  client.socket.on('error', () => undefined);
  const open = await locked.client();
  await open.call('AUTH', 'secret');
  await until(async () => {
    const text = textOf(await open.call('INFO', 'clients', 'stats'));
    return (
      text.includes('connected_clients:1\r') &&
      /client_output_buffer_limit_disconnections:[1-9]/.test(text)
    );
  }, 'the flood is closed');
  await locked.stop();
});

memory.run();
