/** Tasks that a thread of their own runs, one and then no more. */

import type { Transferable } from 'node:worker_threads';

/** Runs a function of a task's file; the thread ends with it. */
export async function runTask<Result>(
  file: URL,
  name: string,
  task: unknown,
  transferList: Transferable[],
): Promise<Result> {
  // Seldom used, and not to be waited for by every start.
  const { Piscina } = await import('piscina');
  const pool = new Piscina<unknown, Result>({ filename: file.href, minThreads: 1, maxThreads: 1 });
  try {
    return await pool.run(task, { name, transferList });
  } finally {
    await pool.destroy();
  }
}
