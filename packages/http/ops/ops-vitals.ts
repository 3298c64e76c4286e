/** Vitals of the ops thread, and the memory that it gives back: its own, and what malloc keeps of all threads. */

import { type FlightRecorder, LoopVitals, threadMemoryReturn, usedMemory } from '#stats';
import type { Observer } from '#observer';
import { MallocReturn } from './malloc-return.ts';

export class OpsVitals {
  readonly #observer: Observer;
  readonly #vitals: LoopVitals;
  /** Frees dropped memory of the ops thread, which has no large memory in use. */
  readonly #memory = threadMemoryReturn();
  readonly #malloc = new MallocReturn();
  #hasStarted = false;

  constructor(observer: Observer, flight: FlightRecorder) {
    this.#observer = observer;
    this.#vitals = new LoopVitals(observer.ops, flight, {
      sampled: () => {
        this.#giveBack();
      },
    });
  }

  start(): void {
    this.#vitals.start();
  }

  /** Notes that the thread has work. */
  worked(): void {
    this.#vitals.worked();
  }

  stop(): void {
    this.#vitals.stop();
  }

  /** Gives back what the thread does not use, then what malloc keeps of all threads. */
  async purge(): Promise<void> {
    this.#memory.purge();
    await this.#malloc.purge();
  }

  #giveBack(): void {
    this.#memory.look(0, true);
    const { main, shards } = this.#observer;
    const startupBytes = main.get('startupBytes');
    // It is 0 until the server has read its data.
    if (startupBytes === 0) return;
    // Compiling the programs of all threads leaves about 3 MB for each in malloc.
    if (!this.#hasStarted) void this.#malloc.purge();
    this.#hasStarted = true;
    let collections = main.get('gcMajor');
    for (const shard of shards) collections += shard.get('gcMajor');
    this.#malloc.look(startupBytes + usedMemory(main, shards), collections);
  }
}
