/** Probes from the start of the process to the end of draining, and a server that is stuck. */
// test-tier: long
import { once } from 'node:events';
import net from 'node:net';
import {
  type ChildServer,
  request,
  type ServerOptions,
  startServer,
  textOf,
  until,
  untilShardsSleep,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from '../process/main-process.ts';

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
  const other = await server.client();
  const slept = client.call('DEBUG', 'SLEEP', '2');
  await untilShardsSleep(other);
  server.signal('SIGTERM');
  await until(async () => (await get('/readyz'))[0] === 503, 'it drains');
  const message = 'the server is stopping';
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
  interface Document {
    health: { status: string; issues: { code: string; message: string }[] };
    shards: { state: string; executing: { command: string; client_id: number } | null }[];
    clients: unknown;
    keyspace: unknown;
  }
  const status = async (): Promise<Document> =>
    (await request(server.httpPort, '/status/json')).json() as Document;
  await until(
    async () => (await status()).health.issues.length === 2,
    'both shards are taken for stuck',
  );
  // The best of a few: the machine may have more to do than this.
  let tookMs = Infinity;
  for (let nth = 0; nth < 5; nth += 1) {
    const beganMs = performance.now();
    assert.is((await request(server.httpPort, '/readyz')).status, 200);
    assert.is((await request(server.httpPort, '/status/json')).status, 200);
    tookMs = Math.min(tookMs, performance.now() - beganMs);
  }
  assert.ok(tookMs < 100, `took ${tookMs} ms`);
  const there = await status();
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

interface HealthDocument {
  health: { status: string; issues: { severity: string; code: string; message: string }[] };
}

probes('and the status tell that main stands still, and over what', async () => {
  const args = ['--set', 'status.main-stuck-liveness-secs=3', '--set', 'server.hz=1'];
  const server = await start({ http: true, shards: 2, args });
  const get = (path: string) => request(server.httpPort, path);
  const health = async () => ((await get('/status/json')).json() as HealthDocument).health;
  const client = await server.client();
  const id = (await client.call('CLIENT', 'ID')) as number;
  assert.is((await health()).status, 'healthy');
  const frozen = client.call('DEBUG', 'MAIN-SLEEP', 7);
  await until(async () => (await get('/readyz')).status === 503, 'it is not ready');
  assert.is((await get('/health/live')).status, 200, 'it is given time');
  const { status, issues } = await health();
  assert.is(status, 'unhealthy');
  assert.equal(
    issues.map(({ severity, code }) => [severity, code]),
    [['critical', 'MAIN_STUCK']],
  );
  const doing = new RegExp(`^main has been running debug\\|main-sleep of client ${id} for \\d`);
  assert.match(issues[0]!.message, doing);
  let tookMs = Infinity;
  for (let nth = 0; nth < 5; nth += 1) {
    const beganMs = performance.now();
    await health();
    tookMs = Math.min(tookMs, performance.now() - beganMs);
  }
  assert.ok(tookMs < 50, `took ${tookMs} ms`);
  await until(async () => (await get('/health/live')).status === 503, 'it is not alive');
  for (const path of ['/health/live', '/healthz', '/health/ready', '/readyz']) {
    const answer = await get(path);
    assert.is(answer.status, 503, path);
    const body = answer.json() as { status: string; message: string };
    assert.is(body.status, 'not_ready');
    assert.match(body.message, doing);
  }
  const verbose = (await get('/readyz?verbose')).text;
  assert.match(
    verbose,
    /^\[\+\]ping ok\n\[\+\]startup ok\n\[\+\]shutdown ok\n\[-\]main failed: main has/,
  );
  assert.is((await get('/readyz?exclude=main')).status, 200);
  assert.is(await frozen, 'OK');
  await until(async () => (await health()).status === 'healthy', 'it goes on');
  assert.is((await get('/health/live')).status, 200);
  const here = JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as HealthDocument;
  assert.equal([here.health.status, here.health.issues], ['healthy', []]);
  await until(() => server.stdout.includes('main-resumed'), 'the log says so');
  assert.is(server.stdout.match(/ERROR ops main-stuck main has been running/g)?.length, 1);
});

probes('never take an idle main for one that stands still', async () => {
  const server = await start({ http: true, args: ['--set', 'server.hz=1'] });
  const isOld = async (): Promise<boolean> => {
    assert.is((await request(server.httpPort, '/readyz')).status, 200);
    const status = (await request(server.httpPort, '/status/json')).json();
    return (status as { frogdb: { uptime_secs: number } }).frogdb.uptime_secs >= 4;
  };
  await until(isOld, 'it has been up for a while');
});

/** Opens connections that send these bytes, and read no more than the beginning of the answer: then all are at work. */
function occupy(port: number, count: number, text: string): Promise<net.Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(text);
      await once(socket, 'readable');
      return socket;
    }),
  );
}

probes('are let in past bodies that do not come, which are no fault of the server', async () => {
  const server = await start();
  const half =
    'POST /debug/login HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\ntoken=';
  const occupied = await occupy(server.httpPort, 64, half);
  for (let nth = 0; nth < 100; nth += 1) {
    assert.is((await request(server.httpPort, '/healthz')).status, 200);
  }
  for (const socket of occupied) socket.destroy();
  await until(async () => {
    const { text: metrics } = await request(server.httpPort, '/metrics');
    return /^svc_http_connections 1$/m.test(metrics);
  }, 'they are gone');
  assert.not.match(server.stdout + server.stderr, /ERROR|http-failed/);
});

probes('are let in past requests that never end, and come again when they are closed', async () => {
  const server = await start();
  const sockets = new Set<net.Socket>();
  let isOver = false;
  let refusals = 0;
  const ask = (): void => {
    const socket = net.connect(server.httpPort, '127.0.0.1');
    sockets.add(socket);
    socket.write('POST /debug/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n');
    socket.on('data', (chunk) => {
      if (chunk.toString().startsWith('HTTP/1.1 503')) refusals += 1;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (!isOver) setTimeout(ask, 20);
    });
  };
  for (let nth = 0; nth < 80; nth += 1) ask();
  await until(() => refusals > 0, 'there are more of them than places');
  for (let nth = 0; nth < 30; nth += 1) {
    assert.is((await request(server.httpPort, '/health/live')).status, 200);
  }
  isOver = true;
  for (const socket of sockets) socket.destroy();
});

probes('are let in past a thousand connections that ask nothing', async () => {
  const server = await start();
  const client = await server.client();
  const sockets: net.Socket[] = [];
  for (let nth = 0; nth < 1_000; nth += 1) {
    const socket = net.connect(server.httpPort, '127.0.0.1');
    socket.on('error', () => undefined);
    // A socket that is not read never notices that the other side has closed it.
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

/** Sends bytes, and returns what comes back until the connection is closed. */
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
  const problem = /^svc: http: 127\.0\.0\.1:\d+ is in use; choose another with --http-port/;
  assert.match(end.stderr, problem);
  // The shards begin meanwhile, and read what there is.
  const data = ['--set', 'persistence.enabled=true', '--data-dir', 'of-another'];
  const ports = ['--port', '0', '--set', 'http.enabled=true', '--http-port', `${server.httpPort}`];
  const durable = await runMain([...ports, ...data], {}, server.folder);
  assert.is(durable.exitCode, 1);
  assert.match(durable.stderr, problem);
  assert.not.match(durable.stdout, ' died');
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
