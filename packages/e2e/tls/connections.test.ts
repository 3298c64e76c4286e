/** Connections over TLS do what plain ones do, from half-closed ones to floods. */
// test-tier: long
// test-again: SVC_SERVER__FRONT_THREADS=1
import net from 'node:net';
import { randomBytes } from 'node:crypto';
import {
  Certificates,
  encodeCommand,
  needs,
  request,
  RespClient,
  talk,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attempt, endOf, SecureServer } from './tls-server.ts';

const connections = suite('connections over tls');

let certificates: Certificates;
let server: SecureServer;

connections.before(async () => {
  certificates = new Certificates();
  const settings = { 'tls.handshake-timeout-ms': 600_000 };
  server = await SecureServer.start(certificates, settings, { http: true });
});
connections.after(async () => {
  await server.stop();
  certificates.remove();
});
connections.after.each(async () => {
  server.leave();
  await server.untilSample('svc_tls_connections', 0);
  assert.not.match(server.plain.stdout + server.plain.stderr, /uncaught|Unhandled|assert/i);
});

const MB = 1024 * 1024;

connections('a half-closed client gets all its replies', async () => {
  await server.call('SET', 'half', 'x'.repeat(100_000));
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    // Node's clients give up both halves otherwise.
    const socket = await server.connect({ maxVersion: version, allowHalfOpen: true });
    let byteCount = 0;
    socket.on('data', (bytes: Buffer) => (byteCount += bytes.length));
    const ended = new Promise((resolve) => socket.once('end', resolve));
    socket.end('GET half\r\n'.repeat(200));
    await ended;
    assert.is(byteCount, 200 * '$100000\r\n\r\n'.length + 200 * 100_000, version);
    socket.destroy();
  }
});

connections('a reset in the middle of a command leaves nothing', async () => {
  const socket = net.connect(server.tlsPort, '127.0.0.1');
  const client = await server.client({ socket });
  client.raw('*3\r\n$3\r\nSET\r\n$5\r\nreset\r\n$1000000\r\nthe beginning of it');
  await server.untilSample('svc_tls_connections', 1);
  socket.resetAndDestroy();
  await client.closed;
  assert.is(await server.call('EXISTS', 'reset'), '0');
});

connections('QUIT, CLIENT KILL and an idle time end a connection cleanly', async () => {
  const quitting = await server.client();
  const quit = endOf(quitting.socket);
  assert.is(await quitting.call('QUIT'), 'OK');
  assert.is(await quit, 'end');

  const killed = await server.client();
  const id = textOf(await killed.call('CLIENT', 'ID'));
  assert.is(await server.call('CLIENT', 'KILL', 'ID', id), '1');
  await killed.closed;

  const suicidal = await server.client();
  const own = textOf(await suicidal.call('CLIENT', 'ID'));
  const end = endOf(suicidal.socket);
  const reply = await suicidal.call('CLIENT', 'KILL', 'ID', own, 'SKIPME', 'no');
  assert.equal([reply, await end], [1, 'end'], 'the reply comes before the end');
});

connections('protocol errors are told before the end', async () => {
  const client = await server.client();
  const end = endOf(client.socket);
  client.raw('*1\r\n$nonsense\r\n');
  const reply = await client.receive();
  assert.match(textOf(reply), 'Protocol error: invalid bulk length');
  assert.is(await end, 'end');
});

connections('a value of 100 MB goes both ways', async () => {
  const client = await server.client({}, { buffers: true, waitMs: 60_000 });
  const value = randomBytes(100 * MB);
  assert.is(textOf(await client.call('SET', 'large', value)), 'OK');
  const back = (await client.call('GET', 'large')) as Buffer;
  assert.ok(value.equals(back));
  await client.call('DEL', 'large');
  await client.end();
});

