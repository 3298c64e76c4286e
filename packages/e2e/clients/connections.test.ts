/** Sockets that close halfway, break, stay idle, or are too many. */
// test-again: SVC_SERVER__MULTIPLEXING_API=libuv
// test-again: SVC_SERVER__FRONT_THREADS=1
// test-again: SVC_SERVER__FRONT_THREADS=1 SVC_SERVER__MULTIPLEXING_API=libuv
// test-again: TEST_TLS=1
// test-again: TEST_TLS=1 SVC_SERVER__FRONT_THREADS=1
import { execFileSync } from 'node:child_process';
import type net from 'node:net';
import {
  type ChildServer,
  dial,
  encodeCommand,
  isSecure,
  keysOnShard,
  type RespClient,
  startServer,
  talk,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const connections = suite('connections');

const SHARDS = 2;
/** Beside the idle connections: files, threads and the like of either process. */
const DESCRIPTORS_SPARE = 500;

let server: ChildServer;
let admin: RespClient;

connections.before(async () => {
  server = await startServer({ shards: SHARDS });
  admin = await server.client();
});
connections.after(async () => {
  await server.stop();
});

const clientCount = async (): Promise<number> =>
  textOf(await admin.call('CLIENT', 'LIST'))
    .trimEnd()
    .split('\n').length;

/** Sends all, closes its side at once, and answers everything that came back. */
function sendAndEnd(bytes: Buffer): Promise<Buffer> {
  return untilEnd(bytes, true);
}

/** Sends all, and answers everything that came back until the server closed its side. */
function untilEnd(bytes: Buffer, endsFirst = false): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = dial({ port: server.port }, { allowHalfOpen: true });
    const chunks: Buffer[] = [];
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => {
      socket.destroy();
      resolve(Buffer.concat(chunks));
    });
    if (endsFirst) socket.end(bytes);
    else socket.write(bytes);
  });
}

connections('a client that sends no more still gets all replies', async () => {
  const keys = [...keysOnShard(0, SHARDS, 50, 'half'), ...keysOnShard(1, SHARDS, 50, 'half')];
  const value = 'v'.repeat(20_000);
  const commands = keys.flatMap((key) => [
    ['SET', key, value],
    ['GET', key],
  ]);
  const sent = Buffer.concat([['DEBUG', 'SLEEP', '0.2'], ...commands].map((c) => encodeCommand(c)));
  const received = await sendAndEnd(sent);
  const pair = `+OK\r\n$${value.length}\r\n${value}\r\n`;
  assert.ok(received.equals(Buffer.from(`+OK\r\n${pair.repeat(keys.length)}`)));
});

connections('after QUIT comes the end, and nothing that follows is looked at', async () => {
  const value = 'v'.repeat(100_000);
  await admin.call('SET', 'quit:value', value);
  const get = encodeCommand(['GET', 'quit:value']);
  const quit = encodeCommand(['QUIT']);
  const expected = `$${value.length}\r\n${value}\r\n`.repeat(20);
  const gets = Buffer.concat(new Array<Buffer>(20).fill(get));
  const received = await untilEnd(Buffer.concat([gets, quit]));
  assert.ok(received.equals(Buffer.from(`${expected}+OK\r\n`)));
  // With the command that follows in the same packet, and much more behind it.
  const rest = Buffer.concat(new Array<Buffer>(5_000).fill(encodeCommand(['DEL', 'quit:value'])));
  assert.is((await untilEnd(Buffer.concat([quit, rest]))).toString(), '+OK\r\n');
  assert.is(textOf(await admin.call('STRLEN', 'quit:value')), '100000');
});

connections('a breach of the protocol is told though much input follows', async () => {
  const sent = Buffer.concat([Buffer.from('PING\r\n*1\r\n!'), Buffer.alloc(1_000_000, 'x')]);
  const received = (await untilEnd(sent)).toString();
  assert.match(received, /^\+PONG\r\n-ERR Protocol error: expected '\$', got '!'\r\n$/);
});

connections('an unfinished command at the end is no command', async () => {
  const received = await sendAndEnd(Buffer.from('PING\r\n*2\r\n$3\r\nGET\r\n$5\r\nab'));
  assert.is(received.toString(), '+PONG\r\n');
  assert.is((await sendAndEnd(Buffer.alloc(0))).length, 0);
});

