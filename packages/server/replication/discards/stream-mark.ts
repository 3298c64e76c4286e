/**
 * Place that the stream of a primary had come to a moment ago, in the data folder. It is of no use to go on from: what is on
 * disk may be before it or behind. It tells a process that comes after a kill how much was in the stream at least.
 */

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { StreamPosition } from '#replication';

const NAME = 'stream-mark';
/** Every mark has this length, so that one is written over another as a whole. */
const MARK_CHARS = 64;

export class StreamMark {
  readonly #file: string;
  #fd: number | undefined;
  #offset = -1;

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

  /** Writes where the stream is, when that is another place than before. */
  note({ id, offset }: StreamPosition): void {
    if (offset === this.#offset) return;
    this.#offset = offset;
    this.#fd ??= openSync(this.#file, 'w', 0o600);
    writeSync(this.#fd, `${`${id} ${offset}`.padEnd(MARK_CHARS - 1)}\n`, 0, 'latin1');
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
