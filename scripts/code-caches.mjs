/**
 * Writes V8's code caches beside the programs of a bundle: `node scripts/code-caches.mjs FOLDER`.
 *
 * A code cache holds the bytecode of what has run, for one version of V8. A server is started, asked what servers are asked
 * first, and writes the caches; where it does not, threads compile what they load.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** Time after which a server that writes caches is ended, in milliseconds. */
const TRAINING_MS_MAX = 60_000;
/** Interval at which it is asked whether it serves, in milliseconds. */
const POLL_MS = 50;

/** Writes them; prints a line where that has failed. */
export async function writeCodeCaches(target) {
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

const [, program = '', folder] = process.argv;
if (import.meta.url === pathToFileURL(program).href && folder !== undefined) {
  await writeCodeCaches(path.resolve(folder));
}
