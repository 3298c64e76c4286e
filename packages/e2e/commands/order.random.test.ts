/**
 * Replies in order over all shards: deep pipelines of everything at once, and the same bytes cut
 * anywhere on their way, against a model that does one thing after the other.
 */
// test-tier: long
// test-again: TEST_SPILLS=1
import net from 'node:net';
import {
  type ChildServer,
  encodeCommand,
  keysOnShard,
  type Random,
  randomCommands,
  SessionModel,
  startServer,
  StringModel,
  withRandom,
  type Words,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const order = suite('order of replies');

const SHARDS = 3;
const KEYS = [0, 1, 2].flatMap((shard) => keysOnShard(shard, SHARDS, 3, 'order'));

let server: ChildServer;

order.before(async () => {
  server = await startServer({ shards: SHARDS });
});
order.after(async () => {
  await server.stop();
});
order.before.each(async () => {
  const client = await server.client();
  await client.call('FLUSHALL');
  await client.end();
});

interface Script {
  readonly bytes: Buffer;
  readonly replies: string;
}

function script(random: Random, count: number): Script {
  const model = new SessionModel(new StringModel());
  const commands: Words[] = [];
  while (commands.length < count) commands.push(...randomCommands(random, KEYS));
  return {
    bytes: Buffer.concat(commands.map((words) => encodeCommand(words))),
    replies: commands.map((words) => model.apply(words)).join(''),
  };
}

/** Sends the pieces, each as a write of its own, and answers as many bytes as are expected. */
function exchange(pieces: Iterable<Buffer>, bytesExpected: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(server.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    let received = 0;
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      received += chunk.length;
      if (received >= bytesExpected) socket.end();
    });
    socket.on('connect', () => {
      const iterator = pieces[Symbol.iterator]();
      const send = (): void => {
        const next: IteratorResult<Buffer, unknown> = iterator.next();
        if (next.done !== true) socket.write(next.value, () => setImmediate(send));
      };
      send();
    });
  });
}

/** Says where two streams part, which a thousand kilobytes side by side do not. */
function same(actual: string, expected: string): void {
  if (actual === expected) return;
  let at = 0;
  while (actual[at] === expected[at]) at += 1;
  const near = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
  assert.unreachable(`at byte ${at}: ${near(actual)} instead of ${near(expected)}`);
}

order(
  'deep pipelines are answered as if there were one thread',
  withRandom(async (random) => {
    const { bytes, replies } = script(random, 20_000);
    same(await exchange([bytes], replies.length), replies);
  }),
);

order(
  'cutting the stream at random changes nothing',
  withRandom(async (random) => {
    const { bytes, replies } = script(random, 1_500);
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length;) {
      const length = random.chance(0.3) ? random.integer(1, 5) : random.integer(1, 400);
      pieces.push(bytes.subarray(at, at + length));
      at += length;
    }
    same(await exchange(pieces, replies.length), replies);
  }),
);

order(
  'nor does one byte at a time',
  withRandom(async (random) => {
    const { bytes, replies } = script(random, 150);
    same(
      await exchange(
        Array.from(bytes, (byte) => Buffer.from([byte])),
        replies.length,
      ),
      replies,
    );
  }),
);

order(
  'every connection has its own order',
  withRandom(async (random) => {
    const jobs = Array.from({ length: 20 }, (_, nth) => {
      const commands: Words[] = [];
      const replies: string[] = [];
      for (let step = 0; step < 500; step += 1) {
        const key = `own:${nth}:${random.integer(0, 9)}`;
        const value = `${nth}:${step}`;
        commands.push(['SET', key, value], ['GET', key], ['PING', value]);
        const bulk = `$${value.length}\r\n${value}\r\n`;
        replies.push(`+OK\r\n${bulk}${bulk}`);
      }
      const expected = replies.join('');
      const bytes = Buffer.concat(commands.map((words) => encodeCommand(words)));
      return exchange([bytes], expected.length).then((got) => same(got, expected));
    });
    await Promise.all(jobs);
  }),
);

order('a command on main waits for its turn behind a slow shard', async () => {
  const client = await server.client();
  const [key = ''] = KEYS;
  const replies = await client.pipeline([
    ['DEBUG', 'SLEEP', '0.2'],
    ['SET', key, '1'],
    ['PING'],
    ['INCR', key],
    ['NOSUCH'],
    ['ECHO', 'last'],
  ]);
  assert.equal(
    replies.map((reply) => (reply instanceof Error ? reply.message.slice(0, 11) : reply)),
    ['OK', 'OK', 'PONG', 2, 'ERR unknown', 'last'],
  );
});

order.run();
