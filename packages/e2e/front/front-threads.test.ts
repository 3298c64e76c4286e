/** Connections whose bytes front threads move: nothing shows it but the surfaces that say so. */
// test-tier: long
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { once } from 'node:events';
import { type ChildServer, needs, type Reply, request, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleIn } from '../observability/metrics-text.ts';

const fronts = suite('front threads');

const FRONT = ['--set', 'server.front-threads=2'];
const MB = 1024 ** 2;

let server: ChildServer;

fronts.before(async () => {
  server = await startServer({ http: true, shards: 2, args: FRONT });
});
fronts.after(async () => {
  await server.stop();
});

/** Sends the pieces one after the other, each when the one before is on its way; answers all that comes until the end. */
async function talk(port: number, pieces: readonly Buffer[]): Promise<Buffer> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = once(socket, 'end');
  for (const piece of pieces) {
    await new Promise<void>((resolve) => {
      socket.write(piece, () => {
        setImmediate(resolve);
      });
    });
  }
  socket.end();
  await ended;
  return Buffer.concat(chunks);
}

fronts('a stream of bytes that is cut anywhere is the same stream', async () => {
  const value = randomBytes(20).toString('hex');
  const stream = Buffer.from(
    [
      `*3\r\n$3\r\nSET\r\n$3\r\ncut\r\n$${value.length}\r\n${value}\r\n`,
      '*2\r\n$3\r\nGET\r\n$3\r\ncut\r\nPING\r\n\r\nECHO inline\r\n',
      '*2\r\n$4\r\nECHO\r\n$0\r\n\r\n*4\r\n$6\r\nLRANGE\r\n$4\r\nnone\r\n$1\r\n0\r\n$2\r\n-1\r\n',
    ].join(''),
  );
  const expected = `+OK\r\n$${value.length}\r\n${value}\r\n+PONG\r\n$6\r\ninline\r\n$0\r\n\r\n*0\r\n`;
  for (let cut = 0; cut < stream.length; cut += 1) {
    const other = Math.min(stream.length, cut + 1 + (cut % 9));
    const pieces = [stream.subarray(0, cut), stream.subarray(cut, other), stream.subarray(other)];
    const answer = await talk(server.port, pieces);
    assert.is(answer.toString(), expected, `cut at ${cut} and ${other}`);
  }
});

fronts('a half-closed client has all its replies, long ones too', async () => {
  const client = await server.client();
  await client.call('SET', 'long', Buffer.alloc(3 * MB, 'x'));
  const get = '*2\r\n$3\r\nGET\r\n$4\r\nlong\r\n';
  const answer = await talk(server.port, [Buffer.from(get.repeat(20))]);
  assert.is(answer.length, 20 * (3 * MB + '$3145728\r\n\r\n'.length));
});

fronts(
  'a client that does not read holds back nobody else, and is closed at its limit',
  async () => {
    const limited = await startServer({
      args: [...FRONT, '--set', 'server.client-output-buffer-limit-normal=4mb 0 0'],
    });
    const client = await limited.client();
    await client.call('SET', 'long', Buffer.alloc(MB, 'x'));
    const slow = net.connect({ port: limited.port, host: '127.0.0.1' });
    slow.on('error', () => undefined);
    slow.pause();
    slow.write('*2\r\n$3\r\nGET\r\n$4\r\nlong\r\n'.repeat(40));
    await until(async () => {
      assert.is(await client.call('PING'), 'PONG');
      return textOf(await client.call('INFO', 'stats')).includes(
        'client_output_buffer_limit_disconnections:1',
      );
    }, 'the slow reader is closed');
    slow.destroy();
    await limited.stop();
  },
);

fronts('unread replies are told as long as they are unread', async () => {
  const client = await server.client();
  await client.call('SET', 'long', Buffer.alloc(MB, 'x'));
  const slow = net.connect({ port: server.port, host: '127.0.0.1' });
  await once(slow, 'connect');
  slow.pause();
  slow.write('CLIENT SETNAME slow\r\n' + '*2\r\n$3\r\nGET\r\n$4\r\nlong\r\n'.repeat(30));
  const omem = async (): Promise<number> => {
    const lines = textOf(await client.call('CLIENT', 'LIST')).split('\n');
    const line = lines.find((each) => each.includes(' name=slow ')) ?? '';
    return Number(/ omem=(\d+)/.exec(line)?.[1] ?? -1);
  };
  await until(async () => (await omem()) > 10 * MB, 'replies wait');
  slow.resume();
  await until(async () => (await omem()) === 0, 'all are read');
  slow.destroy();
});

