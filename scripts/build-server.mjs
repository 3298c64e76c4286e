/**
 * Bundles the server: a program for each thread, and V8's code caches beside them.
 *
 * A code cache holds the bytecode of what has run. A server is started, asked what servers are asked first, and writes the
 * caches; where it does not, threads compile what they load.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { serverBuild } from '../configs/tools/vite-server.config.js';

const target = fileURLToPath(new URL('../dist/bundle/server/', import.meta.url));

/** Programs of the threads, which are loaded with a code cache. */
const programs = {
  main: 'packages/server/main.js',
  shard: 'workers/shard.js',
  front: 'workers/front.js',
  ops: 'workers/ops.js',
  disk: 'workers/disk.js',
  tier: 'workers/tier.js',
};

/** What is loaded by Node, since it runs seldom or first of all. */
const others = {
  'load-program': 'packages/server/load-program.js',
  'tasks/bundle': 'workers/tasks/bundle.js',
  'tasks/redistribute': 'workers/tasks/redistribute.js',
  'tasks/split-snapshot': 'workers/tasks/split-snapshot.js',
  'tasks/latency-test': 'workers/tasks/latency-test.js',
  'tasks/name-positions': 'workers/tasks/name-positions.js',
};

/** Time after which a server that writes caches is ended, in milliseconds. */
const TRAINING_MS_MAX = 60_000;
/** Interval at which it is asked whether it serves, in milliseconds. */
const POLL_MS = 50;

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
writeFileSync(path.join(target, 'package.json'), '{ "type": "commonjs" }\n');
for (const [name, file] of Object.entries(programs)) {
  await build(serverBuild({ [`${name}.program`]: file }, name));
  const first = name === 'main' ? '#!/usr/bin/env node\n' : '';
  const text = `${first}'use strict';\nrequire('./load-program.js').loadProgram(__dirname, '${name}');\n`;
  writeFileSync(path.join(target, `${name}.js`), text);
}
await build(serverBuild(others, 'task'));
await writeCodeCaches();

async function writeCodeCaches() {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-build-'));
  const port = await freePort();
  const httpPort = await freePort();
  const server = spawn(
    process.execPath,
    [
      path.join(target, 'main.js'),
      ...['--port', String(port), '--http-port', String(httpPort)],
      ...['--data-dir', path.join(folder, 'data')],
      ...['--set', 'server.front-threads=1'],
    ],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '', SVC_WRITE_CODE_CACHE: '1' },
    },
  );
  const ended = new Promise((resolve) => server.once('close', resolve));
  const insist = setTimeout(() => server.kill('SIGKILL'), TRAINING_MS_MAX);
  const isRunning = () => server.exitCode === null && server.signalCode === null;
  while (isRunning() && !(await serves(port))) await pause(POLL_MS);
  for (const page of ['metrics', 'status', 'healthz', 'readyz']) {
    if (isRunning()) await fetch(`http://127.0.0.1:${httpPort}/${page}`).catch(() => undefined);
  }
  // The ops thread is ended with the process: what it has written before the pages were asked for does not count.
  const askedAtMs = Date.now();
  const written = path.join(target, 'ops.program.js.cache');
  while (isRunning() && !(existsSync(written) && statSync(written).mtimeMs > askedAtMs)) {
    await pause(POLL_MS);
  }
  server.kill('SIGTERM');
  await ended;
  clearTimeout(insist);
  rmSync(folder, { recursive: true, force: true });
  if (!existsSync(path.join(target, 'shard.program.js.cache'))) {
    process.stderr.write('no code caches were written: the server will start more slowly\n');
  }
}

/** True when a server at the port has answered a few commands. */
function serves(port) {
  const commands = ['PING', 'SET key value', 'GET key', 'INFO', 'MULTI', 'INCR n', 'EXEC', 'DEL n'];
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () =>
      socket.end(commands.map((command) => `${command}\r\n`).join('')),
    );
    socket.on('data', () => undefined);
    socket.once('error', () => resolve(false));
    socket.once('end', () => resolve(true));
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
