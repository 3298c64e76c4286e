/** Temporary files of full synchronisations. */

import { open, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { type Bytes, makeFolders } from '#base';
import type { SyncFile } from '../protocol/primary/sync-file.ts';

const NAME = 'full-sync.tmp';

/**
 * Creates a file in the data folder and unlinks it: its space is freed when it is closed, or when the process ends in
 * any way.
 */
export async function openSyncFile(folder: string): Promise<SyncFile> {
  // Without persistence the folder may not exist yet.
  makeFolders(folder);
  const file = path.join(folder, NAME);
  // A process that was killed at the worst moment has left an empty one.
  await rm(file, { force: true });
  const handle = await open(file, 'wx+', 0o600);
  try {
    await rm(file, { force: true });
  } catch (error) {
    await handle.close();
    throw error;
  }
  return new UnnamedFile(handle);
}

class UnnamedFile implements SyncFile {
  readonly #handle: FileHandle;
  #end = 0;
  /** Settles when all that was asked of the file is done: it must not be closed before. */
  #busy: Promise<unknown> = Promise.resolve();

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  append(pieces: readonly Bytes[]): Promise<void> {
    return this.#then(async () => {
      for (const piece of pieces) await this.#write(piece);
    });
  }

  async #write(piece: Bytes): Promise<void> {
    for (let written = 0; written < piece.length;) {
      const left = piece.length - written;
      const { bytesWritten } = await this.#handle.write(piece, written, left, this.#end);
      written += bytesWritten;
      this.#end += bytesWritten;
    }
  }

  read(at: number, byteCount: number): Promise<Bytes> {
    return this.#then(async () => {
      const into = new Uint8Array(byteCount);
      const { bytesRead } = await this.#handle.read(into, 0, byteCount, at);
      if (bytesRead === 0) throw new Error('the file was truncated');
      return into.subarray(0, bytesRead);
    });
  }

  close(): void {
    void this.#then(() => this.#handle.close());
  }

  #then<Result>(act: () => Promise<Result>): Promise<Result> {
    const done = this.#busy.then(act);
    this.#busy = done.catch(() => undefined);
    return done;
  }
}
