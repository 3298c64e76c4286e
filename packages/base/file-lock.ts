/** The kernel's locks of whole files, which end with the process that holds them. Source: flock(2). */

import { constants } from 'node:os';

const SHARED = 1;
const EXCLUSIVE = 2;
const NOT_BLOCKING = 4;

/**
 * Takes a lock of an open file, until the file is closed: 'free' when it was taken, 'held' when another open file has it,
 * 'unknown' where the file system has no locks. Never waits.
 */
export type FileLock = (fd: number, kind: 'shared' | 'exclusive') => 'free' | 'held' | 'unknown';

/** Loads the function of the C library. Rejects where the optional package that calls it is not installed. */
export async function loadFileLock(): Promise<FileLock> {
  const { default: koffi } = await import('koffi');
  const flock = koffi.load(null).func('int flock(int fd, int operation)') as (
    fd: number,
    operation: number,
  ) => number;
  return (fd, kind) => {
    if (flock(fd, (kind === 'shared' ? SHARED : EXCLUSIVE) | NOT_BLOCKING) === 0) return 'free';
    return koffi.errno() === constants.errno.EWOULDBLOCK ? 'held' : 'unknown';
  };
}
