/** The folder of the warm tier, which one server or task has at a time. */

import type { Settings } from '#config';
import { FolderLock, makeFolder } from '#persistence';
import type { LocalTierPlace } from '#tier';

/** Makes and locks it; rejects where it cannot be had. */
export async function takeTierFolder(directory: string): Promise<FolderLock> {
  try {
    makeFolder(directory, { name: 'folder', option: 'tiered.directory' });
    return await FolderLock.take(directory);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`tiered.directory: ${message}`, { cause: error });
  }
}

/** The place to which a task spills what memory has no room for, as the server would; undefined where nothing is spilled. */
export function localTierOf(settings: Settings): LocalTierPlace | undefined {
  const spills = settings.string('memory.maxmemory-policy').startsWith('tiered-');
  if (!settings.boolean('tiered.enabled') || !spills) return undefined;
  if (settings.number('memory.maxmemory') === 0) return undefined;
  const compresses = settings.string('tiered.compression') === 'lz4';
  return { directory: settings.string('tiered.directory'), compresses };
}
