/** Files of the data folder that main marks and removes itself. */

import { rmSync } from 'node:fs';
import type { Clock } from '#base';
import { LogFigures } from '#stats';
import { type DataFolder, markBroken, realDisk, segmentFile } from '#persistence';
import type { ServerMemory } from '#main';

interface MarkedLogs {
  readonly serverMemory: ServerMemory;
  readonly clock: Clock;
  readonly folder: string;
}

/** Marks the logs as failed: a dead disk thread can no longer report their end. */
export function markLogs({ serverMemory, clock, folder }: MarkedLogs): void {
  for (const [shard, memory] of serverMemory.logMemory.entries()) {
    const number = new LogFigures(memory).get('segment');
    markBroken(realDisk, segmentFile(folder, shard, number), clock.wallMs());
  }
}

/** Removes unfinished files of the last process, and logs whose snapshot never finished. */
export function removeLeftovers({ stillborn, unfounded }: DataFolder): void {
  for (const left of [...stillborn, ...unfounded]) rmSync(left, { recursive: true, force: true });
}
