/** Resident memory of the process. */

let lastBytes = 0;

/** Reads it from the system; answers what was read last while the process has no file descriptor left for that. */
export function residentBytes(): number {
  try {
    lastBytes = process.memoryUsage.rss();
  } catch {
    // EMFILE: of all who need a descriptor, those who look on may not be the ones that fail.
  }
  return lastBytes;
}
