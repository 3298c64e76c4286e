/** Names of the server: its version, and the file that it runs from. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The version in package.json. */
export const VERSION = readVersion();

/** The release of Redis whose commands and replies are followed. */
export const REDIS_VERSION = '7.4.0';

/** The file that was started. */
export const EXECUTABLE = fileURLToPath(new URL('./main.js', import.meta.url));

function readVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}
