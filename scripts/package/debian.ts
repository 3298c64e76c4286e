/**
 * `npm run package:deb`: writes `dist/svc-server_<version>_<architecture>.deb`; into another folder than dist if it is given.
 *
 * It is what npm installs of the package, for the processor of this machine, with the unit of systemd, a user and a
 * configuration. Node is a dependency: it comes from Debian 13 on, or from NodeSource.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const folder = path.resolve(process.argv[2] ?? path.join(root, 'dist'));
const build = mkdtempSync(path.join(tmpdir(), 'svc-deb-'));
const tree = path.join(build, 'tree');

const HOME = 'usr/lib/svc-server';
const DOCUMENTS = 'usr/share/doc/svc-server';
const CONFIGURATION = 'etc/svc/svc.toml';

/** Names of processors as Debian has them. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly build: { readonly time: string };
}

/** Installs the npm package without scripts, and moves it into the tree. */
function installPackage(): Manifest {
  const program = path.join(root, 'dist/scripts/package/package.js');
  execFileSync(process.execPath, [program, build], { stdio: ['ignore', 'ignore', 'inherit'] });
  const archive = readdirSync(build).find((name) => name.endsWith('.tgz'))!;
  const installed = path.join(build, 'installed');
  const args = ['install', '--prefix', installed, '--ignore-scripts', '--prefer-offline'];
  execFileSync('npm', [...args, '--no-audit', '--no-fund', path.join(build, archive)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const modules = path.join(installed, 'node_modules');
  const target = path.join(tree, HOME);
  cpSync(path.join(modules, 'svc-server'), target, { recursive: true });
  const others = readdirSync(modules).filter((name) => !/^\.|^svc-server$/.test(name));
  for (const name of others) {
    cpSync(path.join(modules, name), path.join(target, 'node_modules', name), { recursive: true });
  }
  return JSON.parse(readFileSync(path.join(target, 'package.json'), 'utf8')) as Manifest;
}

/** Copies a file into the tree. */
function place(source: string, target: string): void {
  const file = path.join(tree, target);
  mkdirSync(path.dirname(file), { recursive: true });
  cpSync(path.join(root, source), file);
}

function placeFiles(): void {
  place('configs/systemd/svc-server.service', 'usr/lib/systemd/system/svc-server.service');
  place('configs/systemd/svc-server.tmpfiles.conf', 'usr/lib/tmpfiles.d/svc-server.conf');
  place('configs/debian/svc.toml', CONFIGURATION);
  place('configs/server.toml', `${DOCUMENTS}/server.toml`);
  place('README.md', `${DOCUMENTS}/README.md`);
  place('CHANGELOG.md', `${DOCUMENTS}/CHANGELOG.md`);
  const licences = [path.join(root, 'LICENSE'), path.join(tree, HOME, 'THIRD-PARTY-LICENSES')];
  const texts = licences.map((file) => readFileSync(file, 'utf8'));
  writeFileSync(path.join(tree, DOCUMENTS, 'copyright'), texts.join('\n'));
  mkdirSync(path.join(tree, 'usr/bin'));
  const program = `../${path.relative('usr', HOME)}/dist/bundle/server/main.js`;
  symlinkSync(program, path.join(tree, 'usr/bin/svc-server'));
}

/** Gives files and folders the rights that Debian demands; returns the bytes of all files. */
function settle(place: string): number {
  let bytes = 0;
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    const file = path.join(place, entry.name);
    if (entry.isSymbolicLink()) continue;
    if (entry.isDirectory()) bytes += settle(file);
    else {
      bytes += statSync(file).size;
      chmodSync(file, (statSync(file).mode & 0o100) === 0 ? 0o644 : 0o755);
    }
  }
  chmodSync(place, 0o755);
  return bytes;
}

function writeControl({ version, description }: Manifest, architecture: string): void {
  const control = path.join(tree, 'DEBIAN');
  const kilobytes = Math.ceil(settle(tree) / 1_024);
  mkdirSync(control);
  const fields = [
    'Package: svc-server',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: svc <svc@localhost>',
    `Installed-Size: ${kilobytes}`,
    'Depends: nodejs (>= 20), adduser, init-system-helpers (>= 1.52)',
    'Recommends: systemd',
    'Section: database',
    'Priority: optional',
    `Description: ${description.replace(/^An? |\.$/g, '')}`,
    ' It speaks the protocol of Redis, keeps keys in shards with a thread each, and',
    ' shows what it does by metrics, health codes and debug pages.',
  ];
  writeFileSync(path.join(control, 'control'), `${fields.join('\n')}\n`);
  writeFileSync(path.join(control, 'conffiles'), `/${CONFIGURATION}\n`);
  for (const name of ['postinst', 'prerm', 'postrm']) {
    cpSync(path.join(root, 'configs/debian', name), path.join(control, name));
    chmodSync(path.join(control, name), 0o755);
  }
}

function main(): void {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`there is no package for ${process.arch}`);
  const manifest = installPackage();
  placeFiles();
  writeControl(manifest, architecture);
  const name = `svc-server_${manifest.version}_${architecture}.deb`;
  const seconds = String(Date.parse(manifest.build.time) / 1_000);
  execFileSync(
    'dpkg-deb',
    ['--root-owner-group', '-Zxz', '--build', tree, path.join(folder, name)],
    {
      // Times of files are those of the build at most, so that the same commit gives the same bytes.
      env: { ...process.env, SOURCE_DATE_EPOCH: seconds },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  process.stdout.write(`${name}: ${statSync(path.join(folder, name)).size} bytes\n`);
}

try {
  main();
} finally {
  rmSync(build, { recursive: true, force: true });
}
