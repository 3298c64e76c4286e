import type { ChildProcess } from 'node:child_process';

const alive = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** Ends a child process with the process of the test, if it still runs then. */
export function endWithTest(child: ChildProcess): void {
  alive.add(child);
  child.once('exit', () => alive.delete(child));
}
