/**
 * `npm run dev [-- options]`: serves a change within seconds, and checks its types meanwhile.
 *
 * A changed source is transpiled alone, which takes milliseconds where the compiler, which checks what depends on it, takes
 * half a minute; then the server on configs/dev.toml restarts. The compiler watches beside it and prints its errors. A
 * change of the debug pages rebuilds them, and the server serves the new files as it is.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** An editor writes several files at once; one restart is enough. */
const SETTLE_MS = 100;

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const root = path.dirname(dist);
const compilerOptions = readCompilerOptions();
const serverArgs = [
  '--enable-source-maps',
  path.join(dist, 'packages/server/main.js'),
  ...['--config', path.join(root, 'configs/dev.toml')],
  ...process.argv.slice(2),
];

const changed = new Set<string>();
let server: ChildProcess | undefined;
let isStopping = false;
let settling: NodeJS.Timeout | undefined;

setHooks();
const checker = spawn(
  process.execPath,
  [tool('typescript/bin/tsc'), '--noEmit', '--watch', '--preserveWatchOutput'],
  { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
);
start();
for (const folder of ['packages', 'workers']) {
  watch(path.join(root, folder), { recursive: true }, (_, file) => {
    if (file === null || /\.test(-helper)?\.ts$/.test(file)) return;
    changed.add(path.join(folder, file));
    clearTimeout(settling);
    settling = setTimeout(serveChanges, SETTLE_MS);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);

function tool(name: string): string {
  return path.join(root, 'node_modules', name);
}

function readCompilerOptions(): ts.CompilerOptions {
  const text = readFileSync(path.join(root, 'tsconfig.json'), 'utf8');
  const { compilerOptions: options } = JSON.parse(text) as { compilerOptions: object };
  const { options: read } = ts.convertCompilerOptionsFromJson(options, root);
  // A file that is transpiled alone is not known to be a module by the package it lies in.
  return {
    ...read,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
}

/** Brings what has changed into the build, and has the server use it. */
function serveChanges(): void {
  const startedMs = performance.now();
  const files = [...changed].filter((file) => existsSync(path.join(root, file)));
  changed.clear();
  const pages = files.filter((file) => file.startsWith('packages/debug-ui/view/'));
  const sources = files.filter((file) => file.endsWith('.ts') && !pages.includes(file));
  for (const file of sources) transpile(file);
  const report = (what: string): void => {
    console.log(`${what} in ${(performance.now() - startedMs).toFixed(0)} ms`);
  };
  if (pages.length > 0) {
    const build = spawn(process.execPath, [path.join(root, 'scripts/build-ui.mjs'), '--quick'], {
      cwd: root,
      stdio: 'inherit',
    });
    build.on('exit', (code) => {
      report(code === 0 ? 'debug pages built' : 'debug pages not built');
    });
  }
  if (sources.length === 0) return;
  report(`${sources.length} files transpiled`);
  restart();
}

function transpile(file: string): void {
  const source = path.join(root, file);
  const target = path.join(dist, file.replace(/\.ts$/, '.js'));
  const { outputText, sourceMapText } = ts.transpileModule(readFileSync(source, 'utf8'), {
    fileName: source,
    compilerOptions: {
      ...compilerOptions,
      sourceRoot: path.relative(path.dirname(target), path.dirname(source)),
    },
  });
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, outputText);
  if (sourceMapText !== undefined) writeFileSync(`${target}.map`, sourceMapText);
}

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
  checker.kill();
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
