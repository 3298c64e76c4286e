/**
 * `npm run dev [-- options]`: compiles on every change, and restarts a server on configs/dev.toml.
 *
 * It watches what was compiled, not what was loaded: Node's own --watch does not notice a change in
 * a file that only a worker thread has loaded.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The compiler writes many files at once; one restart is enough. */
const SETTLE_MS = 200;

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const root = path.dirname(dist);
const serverArgs = [
  '--enable-source-maps',
  path.join(dist, 'packages/server/main.js'),
  ...['--config', path.join(root, 'configs/dev.toml')],
  ...process.argv.slice(2),
];

let server: ChildProcess | undefined;
let isStopping = false;
let settling: NodeJS.Timeout | undefined;

setHooks();
const compiler = spawn(
  process.execPath,
  [path.join(root, 'node_modules/typescript/bin/tsc'), '--watch', '--preserveWatchOutput'],
  { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
);
start();
watch(dist, { recursive: true }, (_, file) => {
  if (file === null || !file.endsWith('.js') || file.endsWith('.test.js')) return;
  clearTimeout(settling);
  settling = setTimeout(restart, SETTLE_MS);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);

function start(): void {
  const child = spawn(process.execPath, serverArgs, { cwd: root, stdio: 'inherit' });
  server = child;
  child.on('exit', (exitCode) => {
    if (server === child) server = undefined;
    if (isStopping) process.exit(0);
    if (exitCode !== 0) console.log(`the server ended with ${exitCode ?? 'a signal'}`);
  });
}

function restart(): void {
  if (server === undefined) {
    start();
    return;
  }
  server.once('exit', start);
  server.kill('SIGTERM');
}

function stop(): void {
  isStopping = true;
  compiler.kill();
  if (server === undefined) process.exit(0);
  server.kill('SIGTERM');
}

/** Points git at the repository's hooks, on first use; a choice made before is kept. */
function setHooks(): void {
  const git = (...args: string[]): string =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
  if (git('rev-parse', '--show-toplevel') !== root || git('config', 'core.hooksPath') !== '')
    return;
  git('config', 'core.hooksPath', 'scripts/hooks');
  console.log('git now runs scripts/hooks before a commit');
}
