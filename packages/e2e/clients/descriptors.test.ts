/**
 * Main under load without free descriptors: new clients wait, existing ones are served, and all other work of main
 * continues.
 */
// test-again: SVC_SERVER__MULTIPLEXING_API=libuv
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import net from 'node:net';
import {
  type ChildServer,
  encodeCommand,
  needs,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const descriptors = suite('descriptors');

const ROUNDS = 20;
const CLIENTS_A_ROUND = 100;
/** Connections for which there are descriptors, and those that come. */
const SPARE = 8;
const WANTED = 24;
const FLOODS = 6;
/** Commands of each that are always under way. */
const DEPTH = 200;

let server: ChildServer;
let admin: RespClient;

descriptors.before(async () => {
  server = await startServer({ shards: 2, http: true });
  admin = await server.client();
  // The server has accepted it now, so that its socket is among those counted before.
  await admin.call('PING');
});
descriptors.after(async () => {
  await server.stop();
});

/** Links of the server's descriptors, such as `socket:[123]`. */
function links(): string[] {
  const folder = `/proc/${server.pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

const openSockets = (): number => links().filter((link) => link.startsWith('socket:')).length;

/** Sets how many files the server may have open. */
function limitFiles(most: number): void {
  execFileSync('prlimit', ['--pid', String(server.pid), `--nofile=${most}:`]);
}

async function newSocket(): Promise<net.Socket> {
  const socket = net.connect({ port: server.port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  return socket;
}

/** Connects, sends PING, and returns whether its reply has come. */
async function pinging(): Promise<{
  readonly socket: net.Socket;
  readonly isServed: () => boolean;
}> {
  const socket = await newSocket();
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
  socket.write('PING\r\n');
  return { socket, isServed: () => text === '+PONG\r\n' };
}

descriptors('clients that come, send one command and go leave no descriptor behind', async () => {
  const before = openSockets();
  for (let round = 0; round < ROUNDS; round += 1) {
    const clients = await Promise.all(Array.from({ length: CLIENTS_A_ROUND }, () => pinging()));
    await until(() => clients.every(({ isServed }) => isServed()), 'all are served');
    for (const [nth, { socket }] of clients.entries()) {
      if (nth % 2 === 0) socket.resetAndDestroy();
      else socket.end();
    }
  }
  await until(() => openSockets() <= before, 'all sockets are closed');
});

if (needs('prlimit')) {
  descriptors('without descriptors new clients wait until there are some', async () => {
    limitFiles(links().length + SPARE);
    const clients = await Promise.all(Array.from({ length: WANTED }, () => pinging()));
    const served = (): number => clients.filter(({ isServed }) => isServed()).length;
    const isRefused = (): boolean => clients.some(({ socket }) => socket.closed);
    await until(() => served() >= SPARE - 2, 'those for whom there are descriptors are served');
    assert.is(await admin.call('PING'), 'PONG');
    assert.ok(served() < WANTED);
    // Node closes those that it cannot accept, and reports nothing.
    const isLogged = (): boolean => server.stdout.includes('accept EMFILE: too many open files');
    await until(() => isRefused() || isLogged(), 'the log has the reason');
    limitFiles(10_000);
    await until(() => isRefused() || served() === WANTED, 'the others are served, or were refused');
    assert.is(await admin.call('PING'), 'PONG');
    for (const { socket } of clients) socket.destroy();
  });
}

descriptors('under full load all else that main does is done', async () => {
  const isOver = { value: false };
  const floods = Array.from({ length: FLOODS }, async (_none, nth) => {
    const socket = await newSocket();
    const batch = Buffer.concat(
      Array.from({ length: DEPTH }, () => encodeCommand(['INCR', `flood:${nth}`])),
    );
    let owed = DEPTH;
    socket.on('data', (bytes: Buffer) => {
      owed -= bytes.filter((byte) => byte === 0x3a).length;
      if (owed > 0 || isOver.value) return;
      owed += DEPTH;
      socket.write(batch);
    });
    socket.write(batch);
    return socket;
  });
  const sockets = await Promise.all(floods);
  const count = async (): Promise<number> => Number(await admin.call('GET', 'flood:0'));
  await until(async () => (await count()) > DEPTH, 'the load is on');
  // A message port of main's and one of a shard's, timers, a thread's message, and a signal.
  assert.is((await request(server.httpPort, '/status/json')).status, 200);
  assert.is((await request(server.httpPort, '/debug/api/clients')).status, 200);
  await admin.call('CLIENT', 'PAUSE', '20', 'WRITE');
  assert.is(await admin.call('SET', 'after:pause', '1'), 'OK');
  assert.is(await admin.call('SET', 'gone', '1', 'PX', '5'), 'OK');
  await until(async () => (await admin.call('EXISTS', 'gone')) === 0, 'keys expire');
  assert.equal(await admin.call('BLPOP', 'empty', '0.02'), null);
  assert.is(await admin.call('SAVE'), 'OK');
  assert.match(textOf(await admin.call('INFO', 'server')), /multiplexing_api:(epoll|libuv)/);
  const before = await count();
  await until(async () => (await count()) > before, 'the load is on as before');
  server.signal('SIGTERM');
  await server.ended;
  isOver.value = true;
  for (const socket of sockets) socket.destroy();
});

descriptors.run();
