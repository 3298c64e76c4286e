/** Waits until what all shards have logged so far is on disk. */

import { LogProgress, ringPublished } from '#link';
import type { ServerMemory } from '../threads/shared-memory.ts';

/** Between two looks: shards and the disk thread tell nobody of a sync. */
const LOOK_MS = 5;

export class DiskWait {
  readonly #memory: ServerMemory;
  readonly #waiting: { readonly positions: readonly number[]; readonly done: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(memory: ServerMemory) {
    this.#memory = memory;
  }

  /** Calls back at once where it is there, and else when it is; `done` may have gone on without. */
  add(done: () => void): void {
    const { memory, layout } = this.#memory;
    const positions = layout.logs.map((place) => ringPublished(memory, place));
    if (this.#isOnDisk(positions)) {
      done();
      return;
    }
    this.#waiting.push({ positions, done });
    this.#timer ??= setInterval(() => {
      this.#look();
    }, LOOK_MS);
    this.#timer.unref();
  }

  #isOnDisk(positions: readonly number[]): boolean {
    const { memory, layout } = this.#memory;
    return layout.logProgress.every((at, shard) =>
      new LogProgress(memory, at).isSynced(positions[shard] ?? 0),
    );
  }

  #look(): void {
    // Positions only grow: who came first is through first.
    while (this.#waiting.length > 0 && this.#isOnDisk(this.#waiting[0]!.positions)) {
      this.#waiting.shift()!.done();
    }
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