connections('a client that sends no more gets the replies of main too, behind a wait', async () => {
  const sent = `DEBUG SLEEP 0.2\r\n${'ECHO x\r\n'.repeat(3)}TIME\r\nECHO y\r\n`;
  const received = (await sendAndEnd(Buffer.from(sent))).toString();
  assert.match(received, /^\+OK\r\n(\$1\r\nx\r\n){3}\*2\r\n(?:\$\d+\r\n\d+\r\n){2}\$1\r\ny\r\n$/);
});

const USER = 'ACL SETUSER ended on nopass +@all ~* &*\r\nAUTH ended x\r\n';

/** Transactions in which a client ends itself, and all that it must get before the end. */
const selfEnds: readonly (readonly [commands: string, replies: RegExp])[] = [
  ['MULTI\r\nACL DELUSER ended\r\nEXEC\r\n', /\*1\r\n:1\r\n$/],
  ['MULTI\r\nCLIENT KILL USER ended SKIPME no\r\nEXEC\r\nECHO late\r\n', /\*1\r\n:1\r\n$/],
  [
    'MULTI\r\nSET end:1 a\r\nCLIENT KILL USER ended SKIPME no\r\nDBSIZE\r\nEXEC\r\n',
    /\*3\r\n\+OK\r\n:1\r\n:\d+\r\n$/,
  ],
  ['WATCH end:1\r\nMULTI\r\nCLIENT KILL USER ended SKIPME no\r\nEXEC\r\n', /\*1\r\n:1\r\n$/],
  ['MULTI\r\nPING\r\nQUIT\r\n', /\+QUEUED\r\n\+OK\r\n$/],
];

for (const [commands, replies] of selfEnds) {
  connections(`gets its replies and its end: ${commands.replaceAll('\r\n', ' ')}`, async () => {
    assert.match(await talk(server, USER + commands), replies);
    assert.is(await clientCount(), 1);
  });
}

connections('a breach of the protocol is told behind the reply that is waited for', async () => {
  const bad = '*1\r\n$x\r\n';
  const error = '-ERR Protocol error: invalid bulk length\r\n';
  const exec = await talk(
    server,
    `MULTI\r\nSET end:1 a\r\nPUBLISH x y\r\nGET end:1\r\nEXEC\r\n${bad}`,
  );
  assert.ok(exec.endsWith(`*3\r\n+OK\r\n:0\r\n$1\r\na\r\n${error}`), exec);
  assert.is(await talk(server, `BLPOP nowhere 0.1\r\n${bad}`), `*-1\r\n${error}`);
  assert.is(await talk(server, `WAIT 1 100\r\n${bad}`), `:0\r\n${error}`);
});

connections('a client that waits for an event and hangs up waits no longer', async () => {
  for (const wait of ['WAIT 1 0', 'BLPOP nowhere 0', 'BLMOVE nowhere other LEFT LEFT 0']) {
    assert.is((await sendAndEnd(Buffer.from(`${wait}\r\n`))).length, 0);
    const behind = `DEBUG SLEEP 0.2\r\nECHO x\r\n${wait}\r\nPING\r\n`;
    assert.is((await sendAndEnd(Buffer.from(behind))).toString(), '+OK\r\n$1\r\nx\r\n');
  }
  const info = async (): Promise<string> => textOf(await admin.call('INFO', 'clients'));
  await until(async () => /blocked_clients:0/.test(await info()), 'the shards have let them go');
});

connections('connections that break in mid-pipeline hurt nobody, and are forgotten', async () => {
  const value = 'r'.repeat(50_000);
  for (let round = 0; round < 30; round += 1) {
    const client = await server.client({ canReset: true });
    const commands = Array.from({ length: 200 }, (_, nth) =>
      nth % 3 === 0 ? ['MGET', 'a', 'b', 'c'] : ['SET', `reset:${nth % 7}`, value],
    );
    client.raw(Buffer.concat(commands.map((words) => encodeCommand(words))));
    if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    await client.reset();
  }
  while ((await clientCount()) > 1);
  // Replies of the dead must not reach those who come after them.
  const client = await server.client({ canReset: true });
  for (let nth = 0; nth < 100; nth += 1) {
    assert.is(await client.call('ECHO', String(nth)), String(nth));
  }
  await client.end();
});

