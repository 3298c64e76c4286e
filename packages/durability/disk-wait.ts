/** Waits until what all shards have logged so far is on disk. */

import { LogProgress, ringPublished, ringTaken } from '#link';
import type { ServerMemory } from '#main';

/** Milliseconds between two checks: shards and the disk thread send no notice of a sync or a write. */
const LOOK_MS = { synced: 5, written: 1 } as const;

export class DiskWait {
  readonly #memory: ServerMemory;
  readonly #waiting: { readonly positions: readonly number[]; readonly done: () => void }[] = [];
  /** Written is what the system has, which outlives the process and not the machine; synced is what the disk has. */
  readonly #until: 'synced' | 'written';
  #timer: NodeJS.Timeout | undefined;

  constructor(memory: ServerMemory, until: 'synced' | 'written' = 'synced') {
    this.#memory = memory;
    this.#until = until;
  }

  /**
   * Calls back at once if the data is on disk, and otherwise once it is; the caller of `done` may have continued
   * without it.
   */
  add(done: () => void): void {
    const positions = this.#published();
    if (this.#isOnDisk(positions)) {
      done();
      return;
    }
    this.#waiting.push({ positions, done });
    this.#timer ??= setInterval(() => {
      this.#look();
    }, LOOK_MS[this.#until]);
    this.#timer.unref();
  }

  /** True when all that was logged so far is there. */
  get isThere(): boolean {
    return this.#isOnDisk(this.#published());
  }

  #published(): readonly number[] {
    const { memory, layout } = this.#memory;
    return layout.logs.map((place) => ringPublished(memory, place));
  }

  #isOnDisk(positions: readonly number[]): boolean {
    const { memory, layout, mainPage } = this.#memory;
    if (this.#until === 'written') {
      return layout.logs.every(
        (place, shard) => ((ringTaken(memory, place) - (positions[shard] ?? 0)) | 0) >= 0,
      );
    }
    // Until the snapshot that the log rests on is there, a start reads nothing of the log.
    if (mainPage.get('awaitsSnapshot') === 1) return false;
    return layout.logProgress.every((at, shard) =>
      new LogProgress(memory, at).isSynced(positions[shard] ?? 0),
    );
  }

  #look(): void {
    // Positions only grow: waiters finish in their order.
    while (this.#waiting.length > 0 && this.#isOnDisk(this.#waiting[0]!.positions)) {
      this.#waiting.shift()!.done();
    }
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
