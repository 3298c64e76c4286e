/**
 * Recent offset of a primary's stream, in the data folder. Replication cannot resume from it: the data on disk may be
 * before or after it. It is a lower bound of the stream for a process that starts after a kill.
 */

import { readFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { StreamPosition } from '../protocol/replica/primary-past.ts';

const NAME = 'stream-mark';
/** Every mark has this length, so that one is written over another as a whole. */
const MARK_CHARS = 64;

export class StreamMark {
  readonly #file: string;
  #handle: FileHandle | undefined;
  #offset = -1;
  /** Settles when the last mark is written; undefined while none is being written. */
  #writing: Promise<void> | undefined;

  constructor(dataFolder: string) {
    this.#file = path.join(dataFolder, NAME);
  }

  /** Returns the mark of the process before; undefined where there is none. */
  read(): StreamPosition | undefined {
    let text: string;
    try {
      text = readFileSync(this.#file, 'latin1');
    } catch {
      return undefined;
    }
    const [, id, offset] = /^([0-9a-f]{40}) (\d{1,16}) *\n$/.exec(text) ?? [];
    return id === undefined ? undefined : { id, offset: Number(offset) };
  }

  /** Writes where the stream is, when that is another place than before, and the mark before is written. */
  async note({ id, offset }: StreamPosition): Promise<void> {
    if (offset === this.#offset || this.#writing !== undefined) return;
    this.#offset = offset;
    this.#writing = this.#write(`${`${id} ${offset}`.padEnd(MARK_CHARS - 1)}\n`);
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
  }

  async #write(mark: string): Promise<void> {
    this.#handle ??= await open(this.#file, 'w', 0o600);
    await this.#handle.write(mark, 0, 'latin1');
  }

  /** Closes the file after the current write. */
  async close(): Promise<void> {
    // The caller of the write receives its failure, and the mark is of little use during a shutdown.
    await this.#writing?.catch(() => undefined);
    await this.#handle?.close().catch(() => undefined);
    this.#handle = undefined;
  }
}