connections('clients that break while they wait leave nothing behind', async () => {
  for (let round = 0; round < 20; round += 1) {
    const client = await server.client({ canReset: true });
    client.raw('WAIT 1 0\r\n');
    while (!/ cmd=wait /.test(textOf(await admin.call('CLIENT', 'LIST'))));
    await client.reset();
  }
  while ((await clientCount()) > 1);
  assert.match(textOf(await admin.call('INFO', 'clients')), /blocked_clients:0/);
});

connections(
  'a client that hangs up with commands behind a wait leaves nothing behind',
  async () => {
    for (const isReset of [false, true]) {
      const client = await server.client({ canReset: true });
      client.raw('WAIT 1 0\r\nPING\r\nSET k v\r\n');
      while (!/ cmd=wait /.test(textOf(await admin.call('CLIENT', 'LIST'))));
      await (isReset ? client.reset() : client.end());
      while ((await clientCount()) > 1);
    }
    assert.match(textOf(await admin.call('INFO', 'clients')), /blocked_clients:0/);
  },
);

const rejectedCount = async (): Promise<number> =>
  Number(/rejected_connections:(\d+)/.exec(textOf(await admin.call('INFO', 'stats')))?.[1]);

connections('beyond maxclients one is told so, and those inside go on', async () => {
  const before = await rejectedCount();
  const inside = [await server.client(), await server.client()];
  await admin.call('CONFIG', 'SET', 'maxclients', 3);
  const answer = await talk(server, '');
  assert.is(answer, '-ERR max number of clients reached\r\n');
  for (const client of inside) assert.is(await client.call('PING'), 'PONG');
  await inside[0]!.end();
  while ((await clientCount()) > 2);
  const late = await server.client();
  assert.is(await late.call('PING'), 'PONG');
  assert.is(await rejectedCount(), before + 1);
  await admin.call('CONFIG', 'SET', 'maxclients', 10_000);
  await late.end();
  await inside[1]!.end();
});

connections(
  'idle connections are closed after the timeout, busy and waiting ones are not',
  async () => {
    const idle = await server.client();
    const waiting = await server.client();
    const waited = waiting.call('WAIT', 1, 3_000);
    await admin.call('CONFIG', 'SET', 'timeout', 1);
    const ended: string[] = [];
    void idle.closed.then(() => ended.push('idle'));
    void waited.then((reply) => ended.push(`waited for ${textOf(reply)}`));
    while (ended.length < 2) {
      assert.is(await admin.call('PING'), 'PONG');
      await new Promise((resolve) => setImmediate(resolve));
    }
    await admin.call('CONFIG', 'SET', 'timeout', 0);
    assert.equal(ended, ['idle', 'waited for 0']);
    await waiting.end();
  },
);

/** Ten thousand, but of handshakes only as many as take some seconds. */
const IDLE_MAX = isSecure ? 1_000 : 10_000;

/** Returns the number of further connections that this process, and a server that inherits its limit, can have. */
function idleCount(): number {
  const limit = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  return Math.min(IDLE_MAX, limit === 'unlimited' ? Infinity : Number(limit) - DESCRIPTORS_SPARE);
}

function openIdle(count: number): Promise<net.Socket[]> {
  const open = (): Promise<net.Socket> =>
    new Promise((resolve, reject) => {
      const socket = dial({ port: server.port }, {}, () => resolve(socket));
      socket.on('error', reject);
    });
  return Promise.all(Array.from({ length: count }, open));
}

connections('ten thousand idle connections, or as many as the machine allows', async () => {
  const count = idleCount();
  if (count < IDLE_MAX) process.stdout.write(`only ${count} connections: ulimit -n is low\n`);
  await admin.call('CONFIG', 'SET', 'maxclients', 20_000);
  const sockets: net.Socket[] = [];
  while (sockets.length < count) {
    sockets.push(...(await openIdle(Math.min(500, count - sockets.length))));
  }
  while ((await clientCount()) < count + 1);
  const replies = await admin.pipeline(
    Array.from({ length: 10_000 }, (_, nth) => ['SET', `idle:${nth % 100}`, nth]),
  );
  assert.ok(replies.every((reply) => reply === 'OK'));
  const last = sockets.at(-1)!;
  const answered = new Promise<string>((resolve) => {
    last.once('data', (bytes) => resolve(bytes.toString()));
  });
  last.write('PING\r\n');
  assert.is(await answered, '+PONG\r\n');
  for (const socket of sockets) socket.destroy();
  while ((await clientCount()) > 1);
});

connections.run();
