/** Probes from the start of the process to the end of draining, and a server that is stuck. */
// test-limit: 120s
import net from 'node:net';
import {
  request,
  startServer,
  textOf,
  until,
  type ChildServer,
  type ServerOptions,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from '../main-process.ts';

const probes = suite('HTTP probes');

const servers: ChildServer[] = [];

async function start(options: ServerOptions = { http: true }): Promise<ChildServer> {
  const server = await startServer(options);
  servers.push(server);
  return server;
}

probes.after(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

probes('say 503 while the server drains, and until it has ended', async () => {
  const server = await start();
  const get = async (path: string) => {
    const answer = await request(server.httpPort, path);
    return [answer.status, answer.json()];
  };
  const fine = [200, { status: 'ok' }];
  for (const path of ['/health/live', '/healthz', '/health/ready', '/readyz']) {
    assert.equal(await get(path), fine, path);
  }
  const client = await server.client();
  const slept = client.call('DEBUG', 'SLEEP', '2');
  await pause(100);
  server.signal('SIGTERM');
  await pause(200);
  const message = 'the server finishes what is in flight and stops';
  for (const path of ['/health/live', '/healthz', '/health/ready', '/readyz']) {
    assert.equal(await get(path), [503, { status: 'shutting_down', message }], path);
  }
  const verbose = await request(server.httpPort, '/readyz?verbose');
  assert.is(verbose.status, 503);
  assert.is(
    verbose.text,
    `[+]ping ok\n[+]startup ok\n[-]shutdown failed: ${message}\nreadyz check failed\n`,
  );
  const excluded = await request(server.httpPort, '/readyz?exclude=shutdown');
  assert.is(excluded.status, 200);
  const status = (await request(server.httpPort, '/status/json')).json();
  const { health } = status as { health: { issues: { code: string }[] } };
  assert.ok(health.issues.some(({ code }) => code === 'NOT_READY'));
  assert.is(await slept, 'OK');
  assert.equal(await server.ended, { exitCode: 0, signal: null });
});

probes('answer in words when asked to', async () => {
  const server = await start();
  const get = async (path: string) => (await request(server.httpPort, path)).text;
  assert.is(await get('/livez'), '{"error":"not found"}');
  assert.is(await get('/healthz?verbose'), '[+]ping ok\n[+]shutdown ok\nlivez check passed\n');
  assert.is(
    await get('/readyz?verbose=1&exclude=startup&exclude=nothing'),
    '[+]ping ok\n[+]startup excluded: ok\n[+]shutdown ok\n' +
      'warn: some health checks cannot be excluded: no matches for "nothing"\nreadyz check passed\n',
  );
});

probes('and the status are answered while shards are stuck, as STATUS JSON tells it', async () => {
  const server = await start({ http: true, shards: 2 });
  const client = await server.client();
  const sleeper = await server.client();
  const id = await sleeper.call('CLIENT', 'ID');
  const slept = sleeper.call('DEBUG', 'SLEEP', '4');
  await pause(2_500);
  interface Document {
    health: { status: string; issues: { code: string; message: string }[] };
    shards: { state: string; executing: { command: string; client_id: number } | null }[];
    clients: unknown;
    keyspace: unknown;
  }
  // The best of a few: the machine may have more to do than this.
  let tookMs = Infinity;
  for (let nth = 0; nth < 5; nth += 1) {
    const beganMs = performance.now();
    assert.is((await request(server.httpPort, '/readyz')).status, 200);
    assert.is((await request(server.httpPort, '/status/json')).status, 200);
    tookMs = Math.min(tookMs, performance.now() - beganMs);
  }
  assert.ok(tookMs < 100, `took ${tookMs} ms`);
  const overHttp = await request(server.httpPort, '/status/json');
  const there = overHttp.json() as Document;
  const here = JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as Document;
  assert.is(there.health.status, 'unhealthy');
  assert.equal(
    there.health.issues.map(({ code }) => code),
    ['SHARD_STUCK', 'SHARD_STUCK'],
  );
  assert.equal(
    there.shards.map(({ state, executing }) => [state, executing?.command, executing?.client_id]),
    here.shards.map(({ state, executing }) => [state, executing?.command, executing?.client_id]),
  );
  assert.is(there.shards[0]?.executing?.client_id, id);
  assert.equal([there.clients, there.keyspace], [here.clients, here.keyspace]);
  await slept;
});

probes('are let in past a thousand connections that ask nothing', async () => {
  const server = await start();
  const client = await server.client();
  const sockets: net.Socket[] = [];
  for (let nth = 0; nth < 1_000; nth += 1) {
    const socket = net.connect(server.httpPort, '127.0.0.1');
    socket.on('error', () => undefined);
    // A socket that nobody reads never sees that the other side has closed it.
    socket.resume();
    socket.write('GET /healthz HTTP/1.1\r\nHost: half');
    sockets.push(socket);
  }
  for (let nth = 0; nth < 20; nth += 1) {
    const [answer, pong] = await Promise.all([
      request(server.httpPort, '/healthz'),
      client.call('PING'),
    ]);
    assert.equal([answer.status, pong], [200, 'PONG']);
  }
  const open = () => sockets.filter((socket) => !socket.closed).length;
  await until(() => open() <= 64, 'all but 64 are closed');
  for (const socket of sockets) socket.destroy();
});

/** What comes back for these bytes until the connection is closed. */
function talkRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(answer);
    });
    socket.write(text);
  });
}

probes('are not disturbed by what is no HTTP', async () => {
  const server = await start();
  const raw = (text: string) => talkRaw(server.httpPort, text);
  assert.match(await raw('*1\r\n$4\r\nPING\r\n\r\n'), /^HTTP\/1\.1 400 /);
  assert.match(await raw('GET / HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 400 /);
  const long = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
  assert.match(await raw(long), /^HTTP\/1\.1 431 /);
  const beganMs = performance.now();
  assert.match(await raw('GET /healthz HTTP/1.1\r\nHost: slow'), /^HTTP\/1\.1 408 /);
  assert.ok(performance.now() - beganMs < 15_000, 'whoever is slow is cut off');
  assert.is((await request(server.httpPort, '/healthz')).status, 200);
});

probes('have a port to themselves, or the server says why it does not start', async () => {
  const server = await start();
  const end = await runMain(
    ['--port', '0', '--set', 'http.enabled=true', '--http-port', String(server.httpPort)],
    {},
    server.folder,
  );
  assert.is(end.exitCode, 1);
  assert.match(
    end.stderr,
    /^svc: http: 127\.0\.0\.1:\d+ is in use; choose another with --http-port/,
  );
});

probes('warn at the start of who may come in', async () => {
  const warned = async (...sets: string[]): Promise<string> => {
    const args = ['http.bind=0.0.0.0', ...sets].flatMap((set) => ['--set', set]);
    const server = await start({ http: true, args });
    await server.stop();
    return server.stdout;
  };
  assert.match(await warned(), /ERROR main http-open-to-the-network /);
  assert.match(await warned('http.token=secret'), /WARN {2}main http-token-in-plaintext /);
});

probes.run();
