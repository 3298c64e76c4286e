/** Another descriptor of the same file, so that two owners can each close their own. Source: fcntl(2). */

/** F_DUPFD_CLOEXEC of Linux, which programs that are started do not inherit. */
const DUPLICATE = 1_030;

/** Returns the new descriptor; -1 if none is available. */
type Duplicate = (descriptor: number) => number;

/**
 * Loads the function of the C library. Rejects where the optional package that calls it is not installed, and on systems
 * other than Linux.
 */
export async function loadDuplicate(): Promise<Duplicate> {
  if (process.platform !== 'linux') throw new Error('this is not Linux');
  const { default: koffi } = await import('koffi');
  const control = koffi.load(null).func('int fcntl(int fd, int command, ...)') as (
    descriptor: number,
    command: number,
    type: 'int',
    least: number,
  ) => number;
  return (descriptor) => control(descriptor, DUPLICATE, 'int', 0);
}
