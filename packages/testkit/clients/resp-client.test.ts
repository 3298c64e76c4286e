import { createServer, type AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RespClient } from './resp-client.ts';

const clients = suite('RESP client');

clients('misses a push that does not come, though replies do', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('data', () => socket.write('+PONG\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = await RespClient.connect({ host: '127.0.0.1', port }, { waitMs: 1_000 });
  let failure = '';
  void client.nextPush().catch((error: unknown) => {
    failure = (error as Error).message;
  });
  while (failure === '') assert.is(await client.call('PING'), 'PONG');
  assert.is(failure, 'no push within 1000 ms');
  await client.end();
  server.close();
});

clients.run();
