/** Fixed blocks of the shared memory, in which replies wait for their socket. */

import type { MovableMemory } from '#base';

export class BlockPool {
  readonly memory: MovableMemory;
  readonly blockBytes: number;
  /** The block given back last is the next one taken: it is still in the cache. */
  readonly #free: number[] = [];

  constructor(memory: MovableMemory, at: number, blocks: number, blockBytes: number) {
    this.memory = memory;
    this.blockBytes = blockBytes;
    for (let index = blocks - 1; index >= 0; index -= 1) this.#free.push(at + index * blockBytes);
  }

  /** A block's offset; -1 when all are in use. */
  take(): number {
    return this.#free.pop() ?? -1;
  }

  give(block: number): void {
    this.#free.push(block);
  }

  get freeCount(): number {
    return this.#free.length;
  }
}
