/** Output of a start, and how little must be loaded for it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, mainFile, request, RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const start = suite('start');

/** Returns the modules that a thread's program holds before its first line runs, and those of Node that it loads. */
function loadedWith(thread: string): readonly string[] {
  const folder = path.dirname(mainFile);
  const files = new Set([`./${thread}.program.js`]);
  const found: string[] = [];
  for (const file of files) {
    const text = readFileSync(path.join(folder, file), 'utf8');
    for (const [, module = ''] of text.matchAll(/^\/\/ (dist\/\S+|node_modules\/\S+)$/gm)) {
      found.push(module);
    }
    for (const [, name = ''] of text.matchAll(/^(?:const|let|var) .*require\("([^"]+)"\);$/gm)) {
      if (name.startsWith('./')) files.add(name);
      else found.push(name);
    }
  }
  return found;
}

start('the ops thread begins without commands, metrics, or packages of others', () => {
  const loaded = loadedWith('ops');
  assert.ok(
    loaded.some((name) => name.startsWith('dist/packages/link/')),
    loaded.join(),
  );
  const heavy =
    /node_modules|packages\/(commands|store)\/|views\/metrics|metric-sender|log-file|deferred-routes/;
  assert.equal(
    loaded.filter((name) => heavy.test(name)),
    [],
  );
});

start('threads take the code that the build has compiled', () => {
  const loader = path.join(path.dirname(mainFile), 'load-program.js');
  const script = `
    const { compileProgram, setV8Flags } = require(${JSON.stringify(loader)});
    setV8Flags();
    const isRejected = (file) => compileProgram(file).cachedDataRejected;
    process.stdout.write(JSON.stringify(process.argv.slice(1).map(isRejected)));
  `;
  const files = ['main.program.js', 'main-program.js', 'shard.program.js', 'ops.program.js'];
  const paths = files.map((name) => path.join(path.dirname(mainFile), name));
  const { stdout } = spawnSync(process.execPath, ['-e', script, ...paths], { encoding: 'utf8' });
  assert.equal(JSON.parse(stdout), [false, false, false, false]);
});

start('main loads nothing before the ops thread is on its way', () => {
  assert.equal(
    loadedWith('main').filter((name) => !name.startsWith('node:')),
    [
      'dist/workers/urls.js',
      'dist/packages/main/threads/ops-worker.js',
      'dist/packages/server/v8-flags.js',
      'dist/packages/server/main.js',
    ],
  );
});

start('its lines are told in the order of what has happened', async () => {
  const server = await startServer({
    http: true,
    args: ['--set', 'logging.level=debug'],
  });
  await until(() => server.stdout.includes('svc is ready'), 'the start is told of');
  const events = [...server.stdout.matchAll(/^\S+ [A-Z]+ +(?:main|ops) (\S+)/gm)].map(
    ([, event]) => event,
  );
  const times = [...server.stdout.matchAll(/^(\S+Z) [A-Z]+ +main /gm)].map(([, time]) => time!);
  assert.equal(times, times.toSorted());
  assert.ok(events.indexOf('http-listening') < events.indexOf('started'), events.join());
  assert.match(server.stdout, `clients at 127.0.0.1:${String(server.port)}`);
  await server.stop();
});

start('the summary names no port for the pages that the system is to choose', async () => {
  const server = await startServer({ args: ['--set', 'http.enabled=yes', '--set', 'http.port=0'] });
  await until(() => server.stdout.includes('svc is ready'), 'the summary is logged');
  assert.match(server.stdout, /HTTP listening on http:\/\/127\.0\.0\.1:[1-9]/);
  assert.not.match(server.stdout, 'pages at');
  await server.stop();
});

/** Holds the ops thread, the only one that is given no data when it is made, until a file is there. */
const HOLDING = `
  import { existsSync } from 'node:fs';
  import { isMainThread, workerData } from 'node:worker_threads';
  const words = new Int32Array(new SharedArrayBuffer(4));
  const isHeld = () => !existsSync(process.env.TEST_GATE);
  if (!isMainThread && workerData === undefined) while (isHeld()) Atomics.wait(words, 0, 0, 5);
`;

start('no client is let in before HTTP is listened for', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-test-'));
  const gate = path.join(folder, 'gate');
  const holding = path.join(folder, 'holding.mjs');
  writeFileSync(holding, HOLDING);
  const port = await freePort();
  const httpPort = await freePort(port);
  const ports = ['--port', String(port), '--http-port', String(httpPort), '--shards', '1'];
  const child = spawn(process.execPath, ['--import', holding, mainFile, ...ports], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, TEST_GATE: gate },
  });
  const ended = once(child, 'exit');
  const isServed = async (): Promise<boolean> => {
    const client = await RespClient.connect({ port }).catch(() => undefined);
    const answer = await client?.reply('PING');
    await client?.end();
    return answer === 'PONG';
  };
  try {
    // By then everything else that a start waits for is there.
    const log = path.join(folder, 'svc-data/log/shard-0');
    await until(() => existsSync(log) && readdirSync(log).length > 0, 'the log is begun');
    assert.is(await isServed(), false);
    writeFileSync(gate, '');
    await until(isServed, 'clients are served');
    assert.is((await request(httpPort, '/health/live')).status, 200);
  } finally {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  }
});

/** Has the ops thread fail before it knows what it is to do. */
const FAILING = `
  import { isMainThread, workerData } from 'node:worker_threads';
  if (!isMainThread && workerData === undefined) throw new Error('arranged by a test');
`;

start('a server whose ops thread dies serves on, and tells so on standard error', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-test-'));
  const preload = path.join(folder, 'failing.mjs');
  writeFileSync(preload, FAILING);
  const server = await startServer({ environment: { NODE_OPTIONS: `--import ${preload}` } });
  const client = await server.client();
  assert.is(await client.call('SET', 'k', 'v'), 'OK');
  const { exitCode } = await server.shutDown();
  assert.is(exitCode, 0);
  assert.match(server.stderr, /svc: ops thread died: Error: arranged by a test/);
  assert.match(server.stderr, /svc: info main started svc is ready/);
  assert.match(server.stderr, /svc: info main stopped svc has stopped/);
  rmSync(folder, { recursive: true });
});

start.run();
