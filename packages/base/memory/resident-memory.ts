/** Resident memory of the process. */

let lastBytes = 0;

/** Reads it from the system; returns what was read last while the process has no file descriptor left for that. */
export function residentBytes(): number {
  try {
    lastBytes = process.memoryUsage.rss();
  } catch {
    // EMFILE: monitoring must not fail when there are no file descriptors left.
  }
  return lastBytes;
}
