/** Reads and writes the ACL file; each character of its text is a byte. */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** The file's mode: it holds hashes of passwords. */
const MODE = 0o600;

function cannotRead(file: string, error: unknown): Error {
  const reason =
    (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? 'No such file or directory'
      : (error as Error).message;
  return new Error(`Error loading ACLs, opening file '${file}': ${reason}`, { cause: error });
}

/** Rejects with an error that names the file. */
export async function readAcl(file: string): Promise<string> {
  try {
    return await readFile(file, 'latin1');
  } catch (error) {
    throw cannotRead(file, error);
  }
}

/** Reads the ACL file at the start, synchronously. */
export function readAclAtStart(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    throw cannotRead(file, error);
  }
}

/** Replaces the file in one step, so that a crash leaves the old one or the new one. */
export async function writeAcl(file: string, text: string): Promise<void> {
  const folder = path.dirname(file);
  const suffix = randomBytes(6).toString('hex');
  const temporary = path.join(folder, `.${path.basename(file)}.${suffix}.tmp`);
  try {
    const handle = await open(temporary, 'wx', MODE);
    try {
      await handle.writeFile(text, 'latin1');
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
