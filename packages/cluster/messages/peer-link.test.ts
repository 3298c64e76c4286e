/** A link to another node: sent, dropped and counted messages. */

import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { connectTo } from '#net';
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PeerLink } from './peer-link.ts';

const links = suite('links between nodes');

let server: Server;
let taken = '';
let sockets: Socket[] = [];

links.before.each(async () => {
  taken = '';
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (bytes) => {
      taken += bytes.toString('latin1');
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
links.after.each(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

function newLink(login: readonly string[] = [], greeting: readonly string[] = []) {
  const seen = { lost: 0, overflows: 0, failures: [] as string[], works: 0 };
  const link = new PeerLink({
    connect: () => connectTo('127.0.0.1', (server.address() as AddressInfo).port),
    login: () => login,
    greeting,
    queuedBytesMax: () => 16 * 1024 * 1024,
    wallMs: () => 5_000,
    lost: (count, isFull) => {
      seen.lost += count;
      seen.overflows += Number(isFull);
    },
    failed: (reason) => {
      seen.failures.push(reason);
    },
    works: () => {
      seen.works += 1;
    },
  });
  return { link, seen };
}

links('messages of a turn come together behind the login, and answers are counted', async () => {
  const { link, seen } = newLink(['AUTH', 'pw']);
  link.open();
  link.send(Buffer.from('one '));
  link.send(Buffer.from('two '));
  await until(() => taken.endsWith('one two '), 'both have come');
  assert.ok(taken.startsWith('*2\r\n$4\r\nAUTH\r\n'));
  sockets[0]!.write('+OK\r\n:1\r');
  sockets[0]!.write('\n-NOPERM no\r\n');
  await until(() => seen.lost === 1, 'what is refused is lost');
  assert.equal([seen.failures, seen.works], [['NOPERM no'], 2]);
  sockets[0]!.destroy();
  await until(() => seen.failures.length === 2, 'the end is told');
  assert.is(seen.lost, 1, 'all was answered');
  link.end();
});

links('what is not answered is lost with the connection, and without one all is', async () => {
  const { link, seen } = newLink();
  link.send(Buffer.from('x'));
  assert.is(seen.lost, 1);
  link.open();
  link.send(Buffer.from('y'));
  await until(() => taken === 'y', 'it has come');
  sockets[0]!.destroy();
  await until(() => seen.lost === 2, 'it is lost');
  link.open();
  link.send(Buffer.from('z'));
  await until(() => taken === 'yz', 'the next connection takes messages');
  link.end();
  assert.is(seen.lost, 2);
});

links('a login that is refused ends the connection', async () => {
  const { link, seen } = newLink(['AUTH', 'wrong']);
  link.open();
  await until(() => sockets.length === 1, 'it is connected');
  sockets[0]!.write('-WRONGPASS no\r\n');
  await until(() => seen.failures.length === 1, 'it has failed');
  link.send(Buffer.from('x'));
  assert.equal([seen.failures, seen.lost], [['WRONGPASS no'], 1]);
});

links('a node that reads nothing makes others lose messages, not memory', () => {
  const { link, seen } = newLink();
  link.open();
  const message = Buffer.alloc(1024 * 1024);
  for (let nth = 0; nth < 20; nth += 1) link.send(message);
  assert.equal([seen.lost, seen.overflows], [4, 4]);
  link.end();
});

links('the greeting comes behind the login, and its answer is that of no message', async () => {
  const { link, seen } = newLink(['AUTH', 'pw'], ['CLUSTER', 'DELIVER', 'NODE', 'me']);
  assert.is(link.state, undefined);
  link.open();
  await until(() => taken.endsWith('me\r\n'), 'both have come');
  assert.match(taken, /^\*2\r\n\$4\r\nAUTH[^]*NODE/);
  assert.equal(link.state, { createdMs: 5_000, queuedBytes: 0 });
  link.send(Buffer.from('one'));
  await until(() => taken.endsWith('one'), 'the message has come');
  sockets[0]!.write('+OK\r\n-ERR unknown subcommand\r\n:1\r\n');
  await until(() => seen.works === 2, 'login and message are answered');
  assert.equal([seen.lost, seen.failures], [0, ['ERR unknown subcommand']]);
  sockets[0]!.destroy();
  await until(() => seen.failures.length === 2, 'the end is told');
  assert.equal([seen.lost, link.state], [0, undefined]);
  link.end();
});

links('a node that wants a login is connected to anew, with the login of then', async () => {
  const login: string[] = [];
  const { link, seen } = newLink(login, ['CLUSTER', 'DELIVER', 'NODE', 'me']);
  link.open();
  link.send(Buffer.from('one'));
  await until(() => taken.endsWith('one'), 'it is connected');
  sockets[0]!.write('-NOAUTH Authentication required.\r\n');
  await until(() => sockets[0]!.destroyed, 'the connection is given up');
  assert.equal([seen.lost, seen.failures], [1, ['NOAUTH Authentication required.']]);
  login.push('AUTH', 'pw');
  taken = '';
  link.open();
  await until(() => taken.endsWith('me\r\n'), 'it is connected again');
  assert.ok(taken.startsWith('*2\r\n$4\r\nAUTH\r\n'));
  link.send(Buffer.from('two'));
  await until(() => taken.endsWith('two'), 'the message has come');
  sockets[1]!.write('+OK\r\n+OK\r\n-NOAUTH Authentication required.\r\n');
  await until(() => sockets[1]!.destroyed, 'a message may be refused so, too');
  assert.is(seen.lost, 2);
});

links('an answer is one, of whatever form it is', async () => {
  const { link, seen } = newLink();
  link.open();
  for (const text of ['one', 'two', 'three']) link.send(Buffer.from(text));
  await until(() => taken.endsWith('three'), 'all have come');
  sockets[0]!.write('*2\r\n$4\r\n-ERR\r\n:1\r\n$3\r\n\r\n-\r\n');
  await until(() => seen.works === 2, 'two are answered');
  sockets[0]!.destroy();
  await until(() => seen.failures.length === 1, 'the end is told');
  assert.is(seen.lost, 1, 'one was not answered');
  link.end();
});

for (const [what, text, reason] of [
  ['no reply', 'HTTP/1.1 400 Bad Request\r\n', 'unknown form "HTTP/1.1'],
  ['an error that never ends', `-${'x'.repeat(70_000)}`, 'a line of more than 65536 bytes'],
] as const) {
  links(`${what} ends the connection, and what was not answered is lost`, async () => {
    const { link, seen } = newLink();
    link.open();
    link.send(Buffer.from('one'));
    await until(() => taken === 'one', 'it has come');
    sockets[0]!.write(text);
    await until(() => seen.failures.length === 1, 'it has failed');
    assert.match(seen.failures[0]!, `the node sent an invalid reply: ${reason}`);
    assert.equal([seen.lost, link.state], [1, undefined]);
    await until(() => sockets[0]!.destroyed, 'it is closed');
  });
}

links.run();
