/** CLIENT PAUSE: who waits, who does not, and that nothing changes meanwhile. */
// test-again: SVC_SERVER__MULTIPLEXING_API=libuv
// test-again: SVC_SERVER__FRONT_THREADS=1
// test-again: TEST_TLS=1
// test-again: TEST_TLS=1 SVC_SERVER__FRONT_THREADS=1
import {
  type ChildServer,
  letTimePass,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const pausing = suite('pause');

let server: ChildServer;
let admin: RespClient;

pausing.before(async () => {
  server = await startServer({ shards: 2 });
  admin = await server.client();
});
pausing.after(async () => {
  await server.stop();
});

const info = async (name: string): Promise<number> =>
  Number(new RegExp(`${name}:(\\d+)`).exec(textOf(await admin.call('INFO')))?.[1]);

function untilBlocked(count: number): Promise<void> {
  return until(async () => (await info('blocked_clients')) === count, `${count} are blocked`);
}

pausing('WRITE holds back what may write or replicate, and counts it as blocked', async () => {
  await admin.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  const commands = [
    ['SET', 'k', 'v'],
    ['PUBLISH', 'c', 'm'],
    ['SPUBLISH', 'c', 'm'],
    ['PFCOUNT', 'h'],
  ];
  const clients = await Promise.all(commands.map(() => server.client()));
  const replies = commands.map((words, nth) => clients[nth]!.call(...words));
  await untilBlocked(4);
  assert.is(await admin.call('GET', 'k'), null);
  assert.match(textOf(await admin.reply('SET', 'k')), /wrong number of arguments/);
  assert.match(textOf(await admin.call('CLIENT', 'LIST')), / flags=b /);
  await clients[3]!.end();
  replies[3]!.catch(() => undefined);
  await untilBlocked(3);
  await admin.call('CLIENT', 'UNPAUSE');
  assert.equal(await Promise.all(replies.slice(0, 3)), ['OK', 0, 0]);
  await untilBlocked(0);
});

pausing('WRITE lets scripts and functions run that say they do not write', async () => {
  await admin.call('SET', 'read', 'y');
  const flagged = '#!lua flags=no-writes\nreturn redis.call("GET", "read")';
  const library = `#!lua name=pausing
    redis.register_function{function_name='Reads', callback=function() return 1 end, flags={'no-writes'}}
    redis.register_function('writes', function() return redis.call('INCR', 'written') end)`;
  await admin.call('FUNCTION', 'LOAD', library);
  const digest = textOf(await admin.call('SCRIPT', 'LOAD', '#!lua flags=no-writes\nreturn 2'));
  await admin.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  const client = await server.client();
  assert.is(await client.call('EVAL', flagged, '0'), 'y');
  assert.is(await client.call('EVAL_RO', 'return redis.call("GET", "read")', '0'), 'y');
  assert.equal(
    [await client.call('EVALSHA', digest, '0'), await client.call('EVALSHA_RO', digest, '0')],
    [2, 2],
  );
  assert.equal(
    [await client.call('FCALL', 'reads', '0'), await client.call('FCALL_RO', 'READS', '0')],
    [1, 1],
  );
  const queued = [['MULTI'], ['EVAL', flagged, '0'], ['FCALL', 'reads', '0'], ['EXEC']];
  assert.equal((await client.pipeline(queued)).at(-1), ['y', 1]);
  const waiting = [
    ['EVAL', 'return redis.call("GET", "read")', '0'],
    ['EVAL', '#!lua\nreturn 3', '0'],
    ['FCALL', 'writes', '0'],
  ];
  const clients = await Promise.all(waiting.map(() => server.client()));
  const replies = waiting.map((words, nth) => clients[nth]!.call(...words));
  await untilBlocked(3);
  assert.is(await client.call('GET', 'written'), null);
  await admin.call('CLIENT', 'UNPAUSE');
  assert.equal(await Promise.all(replies), ['y', 3, 1]);
  for (const one of [...clients, client]) await one.end();
  await admin.call('FUNCTION', 'FLUSH');
});

pausing('ends by itself for all who wait, whatever others send at that moment', async () => {
  for (let round = 0; round < 5; round += 1) {
    const waiting = await server.client();
    await admin.call('CLIENT', 'PAUSE', '30', 'WRITE');
    const reply = waiting.call('SET', 'k', 'v');
    // Who asks between the end of the pause and the tick must not end it for those who wait.
    const state = { isAnswered: false };
    void reply.then(() => (state.isAnswered = true));
    while (!state.isAnswered) await admin.call('GET', 'k');
    assert.is(await reply, 'OK');
    await waiting.end();
  }
});

pausing('nothing expires meanwhile, though it is no longer seen', async () => {
  await admin.call('PSETEX', 'brief', '30', 'v');
  const before = await info('expired_keys');
  await admin.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  while ((await admin.call('GET', 'brief')) !== null);
  await letTimePass(admin, 250);
  assert.is(await info('expired_keys'), before);
  await admin.call('CLIENT', 'UNPAUSE');
  while ((await info('expired_keys')) !== before + 1);
});

pausing('a longer and a stricter pause win', async () => {
  await admin.call('CLIENT', 'PAUSE', '300', 'ALL');
  const startMs = performance.now();
  const other = await server.client();
  assert.is(await other.call('PING'), 'PONG');
  assert.ok(performance.now() - startMs > 200);
  await admin.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  await admin.call('CLIENT', 'PAUSE', '1', 'WRITE');
  await letTimePass(admin, 50);
  const reply = other.call('SET', 'k', 'v');
  await untilBlocked(1);
  await admin.call('CLIENT', 'UNPAUSE');
  assert.is(await reply, 'OK');
});

pausing.run();
