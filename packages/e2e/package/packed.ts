/** The package as it is published, built from this source tree and installed into a folder. */

import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Packs what is built into a folder; returns the archive. */
export function packed(folder: string): string {
  const program = path.join(root, 'dist/scripts/package/package.js');
  execFileSync(process.execPath, [program, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw new Error('there is no archive');
  return path.join(folder, archive);
}

/** Installs an archive without its packages' install scripts; returns the executable. */
export function installed(archive: string, folder: string): string {
  npm('install', '--prefix', folder, '--ignore-scripts', '--prefer-offline', archive);
  return path.join(folder, 'node_modules/.bin/svc-server');
}

export function npm(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
}

/** Returns the executable of a release line of Node, which npm has as a package without scripts. */
export function nodeOf(major: number, folder: string): string {
  const name = `node-${process.platform}-${process.arch}`;
  npm('install', '--prefix', folder, '--prefer-offline', `${name}@${major}`);
  return path.join(folder, 'node_modules', name, 'bin/node');
}
