/** The data folder and the thread that writes it: there before the shards, which are handed the ports to it. */

import type { Settings } from '#config';
import { DataFolder } from '#persistence';
import { DiskLink, diskSettings } from '../threads/disk-link.ts';
import type { ServerMemory } from '../threads/shared-memory.ts';

export interface Disk {
  readonly folder: DataFolder;
  readonly link: DiskLink;
  /** Number of this life of the server. */
  readonly epoch: number;
  /** Number of the first segment that is written in it. */
  readonly firstSegment: number;
}

/** Looks into the data folder, and starts the disk thread on it. */
export function openDisk(settings: Settings, serverMemory: ServerMemory): Disk {
  const folder = new DataFolder(settings.string('persistence.data-dir'));
  const epoch = folder.lastEpoch + 1;
  const firstSegment = folder.lastSegment + 1;
  const link = new DiskLink({
    link: serverMemory.shape,
    memory: serverMemory.memory.memory,
    figures: serverMemory.logMemory,
    epoch,
    folder: folder.folder,
    firstSegment,
    ...diskSettings(settings),
  });
  return { folder, link, epoch, firstSegment };
}
