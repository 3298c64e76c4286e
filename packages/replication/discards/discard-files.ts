/**
 * Files of discarded writes, in the data folder: `discarded-writes/<time>-<stream>-<from>-<to>.resp` with commands that can be
 * run again, and a `.json` of the same name that describes them. The oldest files are removed above a size limit.
 */

import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Bytes } from '#base';

/** Name of the folder within the data folder. */
const DISCARDS_FOLDER = 'discarded-writes';

const NAME = /^\d{8}T\d{9}Z-[0-9a-f]{40}-\d+-\d+\.(resp|json)$/;
/** Suffix of the name of a file that is being written. */
const PARTIAL = '.partial';

interface DiscardFileOptions {
  readonly dataFolder: string;
  readonly timeMs: number;
  readonly stream: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the path of a file, without its ending. */
export function discardFile({ dataFolder, timeMs, stream, from, to }: DiscardFileOptions): string {
  const time = new Date(timeMs).toISOString().replaceAll(/[-:.]/g, '');
  return path.join(dataFolder, DISCARDS_FOLDER, `${time}-${stream}-${from}-${to}`);
}

/** Writes commands and their description; both are synced to disk when it resolves. */
export async function writeDiscards(
  file: string,
  commands: readonly Bytes[],
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const resp = `${file}.resp`;
  const handle = await open(`${resp}${PARTIAL}`, 'w', 0o600);
  try {
    for (const piece of commands) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${resp}${PARTIAL}`, resp);
  await writeFile(`${file}.json`, `${JSON.stringify(details, null, 2)}\n`, { mode: 0o600 });
}

/** Removes the oldest files until the total size is within the limit; returns the names of removed files. */
export async function trimDiscards(
  dataFolder: string,
  bytesMax: number,
): Promise<readonly string[]> {
  const folder = path.join(dataFolder, DISCARDS_FOLDER);
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(path.join(folder, name))).size),
  );
  let total = sizes.reduce((sum, size) => sum + size, 0);
  const removed: string[] = [];
  for (const [nth, name] of names.entries()) {
    if (total <= bytesMax) break;
    // Names begin with times, so those of one discard go together, and the oldest at first.
    await rm(path.join(folder, name), { force: true });
    total -= sizes[nth]!;
    removed.push(name);
  }
  return removed;
}