connections('a pipeline of 100,000', async () => {
  const socket = await server.connect();
  let text = '';
  socket.setEncoding('latin1').on('data', (more: string) => (text += more));
  const value = (nth: number): string => String(nth).padStart(6, '0');
  const commands = Array.from({ length: 100_000 }, (_, nth) => {
    const key = `many:${nth % 1000}`;
    return `SET ${key} ${value(nth)}\r\nGET ${key}\r\n`;
  });
  socket.write(commands.join(''));
  const expected = commands.map((_, nth) => `+OK\r\n$6\r\n${value(nth)}\r\n`).join('');
  await until(() => text.length >= expected.length, 'all replies come');
  assert.ok(text === expected);
  socket.destroy();
});

connections('bytes cut anywhere are put together again', async () => {
  const client = await server.client();
  const bytes = encodeCommand(['SET', 'cut', 'a value\r\n of some length']);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    client.raw(bytes.subarray(0, cut));
    client.raw(bytes.subarray(cut));
    assert.is(await client.receive(), 'OK');
  }
  for (const byte of bytes) client.raw(Buffer.from([byte]));
  assert.is(await client.receive(), 'OK');
  await client.end();
});

connections('commands right behind the handshake are run', async () => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const connecting = server.connect({ maxVersion: version });
    const socket = await connecting;
    socket.write('PING\r\nECHO first\r\n');
    let text = '';
    socket.setEncoding('latin1').on('data', (more: string) => (text += more));
    await until(() => text === '+PONG\r\n$5\r\nfirst\r\n', 'all replies come');
    socket.destroy();
  }
});

connections('a slow reader is bounded by the output limits', async () => {
  await server.call('SET', 'slow', 'x'.repeat(MB));
  await server.set('client-output-buffer-limit', 'normal 20mb 0 0');
  const client = await server.client();
  client.socket.pause();
  for (let nth = 0; nth < 100; nth += 1) client.raw('GET slow\r\n');
  await until(
    async () => (await server.sample('svc_tls_connections')) === 0,
    'the server has closed it',
  );
  assert.match(await server.call('INFO', 'clients'), 'connected_clients:1');
  client.socket.resume();
  await client.closed;
  await server.set('client-output-buffer-limit', 'normal 0 0 0');
});

connections('a slow reader within the limits gets everything', async () => {
  const client = await server.client();
  client.socket.pause();
  const replies = client.pipeline(Array.from({ length: 30 }, () => ['GET', 'slow']));
  await until(
    async () => Number(/omem=(\d+)/.exec(await server.call('CLIENT', 'LIST'))?.[1] ?? 0) >= 0,
    'it is asked for',
  );
  client.socket.resume();
  for (const reply of await replies) assert.is(textOf(reply).length, MB);
  await client.end();
});

connections('published messages reach many subscribers, in order', async () => {
  const listeners = await Promise.all(Array.from({ length: 30 }, () => server.client()));
  for (const each of listeners) await each.call('SUBSCRIBE', 'news');
  for (let nth = 0; nth < 50; nth += 1) await server.call('PUBLISH', 'news', `message ${nth}`);
  const expected = Array.from({ length: 50 }, (_, nth) => ['message', 'news', `message ${nth}`]);
  for (const each of listeners) {
    await until(() => each.pushes.length === expected.length, 'all messages have come');
    assert.equal(each.pushes, expected);
    await each.end();
  }
});

connections('monitors, blocking commands and CLIENT PAUSE', async () => {
  const [monitor, waiter] = [await server.client(), await server.client()];
  await monitor.call('MONITOR');
  const popped = waiter.call('BLPOP', 'queue', '0');
  await until(async () => /blocked_clients:1/.test(await server.call('INFO', 'clients')), 'waits');
  await server.call('CLIENT', 'PAUSE', '100000', 'WRITE');
  const other = await server.client();
  const pushed = other.call('RPUSH', 'queue', 'job');
  await server.call('CLIENT', 'UNPAUSE');
  assert.equal([await popped, await pushed], [['queue', 'job'], 1]);
  const isSeen = (): boolean =>
    monitor.pushes.some((line) => textOf(line).includes('"RPUSH" "queue"'));
  await until(isSeen, 'the monitor has seen it');
  await Promise.all([monitor.end(), waiter.end(), other.end()]);
});