fronts('connections come and go, and their places are used again', async () => {
  const client = await server.client();
  const connected = async (): Promise<number> =>
    Number(/connected_clients:(\d+)/.exec(textOf(await client.call('INFO', 'clients')))?.[1]);
  const before = await connected();
  for (let round = 0; round < 5; round += 1) {
    const sockets = Array.from({ length: 200 }, () =>
      net.connect({ port: server.port, host: '127.0.0.1' }),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const [index, socket] of sockets.entries()) {
      socket.on('error', () => undefined);
      socket.write('PING\r\n');
      // A third resets, a third ends, a third is closed by the server.
      if (index % 3 === 0) socket.resetAndDestroy();
      else if (index % 3 === 1) socket.end();
      else socket.write('QUIT\r\n');
      socket.resume();
    }
  }
  await until(async () => (await connected()) <= before, 'those before are left at most');
  // What is closed lingers for half a second in its thread.
  await until(async () => {
    const { text } = await request(server.httpPort, '/metrics');
    const open = [...text.matchAll(/^svc_front_connections\{thread="front-\d"\} (\d+)/gm)];
    assert.is(open.length, 2);
    return open.reduce((sum, [, count]) => sum + Number(count), 0) === (await connected());
  }, 'the threads have forgotten them');
});

fronts('CLIENT KILL, PAUSE, monitors and messages are as ever', async () => {
  const [one, two] = [await server.client(), await server.client()];
  const id = Number(await one.call('CLIENT', 'ID'));
  await two.call('CLIENT', 'KILL', 'ID', id);
  await one.closed;
  const listener = await server.client();
  await listener.call('SUBSCRIBE', 'news');
  assert.is(await two.call('PUBLISH', 'news', Buffer.alloc(200_000, 'n')), 1);
});

fronts('other surfaces tell of the threads', async () => {
  const client = await server.client();
  const [, count] = (await client.call('CONFIG', 'GET', 'io-threads')) as Reply[];
  assert.is(textOf(count), '3');
  assert.match(textOf(await client.call('INFO', 'server')), /io_threads_active:1\r/);
  const threads = (await request(server.httpPort, '/debug/api/threads')).json() as {
    threads: { thread: string }[];
  };
  const names = threads.threads.map(({ thread }) => thread);
  assert.equal(names, ['main', 'shard-0', 'shard-1', 'front-0', 'front-1', 'ops']);
  const { text } = await request(server.httpPort, '/metrics');
  for (const thread of ['front-0', 'front-1']) {
    const waits = sampleIn(text, `svc_front_wait_seconds_count{thread="${thread}"}`);
    assert.ok(waits > 0, 'the front phase is told');
    assert.ok(sampleIn(text, `svc_front_wait_seconds_sum{thread="${thread}"}`) > 0);
  }
});

if (needs('redis-benchmark')) {
  fronts('redis-benchmark reads and writes long and short values', () => {
    for (const [size, pipeline] of [
      ['3', '1'],
      ['3', '64'],
      ['20000', '16'],
    ] as const) {
      const args = ['-p', String(server.port), '-t', 'set,get,lrange_100', '-n', '5000', '-q'];
      execFileSync('redis-benchmark', [...args, '-d', size, '-P', pipeline], { stdio: 'ignore' });
    }
  });
}

if (needs('redis-cli')) {
  fronts('a pipe of 100,000 commands is answered whole', () => {
    const commands = Array.from({ length: 100_000 }, (_, nth) => `SET key:${nth} ${nth}\r\n`);
    const { stdout } = spawnSync('redis-cli', ['-p', String(server.port), '--pipe'], {
      input: commands.join(''),
      maxBuffer: 64 * MB,
    });
    assert.match(stdout.toString(), /errors: 0, replies: 100000/);
  });
}

fronts('too many threads and no sense are refused', () => {
  for (const value of ['-2', '129', 'many']) {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['dist/bundle/server/main.js', '--check-config', '--set', `server.front-threads=${value}`],
      { encoding: 'utf8' },
    );
    assert.is(status, 1);
    assert.match(
      stderr,
      /server\.front-threads = .* is not allowed; allowed is an integer from -1 to 128/,
    );
  }
});

fronts.run();
