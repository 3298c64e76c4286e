/** Connections that have asked for the stream, and send what would be answered: they are closed, and nothing is done. */

import net from 'node:net';
import { type ChildServer, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { untilOnline } from '../info.test-helper.ts';
import { AT_ONCE } from '../replicas.test-helper.ts';

const rogues = suite('connections of replicas');

let server: ChildServer;
let client: RespClient;

rogues.before(async () => {
  const args = [...AT_ONCE, '--set', 'replication.ping-period-secs=3600'];
  server = await startServer({ shards: 2, args });
  client = await server.client();
  await client.call('SET', 'key', 'value');
});

rogues.after(async () => {
  await server.stop();
});

class Rogue {
  readonly socket = net.connect(server.port, '127.0.0.1');
  text = '';
  isClosed = false;

  constructor() {
    this.socket.on('data', (piece) => (this.text += piece.toString('latin1')));
    this.socket.on('close', () => (this.isClosed = true));
    this.socket.on('error', () => undefined);
  }

  /** Ends when it has all data and follows the stream; other commands come first. */
  async follows(...first: readonly string[]): Promise<void> {
    for (const line of [...first, 'REPLCONF capa eof capa psync2', 'PSYNC ? -1']) {
      const { length } = this.text;
      this.socket.write(`${line}\r\n`);
      await until(() => this.text.length > length, `${line} is answered`);
    }
    await until(() => /EOF:(.{40})[^]*\1$/.test(this.text), 'all data have come');
    this.socket.write('REPLCONF ACK 0\r\n');
    await untilOnline(client, 1);
  }
}

/** The stream without what the primary sends at its ping period. */
function withoutPings(stream: string): string {
  return stream
    .replaceAll('*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n', '')
    .replaceAll('*1\r\n$4\r\nPING\r\n', '');
}

rogues('the first that comes is not pinged before the period is over', async () => {
  const rogue = new Rogue();
  await rogue.follows();
  await client.call('SET', 'mark', 'one');
  await until(() => rogue.text.includes('mark'), 'the stream comes');
  assert.not.match(rogue.text, /PING/);
  rogue.socket.destroy();
  await untilOnline(client, 0);
});

for (const words of [
  'SET key other',
  'FLUSHALL',
  'GET key',
  'PING',
  'NOSUCH',
  'GET',
  'REPLCONF capa eof',
  'REPLCONF',
  'QUIT',
  '*1\r\n$x',
]) {
  rogues(`${JSON.stringify(words)} closes it, and is not done`, async () => {
    const rogue = new Rogue();
    await rogue.follows();
    const before = rogue.text.length;
    rogue.socket.write(`REPLCONF ACK 1\r\nREPLCONF GETACK *\r\nPSYNC ? -1\r\n${words}\r\n`);
    await until(() => rogue.isClosed, 'the connection is closed');
    assert.is(withoutPings(rogue.text.slice(before)), '');
    assert.is(await client.call('GET', 'key'), 'value');
    await untilOnline(client, 0);
  });
}

rogues('what is published to it is in the stream alone', async () => {
  const rogue = new Rogue();
  await rogue.follows('HELLO 3', 'SUBSCRIBE channel');
  const before = rogue.text.length;
  await client.call('PUBLISH', 'channel', 'message');
  await until(() => rogue.text.includes('message', before), 'it is in the stream');
  await client.call('SET', 'last', 'one');
  await until(() => rogue.text.includes('last', before), 'what follows is in the stream');
  assert.not.match(rogue.text.slice(before), '>3');
  rogue.socket.destroy();
});

rogues.run();