connections('max-clients holds, and is told over TLS', async () => {
  await server.call('PING');
  await server.set('maxclients', '4');
  const [first, second, third] = [
    await server.client(),
    await server.client(),
    await server.client(),
  ];
  const refused = await server.client();
  await refused.closed;
  assert.is(textOf(refused.pushes[0]), 'ERR max number of clients reached');
  await server.set('maxclients', '10000');
  await Promise.all([first, second, third].map((each) => each.end()));
});

const reasons = ['no-tls', 'closed', 'other', 'version', 'cipher'] as const;
const failures = async (): Promise<Record<string, number>> => {
  const counts = await Promise.all(reasons.map((reason) => server.failures(reason)));
  return Object.fromEntries(reasons.map((reason, nth) => [reason, counts[nth]!]));
};
/** Sends bytes to the TLS port, and waits for the end of the connection. */
const send = (bytes: string | Buffer): Promise<string> => talk({ port: server.tlsPort }, bytes);

connections(
  'what is no TLS is refused, counted by its reason, and logged with its address',
  async () => {
    const before = await failures();
    const sent = [
      'PING\r\n',
      '*1\r\n$4\r\nPING\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
      'POST / HTTP/1.1\r\n\r\n',
      Buffer.alloc(2_000, 0xff),
      Buffer.concat([Buffer.from([0x16, 3, 1, 0, 5]), Buffer.alloc(5, 0xee)]),
    ];
    for (const bytes of sent) await send(bytes).catch(() => 'reset');
    const expected = before['no-tls']! + before['other']! + sent.length;
    await until(async () => {
      const now = await failures();
      return now['no-tls']! + now['other']! === expected;
    }, 'each is counted once');
    assert.ok((await failures())['no-tls']! >= before['no-tls']! + 4);
    const line = /tls-handshake-failed .*addr="?127\.0\.0\.1:\d+"? reason=no-tls/;
    await send('PING\r\n').catch(() => 'reset');
    await until(() => line.test(server.plain.stdout), 'it is in the log');
    const counted = (): number =>
      [...server.plain.stdout.matchAll(/tls-handshake-failed .*count=(\d+)/g)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    await until(async () => {
      // A thread of its own may count the last one only now.
      const all = Object.values(await failures()).reduce((sum, count) => sum + count, 0);
      return counted() === all;
    }, 'each is in the log, though no other follows');
  },
);

connections('who hangs up within the handshake is counted, and nothing of it is left', async () => {
  const hello = await clientHello();
  const before = await server.failures('closed');
  const cuts = [0, 1, 5, 50, hello.length - 1, hello.length];
  for (const cut of cuts) {
    for (const leave of ['end', 'resetAndDestroy'] as const) {
      const socket = net.connect(server.tlsPort, '127.0.0.1');
      const ended = endOf(socket);
      if (cut > 0) socket.write(hello.subarray(0, cut));
      socket.once('connect', () => socket[leave]());
      await ended;
    }
  }
  const count = async (): Promise<number> => (await server.failures('closed')) - before;
  await until(async () => (await count()) === 2 * cuts.length, 'all are counted');
  assert.is(await attempt(server), 'PONG');
});

/** First message of a client of TLS. */
function clientHello(): Promise<Buffer> {
  return new Promise((resolve) => {
    const trap = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (bytes: Buffer) => {
        socket.destroy();
        trap.close();
        resolve(bytes);
      });
    });
    trap.listen(0, '127.0.0.1', () => {
      const { port } = trap.address() as net.AddressInfo;
      server.connect({ port }).catch(() => undefined);
    });
  });
}

