/** Many connections over TLS at once and one after the other: none is lost, and nothing of them is left. */
// test-tier: long
import net from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { Certificates, needs, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endOf, SecureServer, sessionOf } from './tls-server.ts';

const storms = suite('storms of tls');

const MB = 1024 * 1024;
/** Number of handshakes that start at the same time. */
const AT_ONCE = 500;
/** Growth beyond this is no cache that fills up. */
const GROWTH_BYTES_MAX = 60 * MB;

let certificates: Certificates;
let server: SecureServer;

storms.before(async () => {
  certificates = new Certificates();
  server = await SecureServer.start(certificates, {}, { http: true });
});
storms.after(async () => {
  await server.stop();
  certificates.remove();
});
storms.after.each(async () => {
  await server.untilSample('svc_tls_connections', 0);
  assert.not.match(server.plain.stdout + server.plain.stderr, /uncaught|Unhandled/i);
});

/** Sockets that the server's process has open. */
function descriptors(): number {
  return readdirSync(`/proc/${server.plain.pid}/fd`).length;
}

function residentBytes(): number {
  const status = readFileSync(`/proc/${server.plain.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

storms(`${AT_ONCE} clients at once are all answered`, async () => {
  await server.set('tls-handshake-timeout-ms', '600000');
  const before = descriptors();
  const clients = await Promise.all(Array.from({ length: AT_ONCE }, () => server.client()));
  const replies = await Promise.all(clients.map((client, nth) => client.call('INCRBY', 'n', nth)));
  assert.is(replies.length, AT_ONCE);
  assert.is(await server.sample('svc_tls_connections'), AT_ONCE);
  assert.is(await server.call('GET', 'n'), String((AT_ONCE * (AT_ONCE - 1)) / 2));
  for (const [nth, client] of clients.entries()) {
    if (nth % 2 === 0) client.socket.destroy();
    else void client.end();
  }
  await Promise.all(clients.map((client) => client.closed));
  await until(() => descriptors() <= before, 'all sockets are closed');
});

storms(
  'a storm of handshakes beyond the bound: who is let in is served, and no count is left',
  async () => {
    await server.set('tls-max-handshakes', '20');
    const storm = Array.from({ length: 300 }, async () => {
      try {
        const client = await server.client();
        const reply = await client.call('PING');
        await client.end();
        return reply;
      } catch {
        return 'refused';
      }
    });
    const outcomes = await Promise.all(storm);
    const served = outcomes.filter((outcome) => outcome === 'PONG').length;
    assert.is(served + outcomes.filter((outcome) => outcome === 'refused').length, 300);
    assert.ok(served > 0);
    // Were one of them still counted, the last of these would find no room.
    const sockets = await Promise.all(Array.from({ length: 19 }, () => silent()));
    const client = await server.client();
    assert.is(await client.call('PING'), 'PONG');
    await client.end();
    for (const socket of sockets) socket.destroy();
    await server.set('tls-max-handshakes', '1000');
  },
);

function silent(): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(server.tlsPort, '127.0.0.1', () => {
      resolve(socket);
    });
    socket.on('error', reject);
  });
}

storms('a stop waits for no handshake, and says goodbye to who has shaken hands', async () => {
  const stopped = await SecureServer.start(certificates, { 'tls.handshake-timeout-ms': 600_000 });
  const silentOne = net.connect(stopped.tlsPort, '127.0.0.1');
  await new Promise((resolve) => silentOne.once('connect', resolve));
  const [halfway, end] = [endOf(silentOne), endOf(await stopped.connect())];
  // The test is given up if this takes as long as a handshake may.
  assert.is((await stopped.plain.shutDown()).exitCode, 0);
  assert.is(await end, 'end');
  await halfway;
});

/** Connects `count` times, with resumed sessions, and disconnects in every possible way. */
async function comeAndGo(count: number): Promise<void> {
  const first = await server.connect();
  const session = await sessionOf(first);
  first.destroy();
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let nth = lane; nth < count; nth += 8) {
      if (nth % 16 === 5) {
        const socket = await silent();
        if (nth % 32 === 5) socket.write('garbage\r\n');
        else socket.resetAndDestroy();
        socket.destroy();
        continue;
      }
      const client = await server.client(nth % 64 === 0 ? {} : { session });
      await client.call('SET', 'k', nth);
      if (nth % 3 === 0) client.socket.destroy();
      else if (nth % 3 === 1) await client.end();
      else await client.call('QUIT');
    }
  });
  await Promise.all(lanes);
}

storms('thousands of clients that come and go leave no memory and no socket', async () => {
  await comeAndGo(1_000);
  await server.call('MEMORY', 'PURGE');
  const [sockets, bytes] = [descriptors(), residentBytes()];
  await comeAndGo(4_000);
  await until(() => descriptors() <= sockets, 'all sockets are closed');
  await server.call('MEMORY', 'PURGE');
  const isBack = (): boolean => residentBytes() < bytes + GROWTH_BYTES_MAX;
  await until(isBack, 'memory is what it was, more or less');
});

if (needs('openssl')) storms.run();
