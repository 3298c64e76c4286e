/** Version of this server, and the release of Redis that it follows. */

import { readFileSync } from 'node:fs';

/** The version in package.json. */
export const VERSION = readVersion();

/** The release of Redis whose commands and replies are followed. */
export const REDIS_VERSION = '7.4.0';

function readVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}
