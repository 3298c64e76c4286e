/**
 * `npm run package`: writes what is published, `dist/package`, and packs it as `dist/svc-server-<version>.tgz`; into another
 * folder than dist if it is given. With `--folder-only` it packs nothing: `npm pack` in the root does so before it packs the folder.
 *
 * It has what was built only, as deep in its folder as in the source tree, since files beside a module are found by relative
 * paths. The same commit gives the same bytes: the build time is SOURCE_DATE_EPOCH, otherwise the time of the commit. Without a
 * repository, SVC_COMMIT names the commit.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { minifySync } from 'vite';
import { compositionOf, type Installed } from './components.ts';
import { billOfMaterials, thirdPartyLicenses, type BuildFacts } from './documents.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const words = process.argv.slice(2);
const packsNothing = words.includes('--folder-only');
const [given] = words.filter((word) => !word.startsWith('--'));
const folder = path.resolve(given ?? path.join(root, 'dist'));
const target = path.join(folder, 'package');

/** Limits of the package, so that it does not grow unnoticed. */
const PACKED_BYTES_MAX = 3_000_000;
const UNPACKED_BYTES_MAX = 12_000_000;
const FILES_MAX = 200;

const EXECUTABLE = 'dist/bundle/server/main.js';
const MANUAL = 'man/svc-server.1';
const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'LICENSE', 'configs/server.toml'];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
}

function gitLine(...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined; // An archive of the sources, or no git.
  }
}

/** Returns the facts of this build. */
function buildFacts({ name, version, license }: Manifest): BuildFacts {
  const commit = gitLine('rev-parse', 'HEAD') ?? process.env['SVC_COMMIT'] ?? 'unknown';
  const changes = gitLine('status', '--porcelain', '--untracked-files=no') ?? '';
  const seconds =
    process.env['SOURCE_DATE_EPOCH'] ??
    gitLine('log', '-1', '--format=%ct') ??
    String(Math.floor(Date.now() / 1_000));
  const date = new Date(Number(seconds) * 1_000);
  if (Number.isNaN(date.getTime())) throw new Error(`SOURCE_DATE_EPOCH is no number: ${seconds}`);
  return {
    name,
    version,
    license,
    commit: changes === '' ? commit : `${commit}-modified`,
    time: date.toISOString().replace('.000Z', 'Z'),
  };
}

function write(name: string, text: string): void {
  const file = path.join(target, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/**
 * Writes the bundle without comments and with short names of local variables. Names of functions and classes stay, since
 * profiles and stack traces show them. Code caches are left out: they hold for one version of V8.
 */
function writeBundle(): void {
  const source = path.join(root, 'dist/bundle/server');
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('package.json')) {
      write(`dist/bundle/server/${name}`, readFileSync(path.join(source, name), 'utf8'));
    }
    if (!name.endsWith('.js')) continue;
    const text = readFileSync(path.join(source, name), 'utf8');
    write(`dist/bundle/server/${name}`, minified(name, text));
  }
  chmodSync(path.join(target, EXECUTABLE), 0o755);
}

function minified(name: string, text: string): string {
  const { code, errors } = minifySync(name, text.replace(/^#!.*\n/, ''), {
    module: false,
    compress: true,
    mangle: { toplevel: false, keepNames: true },
  });
  if (errors.length > 0) throw new Error(`${name} cannot be minified: ${errors[0]!.message}`);
  // Programs are read as one byte a character.
  const ascii = code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${/^#!.*\n/.exec(text)?.[0] ?? ''}${ascii}`;
}

function writeManifest(manifest: Manifest, facts: BuildFacts, installed: Installed): void {
  const { name, version, description, license, engines } = manifest;
  const published = {
    name,
    version,
    description,
    license,
    engines,
    type: 'module',
    os: ['linux', 'darwin'],
    bin: { 'svc-server': EXECUTABLE },
    man: `./${MANUAL}`,
    build: { commit: facts.commit, time: facts.time },
    dependencies: installed.dependencies,
    optionalDependencies: installed.optionalDependencies,
  };
  write('package.json', `${JSON.stringify(published, null, 2)}\n`);
}

/** Packs the folder; returns the archive and what npm reports of it. */
function pack(): { filename: string; size: number; unpackedSize: number; entryCount: number } {
  const args = ['pack', target, '--pack-destination', folder, '--json'];
  const output = execFileSync('npm', args, {
    cwd: target,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const report = JSON.parse(output) as
    readonly ReturnType<typeof pack>[] | Readonly<Record<string, ReturnType<typeof pack>>>;
  return Object.values(report)[0]!;
}

function main(): void {
  rmSync(target, { recursive: true, force: true });
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
  const facts = buildFacts(manifest);
  const { components, ...installed } = compositionOf(root);
  writeBundle();
  cpSync(path.join(root, 'dist/debug-ui'), path.join(target, 'dist/debug-ui'), { recursive: true });
  for (const name of DOCUMENTS) {
    mkdirSync(path.dirname(path.join(target, name)), { recursive: true });
    cpSync(path.join(root, name), path.join(target, name));
  }
  writeManifest(manifest, facts, installed);
  // The program prints it; it finds the facts of the build in what was written before.
  const manual = execFileSync(process.execPath, [path.join(target, EXECUTABLE), 'man']);
  write(MANUAL, manual.toString());
  write('sbom.cdx.json', billOfMaterials(facts, components));
  write('THIRD-PARTY-LICENSES', thirdPartyLicenses(components));
  if (packsNothing) return;
  const { filename, size, unpackedSize, entryCount } = pack();
  const file = path.join(path.relative(process.cwd(), folder), path.basename(filename));
  if (size > PACKED_BYTES_MAX || unpackedSize > UNPACKED_BYTES_MAX || entryCount > FILES_MAX) {
    throw new Error(
      `${file} is too large: ${size} bytes packed, ${unpackedSize} unpacked, ${entryCount} files; allowed are ${PACKED_BYTES_MAX}, ${UNPACKED_BYTES_MAX} and ${FILES_MAX}`,
    );
  }
  const bytes = statSync(path.join(folder, path.basename(filename))).size;
  process.stdout.write(`${file}: ${bytes} bytes, ${unpackedSize} unpacked, ${entryCount} files\n`);
}

main();
