/** Writes a thread's use of machine resources into its page, about once a second, from the thread itself. */

import { clockErrorUs, threadCpu, threadHeap, threadId } from '#base';
import { AT } from '../page/counters.ts';
import { type Page } from '../page/page.ts';

/** Between two samples. */
const SAMPLE_US = 1_000_000;

export class ThreadSamples {
  readonly #values: Float64Array;
  #dueUs = 0;

  constructor(page: Page) {
    this.#values = page.values;
    this.#values[AT.clockErrorUs] = clockErrorUs;
    this.#values[AT.threadId] = threadId();
  }

  /** Takes a sample when it is time; answers whether it was. */
  take(nowUs: number): boolean {
    if (nowUs < this.#dueUs) return false;
    this.#dueUs = nowUs + SAMPLE_US;
    const values = this.#values;
    const heap = threadHeap();
    values[AT.heapUsedBytes] = heap.usedBytes;
    values[AT.heapTotalBytes] = heap.totalBytes;
    values[AT.externalBytes] = heap.externalBytes;
    const cpu = threadCpu();
    if (cpu === undefined) return true;
    values[AT.cpuUserUs] = cpu.userUs;
    values[AT.cpuSystemUs] = cpu.systemUs;
    return true;
  }
}