/** Listens before the server, and changes what a client sends there; answers what to connect to and to close. */
async function proxy(
  change: (bytes: Buffer, at: number) => readonly Buffer[],
): Promise<net.Server> {
  const listening = net.createServer((socket) => {
    const down = net.connect({ port: server.tlsPort, host: '127.0.0.1', noDelay: true });
    let at = 0;
    socket.on('data', (bytes: Buffer) => {
      for (const each of change(bytes, at)) down.write(each);
      at += bytes.length;
    });
    down.on('data', (bytes: Buffer) => socket.write(bytes));
    for (const one of [socket, down]) {
      one.on('error', () => undefined);
      one.on('close', () => {
        socket.destroy();
        down.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return listening;
}
const portOf = (listening: net.Server): number => (listening.address() as net.AddressInfo).port;

connections('a handshake in pieces goes through', async () => {
  const inPieces = await proxy((bytes) => Array.from(bytes, (byte) => Buffer.from([byte])));
  const client = await server.client({ port: portOf(inPieces) });
  assert.is(await client.call('PING'), 'PONG');
  await client.end();
  inPieces.close();
});

connections('a client of TLS at the plain port is refused, and nobody else notices', async () => {
  const connecting = server.connect({ port: server.plain.port });
  assert.instance(await connecting.catch((error: unknown) => error), Error);
  assert.is(await server.call('PING'), 'PONG');
});

connections('versions and ciphers that do not fit have their reasons', async () => {
  const before = await failures();
  const old = {
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  } as const;
  assert.match(await attempt(server, old), 'PROTOCOL_VERSION');
  // The server's certificate is none of RSA.
  const unfit = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' } as const;
  assert.match(await attempt(server, unfit), 'HANDSHAKE_FAILURE');
  const expected = { ...before, version: before['version']! + 1, cipher: before['cipher']! + 1 };
  await until(
    async () => String(Object.values(await failures())) === String(Object.values(expected)),
    'counted',
  );
});

connections('a client asks in vain for another handshake in TLS 1.2', () => {
  const place = `127.0.0.1:${server.tlsPort}`;
  const output = certificates.opensslAtLeastTried('R\nPING\r\n', [
    ...['s_client', '-connect', place, '-tls1_2', '-CAfile', certificates.authority.certificate],
  ]);
  assert.match(output, /RENEGOTIATING/);
  assert.match(output, /no renegotiation|NO_RENEGOTIATION/);
});

connections('a byte that is changed on the way ends the connection, wherever it is', async () => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    for (let place = 0; place < 1_500; place += 61) {
      const spoilt = await proxy((bytes, at) => {
        const isHere = at <= place && place < at + bytes.length;
        if (isHere) bytes[place - at]! ^= 0x55;
        return [bytes];
      });
      // Where the handshake ends well all the same, its client says so much that the place is in what follows.
      const socket = await server
        .connect({ port: portOf(spoilt), maxVersion: version })
        .catch(() => undefined);
      if (socket !== undefined) {
        socket.write('SET spoilt 1\r\n'.repeat(200));
        await endOf(socket);
      }
      spoilt.close();
    }
  }
  assert.is(await attempt(server), 'PONG');
});

connections('a refused handshake leaves HTTP and INFO as they were', async () => {
  assert.is((await request(server.plain.httpPort, '/health/ready')).status, 200);
  assert.match(await server.call('INFO', 'clients'), 'connected_clients:1\r\n');
  const client = await RespClient.connect({ port: server.plain.port });
  assert.is(await client.call('PING'), 'PONG');
  await client.end();
});

connections('handshakes are counted by the thread that does them', async () => {
  const { text } = await request(server.plain.httpPort, '/metrics');
  const sum = (name: string): number =>
    [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'gm'))].reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
  const hasFronts = Number(process.env['SVC_SERVER__FRONT_THREADS'] ?? 0) > 0;
  const all = sum('svc_tls_handshakes_total');
  assert.ok(all > 0);
  const ofFronts = sum('svc_front_handshakes_total');
  // Clients beyond maxclients have their handshake too, and are no connections.
  if (hasFronts) assert.ok(ofFronts >= all, `${ofFronts} of ${all}`);
  else assert.is(ofFronts, 0);
});

if (needs('openssl')) connections.run();
