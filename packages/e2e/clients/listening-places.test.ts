/** CONFIG SET port and bind: the new places are had before the old are left, or nothing changes. */
import net from 'node:net';
import { freePort, request, RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const places = suite('listening places');

const server = await startServer({ shards: 2, http: true });
const client = await server.client();
places.after(() => server.stop().then(() => undefined));

const set = async (...words: string[]): Promise<string> => {
  const reply = await client.reply('CONFIG', 'SET', ...words);
  return reply instanceof Error ? reply.message : textOf(reply);
};
const answers = async (port: number, host = '127.0.0.1'): Promise<boolean> => {
  try {
    const other = await RespClient.connect({ port, host });
    const reply = await other.call('PING');
    await other.end();
    return reply === 'PONG';
  } catch {
    return false;
  }
};

places('port moves, connections stay, and every surface tells the new one', async () => {
  const port = await freePort(server.port);
  assert.is(await set('port', String(port)), 'OK');
  assert.equal([await answers(port), await answers(server.port)], [true, false]);
  assert.is(await client.call('PING'), 'PONG');
  assert.equal(await client.call('CONFIG', 'GET', 'port'), ['port', String(port)]);
  assert.match(textOf(await client.call('INFO', 'server')), `tcp_port:${port}\r\n`);
  const shown = async (): Promise<unknown> => {
    const { text } = await request(server.httpPort, '/debug/api/server');
    return (JSON.parse(text) as { port: number }).port;
  };
  await until(async () => (await shown()) === port, 'HTTP tells it');
  assert.is(await set('port', String(server.port)), 'OK');
  assert.equal([await answers(port), await answers(server.port)], [false, true]);
});

places('bind adds and leaves addresses, without a gap for the one that stays', async () => {
  assert.is(await set('bind', '127.0.0.1 127.0.0.2 -192.0.2.1'), 'OK');
  assert.ok(await answers(server.port, '127.0.0.2'));
  assert.is(await set('bind', '127.0.0.2'), 'OK');
  assert.not.ok(await answers(server.port));
  assert.is(await set('bind', '127.0.0.1'), 'OK');
  assert.ok(await answers(server.port));
  assert.not.ok(await answers(server.port, '127.0.0.2'));
});

places(
  'a place that cannot be had changes nothing, with all that was asked for besides',
  async () => {
    const other = net.createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as net.AddressInfo;
    const taken =
      "CONFIG SET failed (possibly related to argument 'port') - Unable to listen on this port";
    assert.match(await set('hz', '50', 'port', String(port)), taken);
    assert.match(
      await set('bind', '127.0.0.1 192.0.2.1'),
      "(possibly related to argument 'bind') - Failed to bind to specified addresses",
    );
    assert.equal(await client.call('CONFIG', 'GET', 'hz'), ['hz', '10']);
    assert.equal(await client.call('CONFIG', 'GET', 'bind'), ['bind', '127.0.0.1']);
    assert.ok(await answers(server.port));
    assert.match(await set('port', '70000'), 'argument must be between 0 and 65535 inclusive');
    other.close();
  },
);

places('over HTTP as by CONFIG SET', async () => {
  const port = await freePort(server.port);
  const move = async (to: number): Promise<unknown> => {
    const body = JSON.stringify({ name: 'server.port', value: String(to) });
    const headers = { 'content-type': 'application/json' };
    const asking = { method: 'POST', headers, body };
    return (await request(server.httpPort, '/debug/api/config/set', asking)).status;
  };
  assert.is(await move(port), 200);
  assert.equal([await answers(port), await answers(server.port)], [true, false]);
  assert.is(await move(server.port), 200);
  assert.equal([await answers(port), await answers(server.port)], [false, true]);
});

places('moves that overlap follow each other', async () => {
  const ports = [await freePort(), await freePort(), server.port];
  const replies = await client.pipeline(
    ports.map((port) => ['CONFIG', 'SET', 'port', String(port)]),
  );
  assert.equal(replies, ['OK', 'OK', 'OK']);
  assert.ok(await answers(server.port));
});

places.run();
