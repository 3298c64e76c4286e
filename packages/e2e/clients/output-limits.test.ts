/** Clients that leave too much unread, or send too much unfinished, are cut off; others are not. */
// test-again: SVC_SERVER__MULTIPLEXING_API=libuv
// test-again: SVC_SERVER__FRONT_THREADS=1
// test-again: SVC_SERVER__FRONT_THREADS=1 SVC_SERVER__MULTIPLEXING_API=libuv
// test-again: TEST_TLS=1
// test-again: TEST_TLS=1 SVC_SERVER__FRONT_THREADS=1
import { type ChildServer, type RespClient, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const limits = suite('buffer limits');

let server: ChildServer;
let admin: RespClient;

limits.before(async () => {
  server = await startServer({ shards: 2 });
  admin = await server.client();
  await admin.call('SET', 'value', 'v'.repeat(1_000_000));
});
limits.after(async () => {
  await server.stop();
});
limits.after.each(async () => {
  await admin.call('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 0 0 0');
});

const statistic = async (name: string): Promise<number> => {
  const info = textOf(await admin.call('INFO', 'stats'));
  return Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
};

/** Asks for far more than sockets hold, and reads none of it. */
async function lazyClient(): Promise<RespClient> {
  const lazy = await server.client();
  // From here on the server knows it: a connection alone may not be accepted yet.
  await lazy.call('PING');
  lazy.socket.pause();
  lazy.raw('GET value\r\n'.repeat(60));
  return lazy;
}

/** A paused socket notices that it was closed only when it reads. */
async function isCutOff(lazy: RespClient): Promise<void> {
  const id = /id=(\d+)/;
  const list = async (): Promise<number> =>
    textOf(await admin.call('CLIENT', 'LIST'))
      .split('\n')
      .filter((line) => id.test(line)).length;
  while ((await list()) > 1);
  lazy.socket.resume();
  await lazy.closed;
}

limits('the hard limit cuts off at once', async () => {
  const before = await statistic('client_output_buffer_limit_disconnections');
  await admin.call('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 2mb 0 0');
  await isCutOff(await lazyClient());
  assert.is(await statistic('client_output_buffer_limit_disconnections'), before + 1);
  assert.is(await admin.call('STRLEN', 'value'), 1_000_000);
});

limits('the soft limit cuts off who stays over it for too long', async () => {
  const before = await statistic('client_output_buffer_limit_disconnections');
  await admin.call('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 0 1mb 1');
  await isCutOff(await lazyClient());
  assert.is(await statistic('client_output_buffer_limit_disconnections'), before + 1);
});

limits('one large reply to a client that reads is no reason', async () => {
  await admin.call('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 0 1kb 30');
  const client = await server.client();
  const replies = await client.pipeline(Array.from({ length: 20 }, () => ['GET', 'value']));
  assert.ok(replies.every((reply) => (reply as string).length === 1_000_000));
});

limits('without a limit nobody is cut off', async () => {
  const lazy = await lazyClient();
  const received = Array.from({ length: 60 }, () => lazy.receive());
  const outputBytes = async (): Promise<boolean> =>
    / omem=\d{8}/.test(textOf(await admin.call('CLIENT', 'LIST')));
  while (!(await outputBytes()));
  lazy.socket.resume();
  for (const reply of await Promise.all(received)) {
    assert.is((reply as string).length, 1_000_000);
  }
});

limits('an unfinished command beyond the query limit closes its connection', async () => {
  await admin.call('CONFIG', 'SET', 'client-query-buffer-limit', '1mb');
  const client = await server.client();
  client.raw('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5000000\r\n');
  client.raw(Buffer.alloc(2_000_000, 0x61));
  await client.closed;
  assert.is(await statistic('client_query_buffer_limit_disconnections'), 1);
  const other = await server.client();
  assert.is(await other.call('SET', 'small', 'v'.repeat(900_000)), 'OK');
  await admin.call('CONFIG', 'SET', 'client-query-buffer-limit', '1gb');
});

for (const [beyond, isKept] of [
  [0, true],
  [1, false],
] as const) {
  const words = isKept ? 'passes' : 'closes its connection';
  limits(`an argument ${beyond} bytes beyond the query limit ${words}`, async () => {
    await admin.call('CONFIG', 'SET', 'client-query-buffer-limit', '1mb');
    const before = await statistic('client_query_buffer_limit_disconnections');
    const client = await server.client();
    // Its line end counts, the arguments before it do not.
    const value = 'v'.repeat(1024 * 1024 - 2 + beyond);
    const reply = await client.reply('SET', 'k', value).catch(() => 'closed');
    assert.is(reply, isKept ? 'OK' : 'closed');
    // What has come of an argument that is not whole may be as long as the limit.
    const slow = await server.client();
    slow.raw(`*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5000000\r\n${value}vv`);
    const clients = async (): Promise<string> => textOf(await admin.call('CLIENT', 'LIST'));
    if (isKept) while (!/ qbuf=1048576 /.test(await clients()));
    else await slow.closed;
    const after = await statistic('client_query_buffer_limit_disconnections');
    assert.is(after - before, isKept ? 0 : 2);
    await admin.call('CONFIG', 'SET', 'client-query-buffer-limit', '1gb');
  });
}

limits('the longest argument is what the settings say now', async () => {
  await admin.call('CONFIG', 'SET', 'proto-max-bulk-len', '1mb');
  const client = await server.client();
  client.raw('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1048577\r\n');
  const reply = await client.receive();
  assert.match(textOf(reply), /Protocol error: invalid bulk length/);
  await client.closed;
  await admin.call('CONFIG', 'SET', 'proto-max-bulk-len', '512mb');
});

limits.run();
