/** Extents in an LMDB environment: the one place that knows that library. */

import fs from 'node:fs';
import path from 'node:path';
import type { RootDatabase } from 'lmdb';
import type { Bytes } from '#base';
import type { ExtentChange, ExtentDisk } from './tier-service.ts';

/** Address space of an environment; the file is as large as what was written. */
const MAP_BYTES = 2 ** 40;
/** Extents shorter than this are not worth being compressed. */
const COMPRESSION_BYTES_MIN = 512;

/** Empties the folder, and opens an environment in it. Throws where it cannot be made or written. */
export async function openExtents(folder: string, compresses: boolean): Promise<ExtentDisk> {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  // Only threads that serve a tier load it.
  const { open } = await import('lmdb');
  const database = open<Buffer, number>({
    path: folder,
    // It is emptied at each start: nothing need be on the disk when power fails.
    noSync: true,
    noMetaSync: true,
    noMemInit: true,
    encoding: 'binary',
    keyEncoding: 'uint32',
    cache: false,
    compression: compresses ? { threshold: COMPRESSION_BYTES_MIN } : false,
    eventTurnBatching: false,
    overlappingSync: false,
    mapSize: MAP_BYTES,
    maxDbs: 1,
  });
  return new LmdbExtents(folder, database);
}

class LmdbExtents implements ExtentDisk {
  readonly #database: RootDatabase<Buffer, number>;
  readonly #file: string;
  /** Bytes that the thread, which may have several environments, had written behind its last commit. */
  static #threadWritten = 0;
  /** Bytes that the commits of this one have handed to the system. */
  writtenBytes = 0;

  constructor(folder: string, database: RootDatabase<Buffer, number>) {
    this.#database = database;
    this.#file = path.join(folder, 'data.mdb');
    LmdbExtents.#threadWritten = writtenByThread();
  }

  read(extent: number): Bytes | undefined {
    const found = this.#database.getBinaryFast(extent);
    if (found === undefined) return undefined;
    // The buffer is one for all that is read: its length says how much of it this is, which copies of it do not heed.
    return new Uint8Array(found.buffer, found.byteOffset, found.length);
  }

  commit(changes: readonly ExtentChange[]): void {
    try {
      this.#commit(changes);
    } finally {
      const written = writtenByThread();
      this.writtenBytes += written - LmdbExtents.#threadWritten;
      LmdbExtents.#threadWritten = written;
    }
  }

  #commit(changes: readonly ExtentChange[]): void {
    const database = this.#database;
    database.transactionSync(() => {
      for (const { extent, bytes } of changes) {
        if (bytes === undefined) database.removeSync(extent);
        // What lies in shared memory is copied: the library takes memory of its own only.
        else database.putSync(extent, Buffer.from(bytes));
      }
    });
  }

  look(): number {
    try {
      return fs.statSync(this.#file).size;
    } catch {
      return -1;
    }
  }

  close(): void {
    void this.#database.close();
  }
}

/** Bytes that this thread has handed to the system to be written, to whatever file. */
function writtenByThread(): number {
  try {
    const figures = fs.readFileSync('/proc/thread-self/io', 'latin1');
    return Number(/^wchar: (\d+)/m.exec(figures)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
