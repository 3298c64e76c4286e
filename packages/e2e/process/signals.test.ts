/** Signals that are not meant for a server do nothing. */
import net from 'node:net';
import { freePort, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const signals = suite('signals');

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => {
      resolve(false);
    });
  });

signals('SIGUSR1 opens no debugger', async () => {
  const port = await freePort();
  const server = await startServer({ nodeArgs: [`--inspect-port=${String(port)}`] });
  const client = await server.client();
  server.signal('SIGUSR1');
  server.signal('SIGUSR1');
  // Node would open it in the turns that these take.
  for (let nth = 0; nth < 100; nth += 1) assert.is(await client.call('PING'), 'PONG');
  assert.is(await isListening(port), false);
  const end = await server.shutDown();
  assert.is(end.exitCode, 0);
  assert.not.match(server.stderr, /Debugger listening/);
});

signals.run();
