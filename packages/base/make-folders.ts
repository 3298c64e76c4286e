import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Makes a folder and those above it. Node's own `recursive` never ends where a folder takes no others, as /proc. */
export function makeFolders(folder: string, mode?: number): void {
  const parent = path.dirname(path.resolve(folder));
  if (!existsSync(parent)) makeFolders(parent, mode);
  makeFolder(folder, mode);
}

/** Makes a folder, if it is not there, in one that is. */
export function makeFolder(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (!isThere || !statSync(folder).isDirectory()) throw error;
  }
}
