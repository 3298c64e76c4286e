/** Processor time of the server's threads, and their time in the run queue, as Linux counts them. */

import { closeSync, openSync, readSync } from 'node:fs';
import type { Observer } from './observer.ts';

/** Cumulative times of a thread in microseconds. */
export interface ThreadTimes {
  readonly runUs: number;
  /** Runnable without a processor. */
  readonly waitUs: number;
}

const LINE_BYTES_MAX = 128;

/** Reads `/proc/self/task/ID/schedstat` of each thread whose page gives its id; keeps the files open. */
export class ThreadTimesReader {
  readonly #observer: Observer;
  readonly #files = new Map<string, { readonly id: number; readonly descriptor: number }>();
  readonly #line = Buffer.alloc(LINE_BYTES_MAX);

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** Times by thread; without those of threads that have none, or whose system counts none. */
  read(): ReadonlyMap<string, ThreadTimes> {
    const times = new Map<string, ThreadTimes>();
    for (const [name, page] of this.#observer.threads) {
      const line = this.#lineOf(name, page.get('threadId'));
      if (line === undefined) continue;
      const [runNs = 0, waitNs = 0] = line.split(' ').map(Number);
      times.set(name, { runUs: runNs / 1_000, waitUs: waitNs / 1_000 });
    }
    return times;
  }

  #lineOf(name: string, id: number): string | undefined {
    if (id === 0) return undefined;
    try {
      let file = this.#files.get(name);
      if (file?.id !== id) {
        if (file !== undefined) closeSync(file.descriptor);
        file = { id, descriptor: openSync(`/proc/self/task/${id}/schedstat`, 'r') };
        this.#files.set(name, file);
      }
      const length = readSync(file.descriptor, this.#line, 0, LINE_BYTES_MAX, 0);
      return this.#line.toString('latin1', 0, length);
    } catch {
      // Another system, or the thread has ended.
      return undefined;
    }
  }

  close(): void {
    for (const { descriptor } of this.#files.values()) closeSync(descriptor);
    this.#files.clear();
  }
}
