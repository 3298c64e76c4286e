/** Version of this server, and the release of Redis that it follows. */

import { readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  /** Written by `npm run package`. */
  readonly build?: { readonly commit: string; readonly time: string };
}

const manifest = readManifest();

/** The version in package.json. */
export const VERSION = manifest.version;

/** Commit and time of the build; undefined in a source tree. */
export const BUILD = manifest.build;

/** The release of Redis whose commands and replies are followed. */
export const REDIS_VERSION = '7.4.0';

function readManifest(): Manifest {
  const file = new URL('../../../package.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}
