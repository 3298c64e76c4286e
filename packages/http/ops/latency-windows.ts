/** Works out the windows of latency, so that neither main nor a shard needs to, and shares them with all. */

import { systemClock } from '#base';
import { LatencyWindows, SLICE_MS, windowTableLength } from '#stats';
import { DoubleBuffer, type SharedMemory } from '#link';
import type { Observer } from '#observer';

export class LatencyWindowsPublisher {
  readonly #windows: LatencyWindows;
  readonly #shared: DoubleBuffer;
  readonly #timer: NodeJS.Timeout;

  /** Shares them through `memory`. */
  constructor({ main, shards, commandNames }: Observer, memory: SharedMemory) {
    const { length } = commandNames;
    this.#windows = new LatencyWindows([main, ...shards], length, systemClock.nowUs());
    this.#shared = new DoubleBuffer(memory, windowTableLength(length));
    this.#timer = setInterval(() => {
      this.#windows.take(systemClock.nowUs());
      this.#shared.publish(this.#windows.table());
    }, SLICE_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
