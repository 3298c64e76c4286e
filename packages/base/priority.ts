/**
 * Threads that nobody waits for give way to those that serve clients: where there are fewer processors than
 * threads, the kernel lets who has just been woken wait for a whole slice of whoever runs.
 *
 * Linux counts priority by thread, and a thread finds its number in /proc (proc(5), setpriority(2)). Elsewhere, and
 * where it is not allowed, nothing changes.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const NICE = 10;

/** The calling thread gives way. */
export function giveWay(): void {
  try {
    // The link is `<process>/task/<thread>`.
    const thread = path.basename(fs.readlinkSync('/proc/thread-self'));
    os.setPriority(Number(thread), NICE);
  } catch {
    // Not Linux, or not allowed.
  }
}
