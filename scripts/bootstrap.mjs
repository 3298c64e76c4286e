/**
 * The one way in: `npm start`, `npm test` and the rest come through here, so that each of them works
 * as the only command after a fresh clone.
 *
 * It installs what is missing, builds what is stale, and then becomes the program asked for: in
 * this same process, so that signals and the exit code need no forwarding. When nothing is stale it
 * must cost next to nothing, hence plain JavaScript and no dependency.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withProgress } from './progress.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');
const installStamp = path.join(root, 'node_modules', '.install-stamp');
const buildStamp = path.join(dist, '.build-stamp');
const sourceFolders = ['packages', 'workers', 'scripts', 'bench'];
const uiFolder = 'packages/debug-ui/';
const serverBuild = [
  'scripts/build-server.mjs',
  'scripts/code-caches.mjs',
  'configs/tools/vite-server.config.js',
];

/** Interval at which a server that npm started looks for npm, in milliseconds. */
const PARENT_CHECK_MS = 1_000;

const programs = {
  start: 'bundle/server/main.js',
  dev: 'scripts/dev.js',
  cluster: 'scripts/cluster/try-out.js',
  test: 'scripts/test.js',
  check: 'scripts/check.js',
  bench: 'scripts/bench.js',
  differential: 'scripts/differential.js',
  generate: 'scripts/generate.js',
  tidy: 'scripts/tidy.js',
  package: 'scripts/package/package.js',
  'package:deb': 'scripts/package/debian.js',
};

/** The sources below a folder, relative to the root, in a fixed order: TypeScript, and all of the debug pages. */
function sources(folder, found = []) {
  const absolute = path.join(root, folder);
  if (!existsSync(absolute)) return found;
  for (const entry of readdirSync(absolute, { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) sources(name, found);
    else if (name.endsWith('.ts') || name.startsWith(uiFolder)) found.push(name);
  }
  return found.sort();
}

// Path, time and size of every source, rather than the newest time alone: a removed file, a file
// moved with its old time, and a checkout of an older commit are changes too.
function sourceFingerprint() {
  const hash = createHash('sha256');
  const settings = [
    ...['package.json', 'tsconfig.json', 'scripts/dist-package.mjs', 'scripts/build-ui.mjs'],
    ...['configs/tools/vite.config.js', ...serverBuild],
  ];
  const inputs = [...sourceFolders.flatMap((folder) => sources(folder)), ...settings];
  for (const name of inputs) {
    const { mtimeMs, size } = statSync(path.join(root, name));
    hash.update(`${name} ${mtimeMs} ${size}\n`);
  }
  return hash.update(lockFingerprint()).digest('hex');
}

/** Returns a fingerprint of what is to be installed. The rest of package.json may change without an install. */
function lockFingerprint() {
  const wanted = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const lock = path.join(root, 'package-lock.json');
  const hash = createHash('sha256');
  hash.update(JSON.stringify([wanted.dependencies, wanted.devDependencies]));
  if (existsSync(lock)) hash.update(readFileSync(lock));
  return hash.digest('hex');
}

function stampHolds(file, fingerprint) {
  return existsSync(file) && readFileSync(file, 'utf8') === fingerprint;
}

function isInstalled() {
  if (stampHolds(installStamp, lockFingerprint())) return true;
  // An install made by hand leaves npm's own record, which is as good when it is the newer file.
  const record = path.join(root, 'node_modules', '.package-lock.json');
  const lock = path.join(root, 'package-lock.json');
  if (existsSync(installStamp) || !existsSync(record) || !existsSync(lock)) return false;
  return statSync(record).mtimeMs >= statSync(lock).mtimeMs;
}

function isBuilt() {
  return stampHolds(buildStamp, sourceFingerprint());
}

/** Runs a program; what it prints goes to stderr, because stdout belongs to the program asked for. */
function run(program, args, doing) {
  return withProgress(spawn(program, args, { cwd: root, stdio: ['ignore', 2, 2] }), doing);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

async function install() {
  const doing = 'installing dependencies';
  // `npm install` and not `npm ci`, which refuses a lock file that lacks packages of other
  // platforms; the versions are pinned either way. The compiler is a development dependency.
  const args = ['install', '--no-audit', '--no-fund', '--include=dev'];
  const npm = process.env.npm_execpath;
  const ok = npm?.endsWith('.js')
    ? await run(process.execPath, [npm, ...args], doing)
    : await run('npm', args, doing);
  if (!ok) fail('npm install failed, see above');
  writeFileSync(installStamp, lockFingerprint());
}

async function build() {
  const startedMs = performance.now();
  const fingerprint = sourceFingerprint();
  // Whatever this build leaves behind if it fails, it is not what the stamp stands for.
  rmSync(buildStamp, { force: true });
  const steps = [
    ['compiling', 'node_modules/typescript/bin/tsc'],
    ['naming what was compiled', 'scripts/dist-package.mjs'],
    ['bundling the server', serverBuild[0]],
    // It looks for itself whether the pages have changed: they seldom do.
    ['building the debug pages', 'scripts/build-ui.mjs'],
  ];
  for (const [index, [doing, ...args]] of steps.entries()) {
    const step = `building, ${index + 1} of ${steps.length}: ${doing}`;
    if (!(await run(process.execPath, args, step))) fail('the build failed, see above');
  }
  for (const folder of sourceFolders) removeOrphans(folder);
  writeFileSync(buildStamp, fingerprint);
  process.stderr.write(`built in ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`);
}

/** Deletes outputs whose source is gone: a test that no longer exists must not keep running. */
function removeOrphans(folder) {
  const absolute = path.join(dist, folder);
  if (!existsSync(absolute)) return;
  for (const entry of readdirSync(absolute, { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    const source = name.replace(/\.js(\.map)?$/, '.ts');
    if (entry.isDirectory()) removeOrphans(name);
    else if (source !== name && !existsSync(path.join(root, source))) rmSync(path.join(dist, name));
  }
  if (readdirSync(absolute).length === 0) rmSync(absolute, { recursive: true });
}

async function makeReady() {
  if (isInstalled() && isBuilt()) return;
  const { withLock } = await import('./build-lock.mjs');
  // Asked again inside: whoever held the lock has probably done the work.
  await withLock(path.join(dist, '.lock'), async () => {
    if (!isInstalled()) await install();
    if (!isBuilt()) await build();
  });
}

/**
 * Shuts the server down when npm, which started it, has ended: npm passes SIGINT and SIGTERM on, but a SIGHUP or SIGKILL
 * ends it alone, and the server would keep the port and the data folder.
 */
function endWithParent() {
  if (process.env['npm_lifecycle_event'] !== 'start') return;
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS).unref();
}

const [word = 'start', ...args] = process.argv.slice(2);
const program = Object.hasOwn(programs, word) ? path.join(dist, programs[word]) : undefined;
if (program === undefined) fail(`unknown program '${word}': ${Object.keys(programs).join(', ')}`);
await makeReady();
// Stack traces name the sources everywhere but in the server, where loading the maps would be paid
// at every start; `node --enable-source-maps` gives them there too.
if (word !== 'start') process.setSourceMapsEnabled(true);
process.argv = [process.execPath, program, ...args];
if (word === 'start') endWithParent();
await import(pathToFileURL(program).href);
