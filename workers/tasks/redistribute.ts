/**
 * Writes the data of a folder for another number of shards: in a process of its own, since it has all data in memory
 * once more, and what a thread frees the process would keep.
 */

import { redistribute, type Redistribution } from '#offline';

/** Ends the process when its parent has ended: unfinished output is ignored. */
function end(): void {
  process.kill(process.pid);
}

process.once('disconnect', end);
process.once('message', (options: Redistribution) => {
  void redistribute(options)
    .then(
      (report) => ({ report }),
      (error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }),
    )
    .then((answer) => {
      process.send?.(answer, () => {
        process.off('disconnect', end);
        process.disconnect();
      });
    });
});
