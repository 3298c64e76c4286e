/** Text of `--version`: the version, the build, and what of the platform's native code can be loaded. */

import { koffiVersion } from '#base';
import { BUILD, REDIS_VERSION, VERSION } from '#config';

/** Consequences for a server without koffi. */
const WITHOUT_KOFFI =
  'sockets use libuv, server.front-threads must be 0, the data folder is locked by a heartbeat in a file, and freed memory is returned to the system later';

/** Returns the lines; loads native packages to find out whether they work. */
export async function versionText(): Promise<string> {
  const built = BUILD ?? { commit: 'unknown, run from a source tree', time: 'unknown' };
  const rows: readonly (readonly [name: string, value: string])[] = [
    ['commit', built.commit],
    ['built', built.time],
    ['follows', `Redis ${REDIS_VERSION}`],
    ['node', `${process.version} (V8 ${process.versions.v8})`],
    ['platform', `${process.platform} ${process.arch}${libraryText()}`],
    ['koffi', await koffiText()],
  ];
  const lines = rows.map(([name, value]) => `${name.padEnd(9)} ${value}`);
  return [`svc-server ${VERSION}`, ...lines].join('\n');
}

/** The C library: binaries of packages are made for one of them. */
function libraryText(): string {
  if (process.platform !== 'linux') return '';
  const { header } = process.report.getReport() as unknown as {
    header: { glibcVersionRuntime?: string };
  };
  const glibc = header.glibcVersionRuntime;
  return glibc === undefined ? ', C library other than glibc' : `, glibc ${glibc}`;
}

async function koffiText(): Promise<string> {
  try {
    return await koffiVersion();
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    return `not available (${reason}): ${WITHOUT_KOFFI}`;
  }
}
