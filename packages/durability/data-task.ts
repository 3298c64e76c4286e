/** Backup and restore, loaded when they are asked for: a server has no use for them. */

import type { DataTask, Settings } from '#config';

/** Runs a task with the data folder of the settings; returns lines for the user, and rejects with the reason. */
export async function runDataTask(
  settings: Settings,
  name: DataTask,
  args: readonly string[],
): Promise<readonly string[]> {
  const { backupOrRestore } = await import('./backup.ts');
  return backupOrRestore(settings, name, args);
}
