/**
 * Builds the debug pages into dist/debug-ui, when their sources have changed since they were built.
 *
 * Checks their types first: Vite only strips them. With `--quick`, for `npm run dev`, types are not checked and files are
 * compressed with less care; the next build does both.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** The pages, and the types of what they read. */
const sources = ['debug-ui', 'api-types'].map((name) => path.join(root, 'packages', name));
const stamp = path.join(root, 'dist', '.ui-stamp');
const page = path.join(root, 'dist', 'debug-ui', 'index.html');
const settings = [
  'scripts/build-ui.mjs',
  'tsconfig.json',
  'configs/tools/vite.config.js',
  'package-lock.json',
];

/** Contents rather than times: they are few, and a checkout that changes nothing should build nothing. */
function fingerprint() {
  const hash = createHash('sha256');
  const files = sources
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.test\.ts$|\.md$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  for (const file of [...files.sort(), ...settings.map((name) => path.join(root, name))]) {
    hash.update(`${path.relative(root, file)}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

const isQuick = process.argv.includes('--quick');
const brotli = isQuick ? { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } } : {};

/** Bytes up to which a file fits one packet with its header, so that a smaller one saves nothing. */
const PACKET_BYTES = 1_024;

/** Compresses all larger files once, as small as can be: the server sends these as they are. */
function compress(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const content = readFileSync(file);
    if (content.length <= PACKET_BYTES) continue;
    writeFileSync(`${file}.br`, brotliCompressSync(content, brotli));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: isQuick ? 1 : 9 }));
  }
}

const wanted = fingerprint();
const isBuilt = existsSync(page) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
if (!isBuilt) {
  rmSync(stamp, { force: true });
  if (!isQuick) run('node_modules/typescript/bin/tsc', '-p', 'packages/debug-ui');
  run('node_modules/vite/bin/vite.js', 'build', '-c', 'configs/tools/vite.config.js');
  compress(path.dirname(page));
  mkdirSync(path.dirname(stamp), { recursive: true });
  if (!isQuick) writeFileSync(stamp, wanted);
}
