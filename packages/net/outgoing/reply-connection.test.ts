/** Connections of this server's to others: replies one by one, and the reasons for which none comes. */

import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ReplyError } from '#resp';
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReplyConnection } from './reply-connection.ts';

const connections = suite('connections to others');

let server: Server;
let sockets: Socket[] = [];

connections.before.each(async () => {
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
connections.after.each(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

async function opened(idleMs = 60_000): Promise<{ connection: ReplyConnection; socket: Socket }> {
  const { port } = server.address() as AddressInfo;
  const connection = await ReplyConnection.open('127.0.0.1', port, idleMs);
  await until(() => sockets.length === 1, 'it is connected');
  return { connection: connection!, socket: sockets[0]! };
}

connections('replies come one by one, a bulk string as one', async () => {
  const { connection, socket } = await opened();
  socket.write('$5\r\n\r\n+OK\r\n:7\r\n*1\r\n+a\r\n-ERR n');
  socket.write('o\r\n');
  assert.equal(await connection.reply(), { reply: '\r\n+OK' });
  assert.equal(await connection.reply(), { reply: 7 });
  assert.equal(await connection.reply(), { reply: ['a'] });
  const { reply } = (await connection.reply()) as { reply: unknown };
  assert.instance(reply, ReplyError);
  assert.is((reply as Error).message, 'ERR no');
  connection.close();
});

connections('replies that came before the end are still there after it', async () => {
  const { connection, socket } = await opened();
  socket.end('+OK\r\n$5\r\nhal');
  await until(() => socket.destroyed, 'it has ended');
  assert.equal(await connection.reply(), { reply: 'OK' });
  assert.equal(await connection.reply(), { end: 'closed' });
});

for (const [what, text] of [
  ['no reply', 'HTTP/1.1 400 Bad Request\r\n'],
  ['a line that never ends', `+${'x'.repeat(70_000)}`],
  ['a length over the limit', '$2147483648\r\n'],
] as const) {
  connections(`${what} closes the connection`, async () => {
    const { connection, socket } = await opened();
    socket.write(text);
    assert.equal(await connection.reply(), { end: 'closed' });
    await until(() => socket.destroyed, 'it is closed');
  });
}

connections('without a reply in time it ends', async () => {
  const { connection } = await opened(20);
  assert.equal(await connection.reply(), { end: 'timeout' });
});

connections.run();
