/** The data folder as this server has taken it: what is made in it later does not lie on another disk, or in another's folder. */

import fs from 'node:fs';
import path from 'node:path';
import type { Disk } from '../disk.ts';
import { DataFolderError } from './data-folder.ts';
import { LOCK_FILE } from './folder-lock.ts';
import { readOwner } from './folder-owner.ts';

/** Returns a disk that makes no folders in a data folder that is not this server's any more. It is now. */
export function withinOwn(disk: Disk, folder: string): Disk {
  const device = deviceOf(folder);
  return {
    ...disk,
    makeFolder(each) {
      demandOwn(folder, device);
      disk.makeFolder(each);
    },
  };
}

/**
 * A folder that was removed may be made again where it was. Where its disk is not mounted any more it would be on the one
 * below, which no start would find behind a mount; and one that is there again may be another server's.
 */
function demandOwn(folder: string, device: number | undefined): void {
  const isThere = fs.existsSync(folder);
  const at = isThere ? folder : path.dirname(path.resolve(folder));
  if (deviceOf(at) !== device) {
    throw new DataFolderError(`the data folder ${path.resolve(folder)} is no longer on its disk`);
  }
  const owner = readOwner(path.join(folder, LOCK_FILE));
  if (owner === undefined || owner.pid === process.pid) return;
  throw new DataFolderError(
    `the data folder ${path.resolve(folder)} is in use by process ${owner.pid}`,
  );
}

function deviceOf(folder: string): number | undefined {
  return fs.statSync(folder, { throwIfNoEntry: false })?.dev;
}
