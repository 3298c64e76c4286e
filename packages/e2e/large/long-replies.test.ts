/** Replies that are longer than 2^31 bytes, and long ones that come before their turn. */
// test-tier: long
import { type ChildServer, encodeCommand, type RespClient, startServer } from '#testkit';
import net from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const replies = suite('long replies');

const VALUE_BYTES = 100_000_000;
/** Number of values whose reply exceeds 2^31 bytes. */
const TIMES = 22;
const VALUE_REPLY_BYTES = `$${VALUE_BYTES}\r\n\r\n`.length + VALUE_BYTES;
const END = 'the end of it';

let server: ChildServer;
let client: RespClient;

replies.before(async () => {
  server = await startServer({ shards: 2 });
  client = await server.client({ waitMs: 60_000 });
  await client.call('SET', 'long', Buffer.alloc(VALUE_BYTES, 'v'));
  await client.call('RPUSH', 'list', Buffer.alloc(VALUE_BYTES, 'v'), Buffer.alloc(VALUE_BYTES));
});
replies.after(async () => {
  await server.stop();
});

const READ_BYTES = 1_048_576;

/** Counts the bytes that answer the commands. */
function replyBytes(commands: readonly (readonly string[])[]): Promise<number> {
  const end = `$${END.length}\r\n${END}\r\n`;
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let tail = Buffer.alloc(0);
    const take = (count: number, buffer: Uint8Array): boolean => {
      bytes += count;
      const last = buffer.subarray(Math.max(0, count - end.length), count);
      tail = Buffer.concat([tail, last]).subarray(-end.length);
      if (tail.toString('latin1') === end) {
        socket.destroy();
        resolve(bytes - end.length);
      }
      return true;
    };
    // Read into the same memory again and again: that of new buffers would take longer than the reply itself.
    const onread = { buffer: Buffer.alloc(READ_BYTES), callback: take };
    const socket = net.connect({ port: server.port, host: '127.0.0.1', onread });
    socket.on('close', () => {
      reject(new Error(`closed after ${bytes} bytes`));
    });
    socket.write(Buffer.concat([...commands, ['ECHO', END]].map((words) => encodeCommand(words))));
  });
}

const names = new Array<string>(TIMES).fill('long');
const gets = names.map((name) => ['GET', name]);
const queued = TIMES * '+QUEUED\r\n'.length;

const cases: readonly (readonly [
  name: string,
  commands: readonly (readonly string[])[],
  besides: number,
])[] = [
  [
    'MGET of two shards',
    [['MGET', ...names, 'no1', 'no2', 'no3']],
    `*${TIMES + 3}\r\n$-1\r\n$-1\r\n$-1\r\n`.length,
  ],
  ['EXEC', [['MULTI'], ...gets, ['EXEC']], `+OK\r\n*${TIMES}\r\n`.length + queued],
  [
    'EXEC that main conducts',
    [['MULTI'], ...gets, ['PING'], ['EXEC']],
    `+OK\r\n*${TIMES + 1}\r\n+QUEUED\r\n+PONG\r\n`.length + queued,
  ],
];

for (const [name, commands, besides] of cases) {
  replies(`${name}: 2.2 GB are answered`, async () => {
    assert.is(await replyBytes(commands), TIMES * VALUE_REPLY_BYTES + besides);
  });
}

replies('long and short replies of several shards stay in their order', async () => {
  await client.call('MSET', ...['a', 'b', 'c', 'd'].flatMap((key) => [key, key]));
  await client.call('SETRANGE', 'middle', '3000000', 'end');
  const commands: string[][] = [];
  for (let nth = 0; nth < 20; nth += 1) {
    commands.push(
      ['GET', 'a'],
      ['GET', 'middle'],
      ['GET', 'b'],
      ['MGET', 'middle', 'c'],
      ['GET', 'd'],
    );
  }
  const answers = await client.pipeline(commands);
  for (const [nth, answer] of answers.entries()) {
    const [, key] = commands[nth]!;
    if (key === 'middle') assert.ok(JSON.stringify(answer).length > 3_000_000);
    else assert.is(answer, key);
  }
});

replies(
  'a command that fails in a transaction takes nothing of a long reply before it',
  async () => {
    await client.call('MULTI');
    for (const words of [
      ['GET', 'long'],
      ['INCR', 'list'],
      ['GET', 'a'],
    ])
      await client.call(...words);
    const [value, error, last] = (await client.call('EXEC')) as unknown[];
    assert.is((value as string).length, VALUE_BYTES);
    assert.match(String(error), /WRONGTYPE/);
    assert.is(last, 'a');
  },
);

replies.run();
